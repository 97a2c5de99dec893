# Reports about wrong answers (reference/user_reports.md A4), each with its right answer.
#
# Covered: R56 R60 R61 R62 R64 R65 R68 R69 R71 R75 R77.
# Not ours: R72 (bit-sliced indexes).
. "$(dirname "$0")/common.sh"

u8='AggregateFunction(groupBitmap, UInt8)'
u32='AggregateFunction(groupBitmap, UInt32)'
printf '\n' >one.tsv
# answers NAME EXPECTED EXPRESSION
answers() { prints "$1" "$2" query -S 'nothing String' -q "$3" one.tsv; }
functions=$("$statewire" query --help)
has()
{
    case $functions in
        *"  $1
"*) return 0 ;;
    esac
    echo "SKIPPED: there is no function $1"
    return 1
}

# R56: a small set is ordered, whatever the order of its bytes.
printf '\\0\\x05\\x05\\x04\\x01\\x02\\x03\n' >small.tsv
prints 'R56: a small set comes out in order' '[1,2,3,4,5]' query -S "s $u8" -q 'bitmapToArray(s)' small.tsv
has subBitmap && prints 'R56: a part of it too' '[3,4]' query -S "s $u8" -q 'bitmapToArray(subBitmap(s, 2, 2))' small.tsv
printf '1 10000' | "$statewire" convert --from IntegerList --to 'AggregateFunction(groupBitmap, UInt64)' --output-encoding escaped - >u64.tsv
prints 'R60: a 64-bit bitmap takes a probe of any width' '0	1' \
    query -S 's AggregateFunction(groupBitmap, UInt64)' -q 'bitmapContains(s, 200000000), bitmapContains(s, 10000)' u64.tsv

# R61: never fed is no empty set. One shard has {1..10}, the other no row, or the empty set.
and='AggregateFunction(1, groupBitmapAnd, AggregateFunction(groupBitmap, UInt32))'
if "$statewire" query -S "s $and" -q '1' one.tsv >/dev/null 2>kind.txt || ! grep -q -e UNKNOWN_AGGREGATE -e ILLEGAL_TYPE kind.txt
then
    ten='1\0\x0A'
    for i in 1 2 3 4 5 6 7 8 9 A; do ten="$ten\\x0$i\\0\\0\\0"; done
    printf '%s\n' "$ten" '0\0\0' >shards.tsv
    "$statewire" merge -S "s $and" shards.tsv -o and.native
    same 'R61: a shard that was never fed changes nothing' '310A' \
        "$("$statewire" query -q s -f RowBinary and.native | od -An -tx1 | tr -d ' \n' | sed 's/^\(..\)00\(..\).*/\1\2/' | tr a-f A-F)"
    printf '%s\n' '1\0\0' >>shards.tsv
    "$statewire" merge -S "s $and" shards.tsv -o and.native
    same 'R61: an empty set empties it' 310000 "$("$statewire" query -q s -f RowBinary and.native | od -An -tx1 | tr -d ' \n')"
else
    echo 'SKIPPED: R61: there is no groupBitmapAnd'
fi

# R62: any partition of the input gives the same bytes.
seq 1 7 50000 | awk '{ print $1 % 100 "\t" $1 }' >all.tsv
"$statewire" aggregate -S 'k UInt8, v UInt32' --keys k --aggregates 'groupBitmap(v) AS s' -o whole.native all.tsv
for parts in 2 3 7
do
    rm -f part*.tsv part*.native
    awk -v n=$parts '{ print > ("part" (NR % n) ".tsv") }' all.tsv
    for part in part*.tsv
    do
        "$statewire" aggregate -S 'k UInt8, v UInt32' --keys k --aggregates 'groupBitmap(v) AS s' -o "${part%.tsv}.native" "$part"
    done
    "$statewire" merge -o merged.native 'part*.native'
    same "R62: $parts parts merge into the whole" "$(cksum <whole.native)" "$(cksum <merged.native)"
    # R75: what was written and read is what it was.
    "$statewire" merge -o again.native merged.native
    same "R75: and merging what was written changes nothing ($parts)" "$(cksum <whole.native)" "$(cksum <again.native)"
