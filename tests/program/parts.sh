# A folder of a MergeTree part is an input like a file.
parts=$(cd "$(dirname "$0")/../data/clickhouse/parts" && pwd)
. "$(dirname "$0")/common.sh"

for kind in wide_lz4 wide_zstd1 compact_none compact_lz4hc9; do
    prints "$kind" '0	0
1	3' query -q 'k, bitmapCardinality(s) WHERE k < 2' "$parts/$kind"
done
prints 'columns by name' '0	0
1	10' query -q 'k, bitmapCardinality(s) LIMIT 2' -S 's AggregateFunction(groupBitmap, UInt32), k UInt32' "$parts/wide_types/"
refuses 'a column of a type that is not read' 48 'NOT_IMPLEMENTED' query -q 'lc' -S 'lc String' "$parts/wide_types"

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
finish
