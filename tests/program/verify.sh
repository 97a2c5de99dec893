# `statewire verify`: every state of a file, also behind invalid ones.
parts=$(cd "$(dirname "$0")/../data/clickhouse/parts" && pwd)
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

# States inside of arrays and tuples, in every format: their columns and places.
nested="k UInt8, a Array($u32), t Tuple(x UInt8, u $u32), m Array(Tuple(Array($u32), String))"
two="['\0\x01\x05\0\0\0','\0\0']"
cat >nested.TSV <<END
1	$two	(7,'\0\0')	[($two,'x'),([],'y')]
2	[]	(8,'\0\x01\x09\0\0\0')	[]
END
# summary NAME    of such a file
summary()
{
    echo "$1: column 'a', $u32: 2 states, 2 small; 8 bytes, 2 to 6 each; 0 invalid, 0 not canonical
$1: column 't.u', $u32: 2 states, 2 small; 8 bytes, 2 to 6 each; 0 invalid, 0 not canonical
$1: column 'm.1', $u32: 2 states, 2 small; 8 bytes, 2 to 6 each; 0 invalid, 0 not canonical"
}
for format in Native RowBinary RowBinaryWithNames RowBinaryWithNamesAndTypes TSV TSVWithNamesAndTypes CSV JSONEachRow Values
do
    "$statewire" query -q '*' -S "$nested" -f $format -o in.$format nested.TSV
    "$statewire" verify -S "$nested" in.$format >stdout
    same "nested in $format: exit code" 0 $?
    same "nested in $format" "$(summary in.$format | sort)" "$(sort stdout)"
done
"$statewire" verify in.Native >stdout
same 'nested without a structure' "$(summary in.Native | sort)" "$(sort stdout)"
prints 'only the columns that are wanted' "in.Native: column 't.u', $u32: 2 states, 2 small; 8 bytes, 2 to 6 each; 0 invalid, 0 not canonical" \
    verify -S "t Tuple(x UInt8, u $u32)" in.Native
for states in hex base64
do
    "$statewire" query -q '*' -f TSV --output-states $states -o nested.$states.TSV in.Native
    "$statewire" verify -S "$nested" --input-states $states nested.$states.TSV >stdout
    same "nested in $states" "$(summary nested.$states.TSV | sort)" "$(sort stdout)"
    same "nested in $states and back" "$(cksum <in.Native)" \
        "$("$statewire" query -q '*' -f Native -S "$nested" --input-states $states nested.$states.TSV | cksum)"
done
"$statewire" verify --list in.Native >stdout
same 'places in a list' "in.Native: row 1, column 'a', element 1: small, 6 bytes
in.Native: row 1, column 'a', element 2: small, 2 bytes
in.Native: row 1, column 't.u': small, 2 bytes
in.Native: row 2, column 't.u': small, 6 bytes
in.Native: row 1, column 'm.1', element 1, 1: small, 6 bytes
in.Native: row 1, column 'm.1', element 1, 2: small, 2 bytes" "$(grep ': row' stdout)"
contains 'places in JSON' '"row":1,"column":"m.1","element":[1,2]' "$("$statewire" verify --list --json in.Native)"
contains 'one place in JSON' '"row":1,"column":"a","element":2,"offset":' "$("$statewire" verify --list --json in.Native)"