done

tag1='bitmapBuild([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])'
tag2='bitmapBuild([6, 7, 8, 9, 10, 11, 12, 13, 14, 15])'
tag3='bitmapBuild([2, 4, 6, 8, 10, 12])'
answers 'R64: AND of three' '[6,8,10]	3' "bitmapToArray(bitmapAnd(bitmapAnd($tag1, $tag2), $tag3)), bitmapAndCardinality(bitmapAnd($tag1, $tag2), $tag3)"
answers 'R64: OR of three' 15 "bitmapCardinality(bitmapOr(bitmapOr($tag1, $tag2), $tag3))"
answers 'R64: XOR of three' '[1,3,5,6,8,10,11,13,14,15]' "bitmapToArray(bitmapXor(bitmapXor($tag1, $tag2), $tag3))"

has subBitmap && answers 'R65: one element: a part' '[1]	[]' 'bitmapToArray(subBitmap(bitmapBuild([1]), 0, 3)), bitmapToArray(subBitmap(bitmapBuild([1]), 2, 1))'
has bitmapSubsetInRange && answers 'R65: one element: a range' '[20221103]' 'bitmapToArray(bitmapSubsetInRange(bitmapBuild([20221103]), 0, 20221104))'

# R68: a union of arrays stays an array, in 4115 bytes.
seq 0 6 6141 | "$statewire" aggregate -S 'v UInt32' --aggregates 'groupBitmap(v) AS s' -o even.native -
seq 3 6 6141 | "$statewire" aggregate -S 'v UInt32' --aggregates 'groupBitmap(v) AS s' -o odd.native -
"$statewire" merge even.native odd.native -o union.native
"$statewire" query -q s -f RowBinary -o union.state union.native
same 'R68: the size of a union' 4115 "$(wc -c <union.state | tr -d ' ')"
same 'R68: its first bytes' 0190203a3000000100 "$(head -c 9 union.state | od -An -tx1 | tr -d ' \n')"
contains 'R68: its container' '"cardinality":"2048","min":"0","max":"6141","containers":{"array":1,"bitset":0,"run":0}' \
    "$("$statewire" inspect --type "$u32" --file union.state --json)"

# R69, R71: what is left of a set without itself, of a full one too.
seq 0 99 | "$statewire" aggregate -S 'v UInt32' --aggregates 'groupBitmap(v) AS s' -o range.native -
prints 'R69: a range without itself' '[]' query -q 'bitmapToArray(bitmapAndnot(s, s))' range.native
seq 0 5104233 | "$statewire" convert --from IntegerList --to "$u32" --output-encoding escaped - >full.tsv
prints 'R71: a full set of 5104234 rows' '5104234	0	0	0' query -S "s $u32" \
    -q 'bitmapCardinality(s), bitmapAndnotCardinality(s, s), bitmapXorCardinality(s, s), bitmapCardinality(bitmapAndnot(s, s))' full.tsv

# R77: another writer's image: the right value, or refused.
image=02011200000000000300000001cc930002000000000000000000000000000000
image=${image}02000000000000000000000000000000
contains 'R77: a table of DataSketches' '"total_weight":"2"' "$("$statewire" inspect --type 'CountMinImage(UInt64)' --hex $image --json)"
refuses 'R77: a version that there is not' 117 'INCORRECT_DATA' inspect --type 'CountMinImage(UInt64)' --hex "$(echo $image | sed 's/^0201/0202/')"
refuses 'R77: another family of sketches' 117 'INCORRECT_DATA' inspect --type 'CountMinImage(UInt64)' --hex "$(echo $image | sed 's/^020112/020103/')"

finish
