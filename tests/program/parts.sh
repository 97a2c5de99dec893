# A folder of a MergeTree part is an input like a file.
parts=$(cd "$(dirname "$0")/../data/clickhouse/parts" && pwd)
. "$(dirname "$0")/common.sh"

for kind in wide_lz4 wide_zstd1 compact_none compact_lz4hc9; do
    prints "$kind" '0	0
1	3' query -q 'k, bitmapCardinality(s) WHERE k < 2' "$parts/$kind"
done
prints 'columns by name' '0	0
1	10' query -q 'k, bitmapCardinality(s) LIMIT 2' -S 's AggregateFunction(groupBitmap, UInt32), k UInt32' "$parts/wide_types/"
refuses 'a column of a type that is not read' 50 'UNKNOWN_TYPE' query -q 'lc' -S 'lc String' "$parts/wide_types"
cp -r "$parts/wide_lz4" damaged
printf 'x' >>damaged/s.bin
refuses 'a damaged part' 246 'CORRUPTED_DATA' query -q 'k' damaged
finish
