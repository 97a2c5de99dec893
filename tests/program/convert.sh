# `statewire convert`: layouts of bitmaps and sketches into each other.
. "$(dirname "$0")/common.sh"

u32='AggregateFunction(groupBitmap, UInt32)'
u64='AggregateFunction(groupBitmap, UInt64)'
i8='AggregateFunction(groupBitmap, Int8)'
i32='AggregateFunction(groupBitmap, Int32)'
i64='AggregateFunction(groupBitmap, Int64)'

# converts NAME EXPECTED FROM TO TEXT: hexadecimal or list in, hexadecimal or list out
converts()
{
    in=hex
    out=hex
    [ "$3" = IntegerList ] && in=raw
    [ "$4" = IntegerList ] && out=raw
    found=$(printf '%s' "$5" | "$statewire" convert --from "$3" --to "$4" --input-encoding "$in" --output-encoding "$out" 2>stderr)
    same "$1: exit code" 0 $?
    same "$1" "$2" "$found"
    same "$1: stderr" '' "$(cat stderr)"
}
# cannot NAME CODE PART FROM TO TEXT
cannot()
{
    in=hex
    [ "$4" = IntegerList ] && in=raw
    printf '%s' "$6" | "$statewire" convert --from "$4" --to "$5" --input-encoding "$in" >stdout 2>stderr
    same "$1: exit code" "$2" $?
    contains "$1: stderr" "$3" "$(cat stderr)"
    same "$1: stdout" '' "$(cat stdout)"
}

run33=3B3000000100002000010001002000
converts 'a list into a small state' 000303000000130000002F000000 IntegerList "$u32" '19, 3,47'
converts 'a list into a bitmap' "010F$run33" IntegerList "$u32" "$(seq 1 33)"
converts 'a list in brackets into 64 bits' "011B010000000000000000000000$run33" IntegerList "$u64" "[$(seq -s, 1 33)]"
converts 'an empty list' 0000 IntegerList "$u32" ''
converts 'a state into a list' '3
19
47' "$u32" IntegerList 000303000000130000002f000000
converts 'a signed state into a list' '-2
5' "$i8" IntegerList 000205FE
converts 'a state into the portable form' "$run33" "$u32" RoaringPortable32 "010F$run33"
converts 'a 64-bit state into the portable form' "010000000000000000000000$run33" "$u64" RoaringPortable64 "011B010000000000000000000000$run33"
converts 'a portable form into a state' "010F$run33" RoaringPortable32 "$u32" "$run33"
converts '32 bits into 64' "011B010000000000000000000000$run33" RoaringPortable32 "$u64" "$run33"
converts '64 bits into 32' "010F$run33" "$u64" "$u32" "011B010000000000000000000000$run33"
converts 'a small portable form' 000101000000 RoaringPortable32 "$u32" 3a3000000100000000000000100000000100
converts 'a negative number keeps its bits in a layout' 3A30000001000000FFFF000010000000FFFF "$i32" RoaringPortable32 0001FFFFFFFF
converts 'and gets its sign back' 0001FFFFFFFF RoaringPortable32 "$i32" 3A30000001000000FFFF000010000000FFFF
converts 'a negative number in 64 bits' 0001FFFFFFFFFFFFFFFF "$i32" "$i64" 0001FFFFFFFF
converts 'and back' 0001FFFFFFFF "$i64" "$i32" 0001FFFFFFFFFFFFFFFF
converts 'the layout of Java' "010000000000000000000000$run33" RoaringJavaLegacy64 RoaringPortable64 "000000000100000000$run33"
converts 'a bitmap value of Doris' '1
3
5' DorisBitmapValue IntegerList 0503010000000000000003000000000000000500000000000000

cannot 'a value that is too large' 72 "Cannot parse '4294967296' at byte 0" IntegerList "$u32" 4294967296
cannot 'a wide value in 32 bits' 69 'The value 4294967296 does not fit RoaringPortable32' "$u64" RoaringPortable32 00010000000001000000
cannot 'a negative value without a sign' 69 'The value -1 does not fit' "$i32" "$u64" 0001FFFFFFFF
cannot 'a large value with a sign' 69 'does not fit' "$u64" "$i64" 0001FFFFFFFFFFFFFFFF
cannot 'a value beyond the element' 69 '' "$u32" "$i8" 000180000000
cannot 'no integer' 72 "Cannot parse 'x' at byte 2" IntegerList "$u32" '1 x'
cannot 'an integer of another type' 72 "Cannot parse '-1' at byte 0" IntegerList "$u32" '-1'
cannot 'bytes behind a state' 117 'Bytes behind the bitmap at byte 2' "$u32" IntegerList 000000
cannot 'a layout that is read only' 48 'is read only' IntegerList RoaringFrozen32 1
cannot 'a bitmap as a sketch' 70 'both must be bitmaps' "$u32" 'CountMinImage(UInt64)' 0000

