# `statewire verify`: every state of a file, also behind invalid ones.
. "$(dirname "$0")/common.sh"

u32='AggregateFunction(groupBitmap, UInt32)'
header='k	s
UInt8	'"$u32"
{ printf '%s\n' "$header"; printf '1\t\\0\\x01\\x05\\0\\0\\0\n2\t\\0\\0\n3\t\\0\\x02\\x02\\0\\0\\0\\x01\\0\\0\\0\n'; } >good.TSVWithNamesAndTypes
for format in Native RowBinary RowBinaryWithNames RowBinaryWithNamesAndTypes TabSeparated CSV CSVWithNames CSVWithNamesAndTypes JSONEachRow Values
do
    "$statewire" query -q '*' -f $format -o good.$format good.TSVWithNamesAndTypes
    prints "$format" "good.$format: column 's', $u32: 3 states, 3 small; 18 bytes, 2 to 10 each; 0 invalid, 0 not canonical" \
        verify -S "k UInt8, s $u32" good.$format
done
prints 'without a structure' "good.Native: column 's', $u32: 3 states, 3 small; 18 bytes, 2 to 10 each; 0 invalid, 0 not canonical" verify good.Native
prints 'what is not canonical' \
    "good.TSVWithNamesAndTypes: column 's', $u32: 3 states, 3 small; 18 bytes, 2 to 10 each; 0 invalid, 1 not canonical" \
    verify good.TSVWithNamesAndTypes
prints 'as JSON' '{"event":"file","file":"good.Native","rows":3,"columns":[{"column":"s","type":"'"$u32"'","states":3,"invalid":0,"not_canonical":0,"kinds":{"small":3},"bytes":18,"smallest":2,"largest":10}]}
{"event":"summary","files":1,"stopped":0,"states":3,"invalid":0,"not_canonical":0}' verify --json good.Native
prints 'a list' "good.RowBinary: row 1, column 's': small, 6 bytes
good.RowBinary: row 2, column 's': small, 2 bytes
good.RowBinary: row 3, column 's': small, 10 bytes
good.RowBinary: column 's', $u32: 3 states, 3 small; 18 bytes, 2 to 10 each; 0 invalid, 0 not canonical" \
    verify --list -S "k UInt8, s $u32" good.RowBinary

"$statewire" query -q '*' -f TSV --output-states hex -o good.hex.TSV good.Native
prints 'states in hex' "good.hex.TSV: column 's', $u32: 3 states, 3 small; 18 bytes, 2 to 10 each; 0 invalid, 0 not canonical" \
    verify -S "k UInt8, s $u32" --input-states hex good.hex.TSV

# finds NAME CODE EXPECTED_LINES ARGUMENT...
finds()
{
    name=$1
    code=$2
    expected=$3
    shift 3
    found=$("$statewire" verify "$@" 2>stderr)
    same "$name: exit code" "$code" $?
    same "$name" "$expected" "$found"
    same "$name: lines on stderr" 1 "$(wc -l <stderr | tr -d ' ')"
}

# A value twice in row 2: its end is known in every format.
{ printf '%s\n' "$header"; printf '1\t\\0\\x01\\x05\\0\\0\\0\n2\t\\0\\x02\\x05\\0\\0\\0\\x05\\0\\0\\0\n3\t\\0\\0\n'; } >twice.TSVWithNamesAndTypes
printf '\001\000\001\005\000\000\000\002\000\002\005\000\000\000\005\000\000\000\003\000\000' >twice.RowBinary
finds 'goes on in text' 117 "twice.TSVWithNamesAndTypes: row 2, column 's': $("$statewire" inspect --type "$u32" --hex 00020500000005000000 2>&1 | sed 's/: (while inspecting.*)\. (INC/. (INC/')
twice.TSVWithNamesAndTypes: column 's', $u32: 3 states, 2 small; 8 bytes, 2 to 6 each; 1 invalid, 0 not canonical" twice.TSVWithNamesAndTypes
contains 'and concludes' '1 of 3 states is invalid' "$(cat stderr)"
finds 'goes on in binary' 117 "twice.RowBinary: row 2, column 's', at byte 8: $("$statewire" inspect --type "$u32" --hex 00020500000005000000 2>&1 | sed 's/: (while inspecting.*)\. (INC/. (INC/')
twice.RowBinary: column 's', $u32: 3 states, 2 small; 8 bytes, 2 to 6 each; 1 invalid, 0 not canonical" -S "k UInt8, s $u32" twice.RowBinary

