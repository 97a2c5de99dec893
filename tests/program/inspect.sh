# What `statewire inspect` says of states, and how it takes them.
. "$(dirname "$0")/common.sh"

u8='AggregateFunction(groupBitmap, UInt8)'
i8='AggregateFunction(groupBitmap, Int8)'
u32='AggregateFunction(groupBitmap, UInt32)'
i64='AggregateFunction(groupBitmap, Int64)'
none='"containers":{"array":0,"bitset":0,"run":0}'

prints 'a small bitmap as text' \
    'type: AggregateFunction(groupBitmap, UInt8)
kind: small
bytes: 5
consumed: 5
canonical: true
cardinality: 3
min: 1
max: 3
containers.array: 0
containers.bitset: 0
containers.run: 0
container_bytes.array: 0
container_bytes.bitset: 0
container_bytes.run: 0' \
    inspect --type "$u8" --hex 0003010203
prints 'a small bitmap as JSON' \
    "{\"type\":\"$u8\",\"kind\":\"small\",\"bytes\":5,\"consumed\":5,\"canonical\":true,\"cardinality\":\"3\",\"min\":\"1\",\"max\":\"3\",$none}" \
    inspect --type "$u8" --hex 0003010203 --json
prints 'insertion order is legal, not canonical' \
    "{\"type\":\"$i8\",\"kind\":\"small\",\"bytes\":4,\"consumed\":4,\"canonical\":false,\"cardinality\":\"2\",\"min\":\"-2\",\"max\":\"-1\",$none}" \
    inspect --type "$i8" --hex 0002FFFE --json
prints 'an empty set has no ends' \
    "{\"type\":\"$u32\",\"kind\":\"small\",\"bytes\":2,\"consumed\":2,\"canonical\":true,\"cardinality\":\"0\",\"min\":null,\"max\":null,$none}" \
    inspect --type "$u32" --hex 0000 --json
prints 'an empty set has no values' '' inspect --type "$u32" --hex 0000 --values
prints 'a bitmap of few values is not canonical' \
    "{\"type\":\"$u32\",\"kind\":\"bitmap\",\"bytes\":10,\"consumed\":10,\"canonical\":false,\"cardinality\":\"0\",\"min\":null,\"max\":null,$none}" \
    inspect --type "$u32" --hex 01083a30000000000000 --json
prints 'a run of negative numbers' \
    "{\"type\":\"$i64\",\"kind\":\"bitmap\",\"bytes\":29,\"consumed\":29,\"canonical\":true,\"cardinality\":\"33\",\"min\":\"-33\",\"max\":\"-1\",\"containers\":{\"array\":0,\"bitset\":0,\"run\":1}}" \
    inspect --type "$i64" --hex 011b0100000000000000ffffffff3b30000001ffff20000100dfff2000 --json
prints 'values in numeric order, negative first' \
    '-20
-19
-18
-17
-16
-15
-14
-13
-12
-11
-10
-9
-8
-7
-6
-5
-4
-3
-2
-1
0
1
2
3
4
5
6
7
8
9
10
11
12' \
    inspect --type "$i8" --hex 01193B3001000300000C00FFFF1300010000000C000100ECFF1300 --values
prints 'small values in numeric order' '-2
1
5' inspect --type "$i8" --hex 000305fe01 --values

prints 'base64' '1
2
3' inspect --type 'AggregateFunction(groupBitmap, Int16)' --base64 AAMBAAIAAwA= --values
prints 'one object and then the values' '{"type":"AggregateFunction(groupBitmap, Int16)","kind":"small","bytes":8,"consumed":8,"canonical":true,"cardinality":"3","min":"1","max":"3","containers":{"array":0,"bitset":0,"run":0}}
1
2
3' inspect --type 'AggregateFunction(groupBitmap, Int16)' --base64 AAMBAAIAAwA= --json --values
printf '\000\003\001\002\003' >state.bin
prints 'a file' '1
2
3' inspect --type "$u8" --file state.bin --values
same 'stdin' '1
2
3' "$("$statewire" inspect --type "$u8" --file - --values <state.bin)"
prints 'the portable 32-bit form' \
    '{"type":"RoaringPortable32","kind":"portable32","bytes":22,"consumed":22,"canonical":true,"cardinality":"3","min":"1","max":"3","containers":{"array":1,"bitset":0,"run":0}}' \
    inspect --type RoaringPortable32 --hex 3a300000010000000000020010000000010002000300 --json
prints 'an empty portable 64-bit form' \
    "{\"type\":\"RoaringPortable64\",\"kind\":\"portable64\",\"bytes\":8,\"consumed\":8,\"canonical\":true,\"cardinality\":\"0\",\"min\":null,\"max\":null,$none}" \
    inspect --type RoaringPortable64 --hex 0000000000000000 --json

