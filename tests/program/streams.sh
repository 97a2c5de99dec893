# Plain .zst and .lz4 files around what the program reads and writes, by name and by option.
. "$(dirname "$0")/common.sh"

printf '1\tfoo\n2\tbar\n1\tbaz\n' > in.tsv
aggregate()
{
    "$statewire" aggregate -S 'u UInt32, p String' --keys p --aggregates 'groupBitmap(u) AS b' "$@"
}
aggregate in.tsv -o plain.native
for kind in zst lz4; do
    aggregate in.tsv -o "by_name.native.$kind"
    aggregate in.tsv --compression ".$kind" > by_option
    same "$kind: by option as by name" "$(cksum < "by_name.native.$kind")" "$(cksum < by_option)"
    prints "$kind: read by name" "$("$statewire" query -q 'p, bitmapCardinality(b)' plain.native)" \
        query -q 'p, bitmapCardinality(b)' "by_name.native.$kind"
    same "$kind: read by option" "$("$statewire" query -q p plain.native)" \
        "$("$statewire" query -q p --input-compression "$kind" --input-format Native < by_option)"
    head -c 15 by_option > cut
    refuses "$kind: a cut one" 33 'Cannot read all data' query -q p --input-compression "$kind" --input-format Native cut
    tool=$([ $kind = zst ] && echo zstd || echo lz4)
    command -v $tool > /dev/null 2>&1 || continue
    same "$kind: $tool opens it" "$(cksum < plain.native)" "$($tool -q -d -c < by_option | cksum)"
    $tool -q -c < in.tsv > "in.tsv.$kind"
    aggregate "in.tsv.$kind" > again
    same "$kind: what $tool wrote is read" "$(cksum < plain.native)" "$(cksum < again)"
done
for kind in zst lz4; do
    printf '3 1 2' | "$statewire" convert --from IntegerList --to RoaringPortable32 -o "set.roaring.$kind" -
    prints "$kind: convert reads what it wrote" '1
2
3' convert --from RoaringPortable32 --to IntegerList "set.roaring.$kind"
done

finish
