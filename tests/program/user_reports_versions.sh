# Reports about versions, replicas and buffers (reference/user_reports.md A6), each with its right answer.
#
# Covered: R92 R94 R96 R97 R98 R99 R102.
# Not ours: R93 (avg), R95 (history), R100 and R103 (the library's own tests: buffers, allocation).
. "$(dirname "$0")/common.sh"

u8='AggregateFunction(groupBitmap, UInt8)'
u32='AggregateFunction(groupBitmap, UInt32)'

# golden TYPE LIST HEX: the bytes that the engine writes, kept forever; bitmaps of at most 32 values in ascending order of their bytes
golden()
{
    same "R94: $1 of $2" "$3" "$(printf '%s' "$2" | "$statewire" convert --from IntegerList --to "AggregateFunction(groupBitmap, $1)" --output-encoding hex)"
    same "R94: and back from $3" "$(printf '%s' "$2" | tr ' ' '\n' | sort -n)" \
        "$("$statewire" inspect --type "AggregateFunction(groupBitmap, $1)" --hex "$3" --values)"
}
golden Int16 '1 2 3' 0003010002000300
golden UInt16 '0 1 2 3 4' 000500000100020003000400
golden UInt8 '5 4 1 2 3' 00050102030405
golden UInt32 '3 19 47' 000303000000130000002F000000
golden Int32 '-1 1 2' 00030100000002000000FFFFFFFF
golden UInt32 "$(seq -s' ' 1 33)" 010F3B3000000100002000010001002000
golden UInt64 "$(seq -s' ' 1 33)" 011B0100000000000000000000003B3000000100002000010001002000
golden Int8 "$(seq -s' ' -33 -1)" 010F3B30000001FFFF20000100DFFF2000
golden Int64 "$(seq -s' ' -33 -1)" 011B0100000000000000FFFFFFFF3B30000001FFFF20000100DFFF2000
golden UInt64 "$(seq -s' ' 4294967279 4294967311)" \
    012E0200000000000000000000003B30000001FFFF10000100EFFF1000010000003B3000000100000F00010000000F00

# R92, R96: groupBitmap has one version, so nobody has to choose; the combining functions have two, and both are read.
refuses 'R92: no second version of groupBitmap' 36 'BAD_ARGUMENTS' inspect --type 'AggregateFunction(1, groupBitmap, UInt32)' --hex 0000
contains 'R96: version 0 is the type itself' '"cardinality":"0"' "$("$statewire" inspect --json --type 'AggregateFunction(0, groupBitmap, UInt32)' --hex 0000)"

# R97: equal sets in other orders are other bytes, until they are written canonically.
same 'R97: insertion order is not canonical' '1 not canonical' \
    "$(printf '00050504010203\n00050102030405\n' | "$statewire" verify --type "$u8" --input-encoding hex --lines - | sed 's/.*invalid, //')"
same 'R97: converting makes them equal' '00050102030405
00050102030405' "$(printf '00050504010203\n00050102030405\n' |
    "$statewire" convert --lines --from "$u8" --to "$u8" --input-encoding hex --output-encoding hex)"

# R98: the type travels with the data, and another one does not merge.
printf '1\t2\n' | "$statewire" aggregate -S 'k UInt8, v UInt32' --keys k --aggregates 'groupBitmap(v) AS s' -o u32.native -
printf '1\t2\n' | "$statewire" aggregate -S 'k UInt8, v UInt64' --keys k --aggregates 'groupBitmap(v) AS s' -o u64.native -
refuses 'R98: states of other types do not merge' 53 "(in file 'u64.native'). (TYPE_MISMATCH)" merge u32.native u64.native

# R99: what fails leaves no part of a file.
refuses 'R99: a command that fails' 72 'CANNOT_PARSE_NUMBER' convert --from IntegerList --to "$u32" -o never.state - <<'LIST'
1 2 three
LIST
same 'R99: leaves nothing' '' "$(ls | grep never)"

# R102: an edited file gets its checksum back.
printf 'Hello, world' | "$statewire" compressor --none >frame.bin
sed 's/world/earth/' frame.bin >edited.bin
refuses 'R102: the edit is noticed' 40 'CHECKSUM_DOESNT_MATCH' compressor -d edited.bin
"$statewire" compressor --fix-checksum edited.bin fixed.bin 2>/dev/null
same 'R102: and mended' 'Hello, earth' "$("$statewire" compressor -d fixed.bin)"

finish