refuses 'bytes behind a state' 117 'INCORRECT_DATA' inspect --type "$u8" --hex 000301020304
prints 'bytes behind a state, allowed' \
    "{\"type\":\"$u8\",\"kind\":\"small\",\"bytes\":6,\"consumed\":5,\"canonical\":false,\"cardinality\":\"3\",\"min\":\"1\",\"max\":\"3\",$none}" \
    inspect --type "$u8" --hex 000301020304 --json --allow-trailing
refuses 'no bytes' 33 'CANNOT_READ_ALL_DATA' inspect --type "$u8" --hex ''
refuses 'a state of no kind' 117 "(while inspecting a state of type 'AggregateFunction(groupBitmap, UInt8)'). (INCORRECT_DATA)" \
    inspect --type "$u8" --hex 02
refuses 'a value twice' 117 'INCORRECT_DATA' inspect --type "$u8" --hex 0003010301
refuses 'odd hex' 117 'INCORRECT_DATA' inspect --type "$u8" --hex 000
refuses 'junk in hex' 117 'offset 2' inspect --type "$u8" --hex '00 0'
refuses 'junk in base64' 117 'INCORRECT_DATA' inspect --type "$u8" --base64 'AA*='
refuses 'base64 without padding' 117 'INCORRECT_DATA' inspect --type "$u8" --base64 'AA'
refuses 'two sources' 36 '--hex, --base64 and --file' inspect --type "$u8" --hex 0000 --base64 AAA=
refuses 'no source' 36 '--hex, --base64 and --file' inspect --type "$u8"
refuses 'no type' 36 'Bad arguments: --type is required' inspect --hex 0000
refuses 'a type without states' 36 'BAD_ARGUMENTS' inspect --type UInt8 --hex 00
refuses 'a type that there is not' 63 'UNKNOWN_AGGREGATE_FUNCTION' inspect --type 'AggregateFunction(groupBitmaps, UInt8)' --hex 0000
refuses 'an element type that there is not' 43 'ILLEGAL_TYPE_OF_ARGUMENT' inspect --type 'AggregateFunction(groupBitmap, String)' --hex 0000
refuses 'a file that is not there' 107 'FILE_DOESNT_EXIST' inspect --type "$u8" --file nowhere.bin
refuses 'estimates of a bitmap' 36 'BAD_ARGUMENTS' inspect --type "$u8" --hex 0000 --estimate 5

sketch=02011200000000000300000001cc930002000000000000000000000000000000
sketch=${sketch}02000000000000000000000000000000
header='"num_hashes":1,"num_buckets":3,"seed_hash":37836'
prints 'a count-min image with estimates' \
    "{\"type\":\"CountMinImage(UInt64)\",\"kind\":\"image\",\"bytes\":48,\"consumed\":48,\"canonical\":true,\"empty\":false,$header,\"total_weight\":\"2\",\"filled_cells\":1,\"estimates\":[{\"key\":\"u64:7\",\"estimate\":\"2\",\"lower\":\"1\",\"upper\":\"2\",\"datasketches_lower\":\"2\",\"datasketches_upper\":\"3\"},{\"key\":\"hex:0700000000000000\",\"estimate\":\"2\",\"lower\":\"1\",\"upper\":\"2\",\"datasketches_lower\":\"2\",\"datasketches_upper\":\"3\"}]}" \
    inspect --type 'CountMinImage(UInt64)' --hex $sketch --json --estimate u64:7 --estimate hex:0700000000000000
prints 'an empty image' \
    '{"type":"CountMinImage(Float64, 9001, libcxx)","kind":"image","bytes":16,"consumed":16,"canonical":true,"empty":true,"num_hashes":3,"num_buckets":5,"seed_hash":37836,"total_weight":"0","filled_cells":0,"estimates":[]}' \
    inspect --type 'CountMinImage(Float64, 9001, libcxx)' --hex 02011201000000000500000003cc9300 --json
contains 'an empty image with bytes behind it, allowed' '"bytes":18,"consumed":16' \
    "$("$statewire" inspect --type 'CountMinImage(UInt64)' --hex 02011201000000000500000003cc93000000 --json --allow-trailing)"
refuses 'an image of another seed' 117 'INCORRECT_DATA' inspect --type 'CountMinImage(UInt64, 1)' --hex $sketch
refuses 'an image of another width' 117 'INCORRECT_DATA' inspect --type 'CountMinImage(UInt32)' --hex $sketch
refuses 'a scheme that there is not' 36 'libstdcxx and libcxx' inspect --type "CountMinImage(UInt64, 9001, 'msvc')" --hex $sketch
refuses 'an image of strings' 43 'ILLEGAL_TYPE_OF_ARGUMENT' inspect --type 'CountMinImage(String)' --hex $sketch
refuses_text 'an image type that is no type' 62 'SYNTAX_ERROR' inspect --type 'CountMinImage(UInt64' --hex $sketch
refuses 'values of a sketch' 36 'BAD_ARGUMENTS' inspect --type 'CountMinImage(UInt64)' --hex $sketch --values