twice='\0\x02\x05\0\0\0\x05\0\0\0'
cat >twice.TSV <<END
1	[]	(1,'\0\0')	[]
2	['\0\0','$twice','\0\0']	(1,'$twice')	[([],''),(['$twice'],'')]
END
"$statewire" verify -S "$nested" twice.TSV >stdout 2>stderr
same 'nested and invalid: exit code' 117 $?
contains 'and concludes about all' '3 of 6 states are invalid' "$(cat stderr)"
contains 'an element' "twice.TSV: row 2, column 'a', element 2: " "$(cat stdout)"
contains "a tuple's element" "twice.TSV: row 2, column 't.u': " "$(cat stdout)"
contains 'an array in a tuple in an array' "twice.TSV: row 2, column 'm.1', element 2, 1: " "$(cat stdout)"
bad='\000\002\005\000\000\000\005\000\000\000'
printf "\\001\\000\\001\\000\\000\\000\\002\\002\\000\\000$bad\\001$bad\\001\\001$bad\\000" >twice.nested.RowBinary
"$statewire" verify -S "$nested" twice.nested.RowBinary >stdout 2>stderr
same 'nested and invalid in binary: exit code' 117 $?
contains 'goes on behind each of them' '3 of 5 states are invalid' "$(cat stderr)"
contains 'with the byte' "twice.nested.RowBinary: row 2, column 'a', element 2, at byte 10: " "$(cat stdout)"
contains 'in an array in a tuple in an array' "row 2, column 'm.1', element 1, 1, at byte 33: " "$(cat stdout)"

# Folders of parts.
for kind in wide_lz4 compact_zstd1 wide_none compact_none
do
    "$statewire" verify "$parts/$kind" >stdout 2>stderr
    same "the part $kind: exit code" 0 $?
    contains "the part $kind" "$kind: column 's', $u32: 5 states, " "$(cat stdout)"
done
for kind in wide_nested compact_nested compact_nested_mrk3
do
    "$statewire" verify "$parts/$kind" >stdout 2>stderr
    same "the part $kind: exit code" 0 $?
    contains "the part $kind: a tuple" "column 'ts.2', $u32: 10 states, 10 small; 60 bytes" "$(cat stdout)"
    contains "the part $kind: an array" "column 'sa', $u32: 20 states, 20 small; 120 bytes" "$(cat stdout)"
    contains "the part $kind: an array of tuples" "column 'ats.u', $u32: 13 states, 13 small; 78 bytes" "$(cat stdout)"
    contains "the part $kind: places" "row 8, column 'ats.u', element 3: small, 6 bytes" "$("$statewire" verify --list "$parts/$kind")"
    prints "the part $kind, one column" "$parts/$kind: column 'sa', $u32: 20 states, 20 small; 120 bytes, 6 to 6 each; 0 invalid, 0 not canonical" \
        verify -S "sa Array($u32)" "$parts/$kind"
done
# One value changed into another that is there already, with right checksums of its frame.
cp -r "$parts/wide_none" changed
rm changed/checksums.txt
printf '\000' | dd of=changed/s.bin bs=1 seek=33 conv=notrunc 2>dd.txt
"$statewire" compressor --fix-checksum changed/s.bin fixed.bin 2>fix.txt
mv fixed.bin changed/s.bin
"$statewire" verify changed >stdout 2>stderr
same 'a part with a bad state: exit code' 117 $?
contains 'a part with a bad state' "changed: row 2, column 's': Code: 117" "$(cat stdout)"
contains 'the others are read' '5 states, ' "$(cat stdout)"
contains 'and it concludes' '1 of 5 states is invalid' "$(cat stderr)"
# A kind that there is not, in an array.
cp -r "$parts/wide_nested" stopped
rm stopped/checksums.txt
"$statewire" compressor --decompress stopped/sa.bin sa.raw
printf '\002' | dd of=sa.raw bs=1 seek=30 conv=notrunc 2>dd.txt
rm stopped/sa.bin
"$statewire" compressor sa.raw stopped/sa.bin
"$statewire" verify -S "sa Array($u32)" stopped >stdout 2>stderr
same 'a part that cannot be read on: exit code' 117 $?
contains 'a part that cannot be read on' "while looking for the end of the state in row 3, column 'sa', element 2): (while reading granule 0" "$(cat stdout)"
contains 'counts what it saw' '5 states, 5 small' "$(cat stdout)"
cp -r "$parts/wide_lz4" damaged
printf 'x' >>damaged/s.bin
"$statewire" verify damaged >stdout 2>stderr
same 'a damaged part: exit code' 246 $?
contains 'a damaged part' 'damaged: stopped: Code: 246' "$(cat stdout)"

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