# Frozen: one array {1, 2, 3} under key 0; the header is at the end.
converts 'the frozen form' '1
2
3' RoaringFrozen32 IntegerList 0100020003000000020002C6B50000

# Encodings and lines.
same 'base64' 'AAMBAAIAAwA=' "$(echo 1 2 3 | "$statewire" convert --from IntegerList --to 'AggregateFunction(groupBitmap, Int16)' --output-encoding base64)"
same 'lines of lists' '0000
000101000000
00020100000002000000' "$(printf '\n1\n[2,1]\n' | "$statewire" convert --lines --from IntegerList --to "$u32" --output-encoding hex)"
same 'lines of states' '[]
[1]
[1,2]' "$(printf '0000\n000101000000\n00020100000002000000' | "$statewire" convert --lines --from "$u32" --to IntegerList --input-encoding hex)"
printf '1,2\n9,10,13\n' | "$statewire" convert --lines --from IntegerList --to "$u32" --output-encoding escaped >states.tsv
prints 'escaped lines are TabSeparated' '[1,2]
[9,10,13]' query -S "s $u32" -q 'bitmapToArray(s)' states.tsv
same 'and come back' '[1,2]
[9,10,13]' "$("$statewire" convert --lines --from "$u32" --to IntegerList --input-encoding escaped states.tsv)"
printf '1\nx\n' >lists.txt
refuses 'a bad line' 72 '(in line 2): (in file '"'lists.txt')" convert --lines --from IntegerList --to "$u32" --output-encoding hex -o out.txt lists.txt
same 'and no output' '' "$(ls out.txt 2>/dev/null)"
refuses 'raw lines' 36 'With --lines, states are text' convert --lines --from IntegerList --to "$u32" lists.txt
refuses 'an encoding for a list' 36 'has no meaning for it' convert --from IntegerList --to "$u32" --input-encoding hex lists.txt
refuses 'an unknown encoding' 36 "Unknown encoding 'octal'" convert --from IntegerList --to "$u32" --output-encoding octal lists.txt
refuses 'two objects' 36 '2 inputs, and one object each' convert --from IntegerList --to "$u32" lists.txt lists.txt
refuses 'an unknown type' 36 'Unknown type of state' convert --from Roaring --to "$u32" lists.txt

# A million values through a pipe, both ways.
seq 1 3 3000000 | "$statewire" convert --from IntegerList --to "$u32" -o million.state -
same 'a long list' "$(seq 1 3 3000000 | cksum)" "$("$statewire" convert --from "$u32" --to IntegerList million.state | cksum)"

# Sketches. 1 x 3 cells, one key 7 of weight 2; a state of it is small.
image=02011200000000000300000001CC930002000000000000000000000000000000
image=${image}02000000000000000000000000000000
state="AggregateFunction(countMinSketch(1, 3), UInt64)"
converts 'an image into a state' "0130$image" 'CountMinImage(UInt64)' "$state" $image
converts 'a state into an image' $image "$state" 'CountMinImage(UInt64)' "0130$image"
converts 'a small state into an image' $image "$state" 'CountMinImage(UInt64)' 000102000000000000000807000000000000000200000000000000
converts 'a small state into another scheme' 000102000000000000000807000000000000000200000000000000 \
    "$state" "AggregateFunction(countMinSketch(1, 3, 9001, 'libcxx'), UInt64)" 000102000000000000000807000000000000000200000000000000
converts 'narrower weights' 02011200000000000300000001CC930002000000000000000200000000000000 \
    'CountMinImage(UInt64)' 'CountMinImage(UInt32)' $image
converts 'an empty image' 0000 'CountMinImage(UInt64)' "$state" 02011201000000000300000001cc9300
converts 'an empty state' 02011201000000000300000001CC9300 "$state" 'CountMinImage(UInt64)' 0000
cannot 'another scheme' 70 'row seeds libstdcxx into one of row seeds libcxx' 'CountMinImage(UInt64)' 'CountMinImage(UInt64, 9001, libcxx)' $image
cannot 'another seed' 70 'seed 9001 into one of seed 1' 'CountMinImage(UInt64)' 'CountMinImage(UInt64, 1)' $image
cannot 'another shape' 70 'num_buckets 3 into one of num_buckets 4' 'CountMinImage(UInt64)' 'AggregateFunction(countMinSketch(1, 4), UInt64)' $image
cannot 'another key' 70 "keys' types differ" "$state" 'AggregateFunction(countMinSketch(1, 3), UInt32)' "0130$image"
cannot 'a damaged image' 117 '' 'CountMinImage(UInt64)' "$state" "$(echo $image | sed 's/CC930002/CC930003/')"

finish