cms='AggregateFunction(countMinSketch(1, 3), UInt64)'
prints 'a sketch that was never fed' \
    "{\"type\":\"$cms\",\"kind\":\"small\",\"bytes\":2,\"consumed\":2,\"canonical\":true,\"empty\":true,$header,\"total_weight\":\"0\",\"filled_cells\":0,\"estimates\":[{\"key\":\"7\",\"estimate\":\"0\",\"lower\":\"0\",\"upper\":\"0\",\"datasketches_lower\":\"0\",\"datasketches_upper\":\"0\"}]}" \
    inspect --type "$cms" --hex 0000 --json --estimate 7
prints 'a sketch state' \
    "{\"type\":\"$cms\",\"kind\":\"sketch\",\"bytes\":50,\"consumed\":50,\"canonical\":true,\"empty\":false,$header,\"total_weight\":\"2\",\"filled_cells\":1,\"estimates\":[{\"key\":\"7\",\"estimate\":\"2\",\"lower\":\"1\",\"upper\":\"2\",\"datasketches_lower\":\"2\",\"datasketches_upper\":\"3\"}]}" \
    inspect --type "$cms" --hex 0130$sketch --json --estimate 7
refuses 'a sketch state of another shape' 117 'INCORRECT_DATA' inspect --type 'AggregateFunction(countMinSketch(1, 4), UInt64)' --hex 0130$sketch
answers=$("$statewire" inspect --type 'AggregateFunction(countMinSketch(2, 8), String)' --hex 000105000000000000000178\
0500000000000000 --json --estimate x --estimate "'x'" --estimate "'tis" | sed 's/.*"estimates"//' | grep -o '"estimate":"[0-9]*"' | tr '\n' ' ')
same 'a string key is bare or quoted' '"estimate":"5" "estimate":"5" "estimate":"0" ' "$answers"
refuses 'a key of another width' 36 'has 4 bytes' inspect --type "$cms" --hex 0000 --estimate u32:7
refuses 'a key that is no number' 72 'CANNOT_PARSE_NUMBER' inspect --type "$cms" --hex 0000 --estimate seven
refuses 'a key that is no number of its width' 72 'CANNOT_PARSE_NUMBER' inspect --type 'CountMinImage(UInt64)' --hex $sketch --estimate u8:256
contains 'a negative key' '"key":"-5","estimate":"0"' \
    "$("$statewire" inspect --type 'AggregateFunction(countMinSketch(1, 3), Int64)' --hex 0000 --json --estimate -5)"

# Top keys and ranges, small and large.
top='AggregateFunction(countMinTopK(2, 1, 3), UInt8)'
small_top=000205000000000000000107030000000000000001090200000000000000
bounds()
{
    printf '{"key":"%s","estimate":"%s","lower":"%s","upper":"%s"}' "$1" "$2" "$3" "$2"
}
prints 'top keys' \
    "{\"type\":\"$top\",\"kind\":\"small\",\"bytes\":30,\"consumed\":30,\"canonical\":true,\"empty\":false,$header,\"k\":2,\"capacity\":8,\"total_weight\":\"5\",\"candidates\":[$(bounds 7 3 3),$(bounds 9 2 2)],\"estimates\":[$(bounds 9 2 2),$(bounds 8 0 0)]}" \
    inspect --type "$top" --hex $small_top --json --estimate 9 --estimate 8
contains 'top keys for a person' 'candidates.1.key: 9
candidates.1.estimate: 2' "$("$statewire" inspect --type "$top" --hex $small_top)"
refuses 'a total that is no sum' 117 'the sum of the weights' inspect --type "$top" --hex 000206000000000000000107030000000000000001090200000000000000
refuses 'a key of another size' 36 '--estimate' inspect --type "$top" --hex $small_top --estimate u16:9
{ seq 1 400; yes 200 | head -n 50; } | sed 's/^/word/' | "$statewire" aggregate -S 'w String' --aggregates "countMinTopK(1, 5, 272)(w) AS t" -f RowBinary -o words.top
contains 'many top keys' '"kind":"sketch"' "$("$statewire" inspect --type 'AggregateFunction(countMinTopK(1, 5, 272), String)' --file words.top --json)"
contains 'strings in quotes' "\"k\":1,\"capacity\":4,\"total_weight\":\"450\",\"candidates\":[{\"key\":\"'word200'\",\"estimate\":\"5" \
    "$("$statewire" inspect --type 'AggregateFunction(countMinTopK(1, 5, 272), String)' --file words.top --json)"

