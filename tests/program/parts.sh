# A folder of a MergeTree part is an input like a file.
parts=$(cd "$(dirname "$0")/../data/clickhouse/parts" && pwd)
. "$(dirname "$0")/common.sh"

for kind in wide_lz4 wide_zstd1 compact_none compact_lz4hc9; do
    prints "$kind" '0	0
1	3' query -q 'k, bitmapCardinality(s) WHERE k < 2' "$parts/$kind"
done
prints 'columns by name' '0	0
1	10' query -q 'k, bitmapCardinality(s) LIMIT 2' -S 's AggregateFunction(groupBitmap, UInt32), k UInt32' "$parts/wide_types/"
for kind in wide compact
do
    prints "$kind: a dictionary" '4	lc
5	lc' query -q 'k, lc LIMIT 2' --granule 1 "$parts/${kind}_types"
    "$statewire" aggregate --keys lc --aggregates 'groupBitmap(k) AS n' -o lc.native "$parts/${kind}_types"
    prints "$kind: a dictionary as key" 'lc	10' query -q 'lc, bitmapCardinality(n)' lc.native
done
refuses 'a column of another type' 53 'has type LowCardinality(String), expected String' query -q 'lc' -S 'lc String' "$parts/wide_types"

# merge reads parts as it reads files, streaming or not, more of them than are opened at once, and beside files.
for kind in wide_lz4 compact_none
do
    "$statewire" query -q 'k, s' -o $kind.native "$parts/$kind"
    "$statewire" merge -k k -o $kind.merged $kind.native $kind.native
    same "merge $kind" "$(cksum <$kind.merged)" "$("$statewire" merge -k k -S 'k UInt32, s AggregateFunction(groupBitmap, UInt32)' \
        "$parts/$kind" "$parts/$kind" | cksum)"
    same "merge --sort $kind" "$(cksum <$kind.merged)" "$("$statewire" merge --sort -k k -S 'k UInt32, s AggregateFunction(groupBitmap, UInt32)' \
        "$parts/$kind" $kind.native | cksum)"
    i=0
    set --
    while [ $i -lt 150 ]
    do
        set -- "$@" "$parts/$kind"
        i=$((i + 1))
    done
    same "merge $kind many times" "$(cksum <$kind.merged)" \
        "$("$statewire" merge -k k -S 'k UInt32, s AggregateFunction(groupBitmap, UInt32)' "$@" | cksum)"
done
refuses 'merge of a part that is not there' 107 'FILE_DOESNT_EXIST' merge "$parts/nowhere"

cp -r "$parts/wide_lz4" damaged
printf 'x' >>damaged/s.bin
refuses 'a damaged part' 246 'CORRUPTED_DATA' query -q 'k' damaged
refuses 'a damaged part names itself' 246 "in file 'damaged'" merge -k k damaged

# Tables in use: a projection, deleted rows, a column with a codec that is not read.
for kind in wide compact
do
    prints "$kind: a projection" '0	0
1	1' query -q 'k, t LIMIT 2' "$parts/${kind}_projection"
    prints "$kind: deleted rows" '0	0	0
2	2	2
3	3	3
8	8	8' query -q 'k, bitmapCardinality(s), t' "$parts/${kind}_deleted"
    prints "$kind: other codecs" '0	0
1	1' query -q 'bitmapCardinality(s), t LIMIT 2' "$parts/${kind}_codecs"
    refuses_text "$kind: all columns, not all of which are read" 176 "* at position 1 asks: column 'k', of type UInt32: It has a codec that is not read" \
        query -q '*' "$parts/${kind}_codecs"
    refuses_text "$kind: one that is not read" 176 "Cannot read column 'k' at position 9, of type UInt32" query -q 't WHERE k > 1' "$parts/${kind}_codecs"
    contains "$kind: verify looks at deleted states too" '10 states' "$("$statewire" verify "$parts/${kind}_deleted")"
    prints "$kind: one granule" '4	4
5	5
6	6
7	7' query -q 'k, t' --granule 1 "$parts/${kind}_projection"
    prints "$kind: one granule with deleted rows" '8	8' query -q 'k, t' --granule 2 "$parts/${kind}_deleted"
    refuses "$kind: a granule that there is not" 69 'There is no granule 3' query -q 'k' --granule 3 "$parts/${kind}_projection"
    contains "$kind: verify of one granule" '4 states' "$("$statewire" verify --granule 1 "$parts/${kind}_projection")"
done
refuses 'a granule of a file' 36 '--granule is for folders of parts' query -q 'k' --granule 0 wide_lz4.native
contains 'verify reads all files' 'CHECKSUM_DOESNT_MATCH' "$(cp -r "$parts/wide_lz4" other && printf 'x' | dd of=other/k.bin bs=1 seek=30 conv=notrunc 2>/dev/null && "$statewire" verify other 2>&1)"
prints 'marks that do not say their rows' '4
5
6
7' query -q k --index-granularity 4 --granule 1 "$parts/wide_mrk"
refuses 'and nobody says them' 117 "the table's index_granularity may be another" query -q k "$parts/wide_mrk"

# Columns that a query does not look at are not read, and so may be damaged.
cp -r "$parts/wide_lz4" half
printf 'x' | dd of=half/s.bin bs=1 seek=30 conv=notrunc 2>/dev/null
prints 'a column alone' '0
1
2
3
4' query -q k half
prints 'in an expression, WHERE and ORDER BY' '5
4' query -q 'k + 1 AS n WHERE k > 2 ORDER BY k DESC' half
prints 'no column at all' '1
1' query -q '1 LIMIT 2' half half
refuses 'all columns' 40 'half/s.bin' query -q '*' half
refuses 'the damaged one' 40 'half/s.bin' query -q 'k ORDER BY bitmapCardinality(s)' half
prints 'parts and files' '0
1' query -q 'k LIMIT 2' half "$parts/wide_lz4" wide_lz4.native

finish
