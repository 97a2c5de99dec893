# Reports about building and reading states outside of the server (reference/user_reports.md A1), each with its right answer.
#
# Covered: R01 R02 R03 R04 R05 R06 R07 R08 R11 R13 R14 R16 R17.
# Not ours: R09 (JDBC), R10 (POJO), R12 (Go client), R15 (connectors).
. "$(dirname "$0")/common.sh"

u32='AggregateFunction(groupBitmap, UInt32)'
u64='AggregateFunction(groupBitmap, UInt64)'
list_to_hex() { "$statewire" convert --from IntegerList --to "$1" --output-encoding hex; }
cardinality() { "$statewire" inspect --type "$1" --hex "$2" --json | sed 's/.*"cardinality":"\([0-9]*\)".*/\1/'; }

same 'R01: a state from a list of ids' 010F3B3000000100002000010001002000 "$(seq 1 33 | list_to_hex "$u32")"
same 'R01: which loads' 33 "$(cardinality "$u32" 010F3B3000000100002000010001002000)"
refuses 'R02: raw portable bytes are no state' 117 'INCORRECT_DATA' inspect --type "$u64" --hex 3B3000000100002000010001002000
prints 'R03: a small state is kind, count and numbers, no Roaring image' '1
2
3' inspect --type 'AggregateFunction(groupBitmap, Int16)' --hex 0003010002000300 --values
prints 'R04: a state in base64' '1
2
3' inspect --type 'AggregateFunction(groupBitmap, Int16)' --base64 AAMBAAIAAwA= --values
same 'R04: and into base64' AAMBAAIAAwA= \
    "$(printf '1,2,3' | "$statewire" convert --from IntegerList --to 'AggregateFunction(groupBitmap, Int16)' --output-encoding base64)"
printf 'bitmapBuild([1])\n' >call.tsv
refuses 'R05: a call as text is no state' 117 'INCORRECT_DATA' query -S "s $u32" -q s call.tsv

# R06: 29 and 18 bytes, one behind the other.
{ seq 1 33 | "$statewire" convert --from IntegerList --to "$u64" -; printf '1 2' | "$statewire" convert --from IntegerList --to "$u64" -; } >rows.RowBinary
prints 'R06: two rows behind each other' '33
2' query -S "s $u64" -q 'bitmapCardinality(s)' rows.RowBinary
prints 'R06: each took its own bytes' \
    "{\"event\":\"state\",\"file\":\"rows.RowBinary\",\"row\":1,\"column\":\"s\",\"offset\":0,\"kind\":\"bitmap\",\"bytes\":29,\"canonical\":true}
{\"event\":\"state\",\"file\":\"rows.RowBinary\",\"row\":2,\"column\":\"s\",\"offset\":29,\"kind\":\"small\",\"bytes\":18,\"canonical\":true}
{\"event\":\"file\",\"file\":\"rows.RowBinary\",\"rows\":2,\"columns\":[{\"column\":\"s\",\"type\":\"$u64\",\"states\":2,\"invalid\":0,\"not_canonical\":0,\"kinds\":{\"bitmap\":1,\"small\":1},\"bytes\":47,\"smallest\":18,\"largest\":29}]}
{\"event\":\"summary\",\"files\":1,\"stopped\":0,\"states\":2,\"invalid\":0,\"not_canonical\":0}" \
    verify --json --list -S "s $u64" rows.RowBinary

for last in 62 64
do
    hex=$(seq 0 2 $last | list_to_hex "$u64")
    same "R07: {0, 2, .., $last} comes back" "$(seq 0 2 $last)" "$("$statewire" inspect --type "$u64" --hex "$hex" --values)"
    same "R07: the kind of {0, 2, .., $last}" $([ $last = 62 ] && echo 00 || echo 01) "$(printf '%s' "$hex" | cut -c 1-2)"
done
same 'R08: 49 values are one run in 29 bytes' 011B0100000000000000000000003B3000000100003000010001003000 "$(seq 1 49 | list_to_hex "$u64")"

# R11: cut anywhere, a state is an error; split anywhere, it is itself.
seq 0 2 64 | "$statewire" convert --from IntegerList --to "$u64" -o split.state -
size=$(wc -c <split.state | tr -d ' ')
good=0
cut=0
i=1
while [ "$i" -lt "$size" ]
do
    if sampled
    then
        head -c "$i" split.state | "$statewire" inspect --type "$u64" --file - >/dev/null 2>&1 || cut=$((cut + 1))
        good=$((good + 1))
    fi
    if [ $((i % 8)) -eq 0 ]
    then
        { head -c "$i" split.state; sleep 0.01; tail -c +$((i + 1)) split.state; } | "$statewire" inspect --type "$u64" --file - --values >split.txt
        [ "$(cat split.txt)" = "$(seq 0 2 64)" ] || fail "R11: split at $i"
    fi
    i=$((i + 1))
done
same 'R11: every cut is an error' "$good" "$cut"

same 'R13: the reader says how long a state is' 5 "$("$statewire" inspect --type 'AggregateFunction(groupBitmap, UInt8)' --hex 0003010203FFFF --allow-trailing --json | sed 's/.*"consumed":\([0-9]*\).*/\1/')"
printf 'k\ts\nUInt8\tAggregateFunction(uniqCombined, UInt64)\n1\t\\0\n' >unknown.TSVWithNamesAndTypes
refuses 'R14: an unknown state is one clear error' 63 'UNKNOWN_AGGREGATE_FUNCTION' query -q k unknown.TSVWithNamesAndTypes
refuses 'R14: in verify too' 63 "(UNKNOWN_AGGREGATE_FUNCTION)" inspect --type 'AggregateFunction(uniqCombined, UInt64)' --hex 00
# R16: a pipeline's own states, merged with those of a table.
printf 'a\t%s\n' "$(seq -s, 1 33 | "$statewire" convert --lines --from IntegerList --to "$u32" --output-encoding escaped)" >ours.tsv
printf 'a\t34\na\t7\n' | "$statewire" aggregate -S 'k String, v UInt32' --keys k --aggregates 'groupBitmap(v) AS s' -o theirs.native -
"$statewire" merge -S "k String, s $u32" ours.tsv theirs.native -o merged.native
prints 'R16: states from outside merge with others' 'a	34' query -q 'k, bitmapCardinality(s)' merged.native
same 'R17: an omitted value is the empty state' 0000 "$(printf '\n' | "$statewire" convert --lines --from IntegerList --to "$u32" --output-encoding hex)"
same 'R17: which has no members' 0 "$(cardinality "$u32" 0000)"

finish