ranges='AggregateFunction(countMinRanges(1, 3), Int8)'
small_ranges=00020300000000000000017f010000000000000001850200000000000000
prints 'ranges' \
    "{\"type\":\"$ranges\",\"kind\":\"small\",\"bytes\":30,\"consumed\":30,\"canonical\":true,\"empty\":false,$header,\"bits\":8,\"estimated_levels\":7,\"exact_levels\":2,\"total_weight\":\"3\",\"quantiles\":{\"0\":\"-1\",\"0.25\":\"-1\",\"0.5\":\"5\",\"0.75\":\"5\",\"0.99\":\"5\",\"1\":\"5\"},\"estimates\":[{\"range\":\"-5..4\",\"estimate\":\"1\",\"lower\":\"1\",\"upper\":\"1\"},{\"range\":\"5\",\"estimate\":\"2\",\"lower\":\"2\",\"upper\":\"2\"}]}" \
    inspect --type "$ranges" --hex $small_ranges --json --estimate -5..4 --estimate 5
contains 'ranges that were never fed' '"quantiles":{"0":null,' "$("$statewire" inspect --type "$ranges" --hex 0000 --json)"
refuses 'a range outside the type' 72 'CANNOT_PARSE_NUMBER' inspect --type "$ranges" --hex 0000 --estimate 0..128
refuses 'values of ranges' 36 'BAD_ARGUMENTS' inspect --type "$ranges" --hex 0000 --values
seq 1 300 | "$statewire" aggregate -S 'n UInt16' --aggregates "countMinRanges(2, 9)(n) AS r" -f RowBinary -o numbers.ranges
contains 'levels' '"kind":"levels"' "$("$statewire" inspect --type 'AggregateFunction(countMinRanges(2, 9), UInt16)' --file numbers.ranges --json)"
contains 'levels and their answers' '"estimates":[{"range":"0..65535","estimate":"300","lower":"300","upper":"300"}]' \
    "$("$statewire" inspect --type 'AggregateFunction(countMinRanges(2, 9), UInt16)' --file numbers.ranges --json --estimate 0..65535)"

# For a person: where the values lie, and what a sketch holds.
contains 'a plot of every number' 'density: 1 to 7, 1 numbers a column, at most 1 of them in the set
|███   █|' "$("$statewire" inspect --plot --type "$u8" --hex 000401020307)"
contains 'a plot of negative numbers' 'density: -2 to 1, 1 numbers a column, at most 1 of them in the set
|██ █|' "$("$statewire" inspect --plot --type "$i8" --hex 0003FEFF01)"
seq 0 2 100000 | "$statewire" convert --from IntegerList --to "$u32" -o even.state -
plot=$("$statewire" inspect --plot --type "$u32" --file even.state)
contains 'a plot of containers' 'density: 0 to 100000, 1283 numbers a column, at most 642 of them in the set' "$plot"
same 'the plot fits the terminal' 78 "$(printf '%s\n' "$plot" | tail -n 1 | sed 's/[^|]*|\(.*\)|/\1/; s/\xe2\x96./x/g' | tr -d '\n' | wc -c | tr -d ' ')"
same 'no plot unless stdout is a terminal' '' "$("$statewire" inspect --type "$u32" --file even.state | grep density)"
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1
then
    contains 'a plot on a terminal' '|███   █|' "$(script -qec "'$statewire' inspect --type '$u8' --hex 000401020307" /dev/null)"
else
    echo 'SKIPPED: no script to have a terminal'
fi
contains 'what containers take' 'container_bytes.bitset: 16384' "$plot"
contains 'the heaviest cells of a sketch' 'load: 33.3% of 3 cells
error: at most 1.81218788563936' "$("$statewire" inspect --type 'CountMinImage(UInt64)' --hex $sketch)"
contains 'and where they are' 'heaviest_cell: row 0, bucket 1, 2' "$("$statewire" inspect --type 'CountMinImage(UInt64)' --hex $sketch)"
contains 'the heaviest keys of a small state' 'heaviest_key: 7, exact weight 2' \
    "$("$statewire" inspect --type 'AggregateFunction(countMinSketch(1, 3), UInt64)' --hex 000102000000000000000807000000000000000200000000000000)"
java=0000000001000000003B3000000100002000010001002000
prints 'a layout that is read only' \
    '{"type":"RoaringJavaLegacy64","kind":"java64","bytes":24,"consumed":24,"canonical":null,"cardinality":"33","min":"1","max":"33","containers":{"array":0,"bitset":0,"run":1}}' \
    inspect --type RoaringJavaLegacy64 --hex $java --json

finish
