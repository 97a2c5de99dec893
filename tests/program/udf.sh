# statewire udf: functions as ClickHouse's executable_pool runs them, over chunks of RowBinary.
. "$(dirname "$0")/common.sh"

# A row of countMinSketchTotal over '3, 64' and a state of two keys "a" (weight 5) and "b" (weight 2).
row()
{
    printf '\0053, 64\036\0\002\007\0\0\0\0\0\0\0\001a\005\0\0\0\0\0\0\0\001b\002\0\0\0\0\0\0\0'
}
seven=0700000000000000
hex()
{
    od -An -v -tx1 | tr -d ' \n'
}
same 'no chunk' '' "$("$statewire" udf countMinSketchTotal </dev/null | hex)"
same 'an empty chunk' '' "$(printf '0\n' | "$statewire" udf countMinSketchTotal | hex)"
same 'two chunks' "$seven$seven$seven" "$( { printf '2\n'; row; row; printf '1\n'; row; } | "$statewire" udf countMinSketchTotal | hex)"

# The answer to a chunk comes while the input is still open.
mkfifo requests answers
"$statewire" udf countMinSketchTotal <requests >answers &
exec 3>requests 4<answers
for round in 1 2 3; do
    { printf '1\n'; row; } >&3
    same "chunk $round is answered at once" "$seven" "$(dd bs=1 count=8 <&4 2>/dev/null | hex)"
done
exec 3>&-
wait $!
same 'the end of the input ends the process' 0 $?
exec 4<&-

{ printf '2\n'; row; printf '\0053, 64\003\0\0x'; } >damaged
"$statewire" udf countMinSketchTotal <damaged >stdout 2>stderr
same 'a damaged state: exit code' 117 $?
contains 'a damaged state: what' '1 bytes behind its end at byte 2' "$(cat stderr)"
contains 'a damaged state: where' 'in function countMinSketchTotal, row 1 of chunk 0' "$(cat stderr)"
contains 'a damaged state: name' '(INCORRECT_DATA)' "$(cat stderr)"
same 'a damaged state: lines on stderr' 1 "$(wc -l <stderr | tr -d ' ')"
{ printf '2\n'; row; } >cut
"$statewire" udf countMinSketchTotal <cut >stdout 2>stderr
code=$?
contains 'a cut chunk' 'row 1 of chunk 0' "$(cat stderr)"
[ "$code" = 32 ] || [ "$code" = 33 ] || fail 'a cut chunk: exit code' "found: $code"

refuses 'an unknown function' 46 "Unknown user-defined function 'nothing'" udf nothing
refuses 'no function' 36 'give a function' udf
refuses 'two wishes' 36 'excludes' udf --config --sql
refuses 'a module without statements' 36 'requires' udf --module x countMinSketchTotal

"$statewire" udf --config >config.xml
"$statewire" udf --sql --module m >functions.sql
same 'as many functions in both' "$(grep -c '<function>' config.xml)" "$(grep -c "^CREATE OR REPLACE FUNCTION .* FROM 'm' .*;\$" functions.sql)"
same 'no fuel unless asked' 0 "$(grep -c fuel functions.sql)"
same 'all without fuel' "$(grep -c . functions.sql)" "$("$statewire" udf --sql --no-fuel | grep -c ', webassembly_udf_enable_fuel = 0;$')"
refuses 'fuel without statements' 36 'requires' udf --no-fuel --config
contains 'the command' '<command>statewire udf bitmapRankUInt64</command>' "$(cat config.xml)"
contains 'another command' '<command>sw udf bitmapRankUInt64</command>' "$("$statewire" udf --config --command sw)"
command -v xmllint >/dev/null 2>&1 && same 'well-formed' '' "$(xmllint --noout config.xml 2>&1)"
finish