# A kind that there is not: nobody knows where the state ends, except in text.
{ printf '%s\n' "$header"; printf '1\t\\x02\n2\tnot a state\n3\t\\0\\0\n'; } >kinds.TSVWithNamesAndTypes
"$statewire" verify kinds.TSVWithNamesAndTypes >stdout 2>stderr
same 'unknown kinds: exit code' 117 $?
same 'unknown kinds: lines' 3 "$(wc -l <stdout | tr -d ' ')"
contains 'unknown kinds' '2 of 3 states are invalid' "$(cat stderr)"
printf '\001\000\000\002\007\003\000\000' >kinds.RowBinary
"$statewire" verify -S "k UInt8, s $u32" kinds.RowBinary >stdout 2>stderr
same 'stops: exit code' 117 $?
contains 'stops where it must' "while looking for the end of the state in row 2, column 's', at byte 4" "$(cat stdout)"
contains 'says so' '1 of 1 file was not read to the end' "$(cat stderr)"
contains 'and counts what it saw' '1 state, 1 small' "$(cat stdout)"
head -c 60 good.Native >cut.native
"$statewire" verify cut.native good.Native >stdout 2>stderr
same 'a file that was cut: exit code' 33 $?
contains 'and the next one' "good.Native: column 's'" "$(cat stdout)"

finds 'canonical by demand' 117 "good.TSVWithNamesAndTypes: row 3, column 's': The state is valid but not canonical: writing it gives other bytes
good.TSVWithNamesAndTypes: column 's', $u32: 3 states, 3 small; 18 bytes, 2 to 10 each; 0 invalid, 1 not canonical" \
    --require-canonical good.TSVWithNamesAndTypes
refuses 'no states' 36 'BAD_ARGUMENTS' verify --lines good.Native
"$statewire" query -q k -o numbers.native good.Native
contains 'a file without states' 'There is no column of states' "$("$statewire" verify numbers.native 2>/dev/null)"

# Single objects.
printf '\072\060\000\000\001\000\000\000\000\000\000\000\020\000\000\000\001\000' >set.roaring
prints 'a single object' 'set.roaring: RoaringPortable32: 1 state, 1 portable32; 18 bytes, 18 to 18 each; 0 invalid, 0 not canonical' \
    verify --type RoaringPortable32 set.roaring
printf '0000\n000101000000\n0002\n' >states.hex
"$statewire" verify --type "$u32" --input-encoding hex --lines states.hex >stdout 2>stderr
same 'lines: exit code' 33 $?
contains 'lines' 'states.hex: row 3: Code: 33' "$(cat stdout)"
contains 'lines go on' '3 states, 2 small' "$(cat stdout)"

# Sketches, top keys and ranges.
printf 'a\nb\na\n' | "$statewire" aggregate -S 'w String' --aggregates 'countMinSketch(2, 5)(w) AS c' -o sketch.native
contains 'a sketch' '1 state, 1 small' "$("$statewire" verify sketch.native)"
seq 1 300 | "$statewire" aggregate -S 'n UInt16' --aggregates 'countMinTopK(2, 2, 9)(n) AS t, countMinRanges(2, 9)(n) AS r' -o beyond.native
contains 'top keys' 'countMinTopK(2, 2, 9), UInt16): 1 state, 1 sketch' "$("$statewire" verify beyond.native)"
contains 'ranges' 'countMinRanges(2, 9), UInt16): 1 state, 1 levels' "$("$statewire" verify beyond.native)"
contains 'top keys in a list' '"kind":"sketch","bytes":' "$("$statewire" verify --json --list beyond.native)"
# The first total is no sum; where the state ends is known all the same.
printf '\000\001\002\000\000\000\000\000\000\000\001\007\001\000\000\000\000\000\000\000\000\000' >top.RowBinary
finds 'goes on behind top keys' 117 "top.RowBinary: row 1, column 's', at byte 0: Code: 117. DB::Exception: Incorrect count-min state at byte 2: expected the sum of the weights, 1, as the total weight, found 2. (INCORRECT_DATA)
top.RowBinary: column 's', AggregateFunction(countMinTopK(2, 1, 3), UInt8): 2 states, 1 small; 2 bytes, 2 to 2 each; 1 invalid, 0 not canonical" \
    -S 's AggregateFunction(countMinTopK(2, 1, 3), UInt8)' top.RowBinary

finish
