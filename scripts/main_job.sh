#!/bin/sh
# The main job on the bundled table: rows in three parts, GROUP BY into states on disk, the partial states merged, questions answered from
# the merged file, and every answer compared with the truth that scripts/main_job_truth.sh computes without any of our code.
#
#   scripts/main_job.sh STATEWIRE
#
# Exit code 0 when every answer is right: bitmaps exactly, the sketch never below the truth and within its stated error.
set -eu
LC_ALL=C
export LC_ALL

[ $# -eq 1 ] || { echo "usage: $0 STATEWIRE" >&2; exit 2; }
scripts=$(cd "$(dirname "$0")" && pwd)
statewire=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
table="$scripts/../tests/data/main_job/unicode.tsv.zst"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
cd "$work"

structure='script String, code_point UInt32, category String, upper UInt8, word String'
hashes=5
buckets=2719
aggregates="groupBitmap(code_point) AS b, groupBitmapIf(code_point, upper) AS u, countMinSketch($hashes, $buckets)(word) AS w"

say() { printf '%s\n' "$*"; }
size() { wc -c <"$1" | tr -d ' '; }

say "== Input: the characters of Unicode by script, a row for each word of a name"
zstd -dcq "$table" >table.tsv
rows=$(($(wc -l <table.tsv) - 1))
say "$rows rows, $(size table.tsv) bytes; in three parts:"
sed 1d table.tsv | split -n r/3 --numeric-suffixes=1 -a 1 - part
head -n 1 table.tsv | cat - part1 >part1.TSVWithNames
mv part2 part2.tsv
# The third part goes through Native first: rows need no other format than states do.
"$statewire" query -S "$structure" -q '*' -o part3.native --compression 'ZSTD(1)' --input-format TSV part3
for part in part1.TSVWithNames part2.tsv part3.native; do say "  $part: $(size $part) bytes"; done

say
say "== statewire aggregate: GROUP BY script, each part to a file of states"
say "aggregates: $aggregates"
"$statewire" aggregate -S "$structure" --keys script --aggregates "$aggregates" --progress --compression LZ4 -o states1.native part1.TSVWithNames 2>&1
"$statewire" aggregate -S "$structure" --keys script --aggregates "$aggregates" --progress -f RowBinaryWithNamesAndTypes \
    <part2.tsv 2>&1 >states2.RowBinaryWithNamesAndTypes
"$statewire" aggregate --keys script --aggregates "$aggregates" --progress -o states3.TSVWithNamesAndTypes part3.native 2>&1
states='states1.native states2.RowBinaryWithNamesAndTypes states3.TSVWithNamesAndTypes'
for file in $states; do say "  $file: $(size $file) bytes"; done

say
say "== statewire merge: the three files into one"
# shellcheck disable=SC2086
"$statewire" merge --keys script -o merged.native $states
say "  merged.native: $(size merged.native) bytes"
# Merging is commutative, and equal to aggregating everything at once, in bytes.
"$statewire" merge --keys script states3.TSVWithNamesAndTypes states1.native states2.RowBinaryWithNamesAndTypes | cmp - merged.native
"$statewire" aggregate -S "$structure" --keys script --aggregates "$aggregates" --input-format TSVWithNames table.tsv | cmp - merged.native
say "  the same bytes in another order, and from the whole table at once"

say
say "== statewire query: answers read from the states"
ask() { "$statewire" query -q "$1" merged.native; }
{
    ask 'script, bitmapCardinality(b)' | awk -F '\t' '{ print "cardinality " $1 "\t" $2 }'
    ask 'script, bitmapContains(b, 960)' | awk -F '\t' '{ print "contains " $1 " 960\t" $2 }'
    ask 'script, bitmapAndCardinality(b, u)' | awk -F '\t' '{ print "and_cardinality " $1 "\t" $2 }'
    ask 'script, bitmapToArray(b)' | awk -F '\t' '$1 == "Ogham" { print "array " $1 "\t" $2 }'
    for word in LETTER SMALL SIGN
    do
        ask "script, countMinSketchEstimate(w, '$word')" | awk -F '\t' -v word=$word '{ print "count " $1 " " word "\t" $2 }'
    done
    ask 'script, countMinSketchTotal(w)' | awk -F '\t' '{ print "total " $1 "\t" $2 }'
} >answers
"$scripts/main_job_truth.sh" table.tsv >truth

# A count may exceed the truth by e / buckets of the script's total.
awk -F '\t' -v buckets=$buckets '
function shown(text) { return length(text) > 26 ? substr(text, 1, 23) "..." : text }

FILENAME == "answers" { answer[$1] = $2; known[$1] = 1; next }

FNR == 1 { printf "%-26s %-26s %-26s %s\n", "question", "answer", "truth", "ok" }

{
    split($1, part, " ")
    if (part[1] == "count")
    {
        bound = 2.718281828459045 / buckets * answer["total " part[2]]
        ok = answer[$1] >= $2 && answer[$1] <= $2 + bound
        note = sprintf(" (within %.1f)", bound)
    }
    else
    {
        ok = answer[$1] "" == $2 ""
        note = ""
    }
    ok = ok && ($1 in known)
    wrong += !ok
    printf "%-26s %-26s %-26s %s%s\n", $1, shown(answer[$1]), shown($2), ok ? "yes" : "NO", note
}

END {
    if (FNR == 0)
        wrong = 1
    printf "\n%s\n", wrong ? wrong " answers are wrong" : "All " FNR " answers are right."
    exit wrong != 0
}
' answers truth
