#!/bin/sh
# Prints the right answers to the main job's questions, computed from the whole table in plain awk: no sketch, no bitmap, no code of ours.
#
#   scripts/main_job_truth.sh unicode.tsv         or the table on standard input
#
# Output: question<TAB>answer lines, always in the same order. The table is described in tests/data/main_job/README.md.
set -eu

LC_ALL=C awk '
BEGIN { FS = "\t" }

FNR == 1 { next }       # the line with the column names

{
    script = $1; code_point = $2; upper = $4; word = $5

    ++rows[script]
    ++count[script, word]

    # A code point has a row for each word of its name: sets count it once.
    if (!((script, code_point) in seen))
    {
        seen[script, code_point] = 1
        ++cardinality[script]
        if (script == "Ogham")
            ogham = ogham (ogham == "" ? "" : ",") code_point
    }
    if (upper == 1 && !((script, code_point) in seen_upper))
    {
        seen_upper[script, code_point] = 1
        ++upper_cardinality[script]
    }
}

# Every question is answered with a number or a list, also when the table has no such rows.
function answer(question, value) { printf "%s\t%s\n", question, value }

END {
    n = split("Latin Greek Han Cyrillic Common", scripts, " ")
    for (i = 1; i <= n; ++i)
        answer("cardinality " scripts[i], cardinality[scripts[i]] + 0)

    answer("contains Greek 960", (("Greek", 960) in seen) ? 1 : 0)
    answer("contains Latin 960", (("Latin", 960) in seen) ? 1 : 0)

    # Code points of a script AND its code points in upper case: the second set is a part of the first.
    answer("and_cardinality Latin", upper_cardinality["Latin"] + 0)
    answer("and_cardinality Greek", upper_cardinality["Greek"] + 0)

    # The table is in code point order, so the list is ascending.
    answer("array Ogham", "[" ogham "]")

    n = split("Latin Greek Common", scripts, " ")
    m = split("LETTER SMALL SIGN", words, " ")
    for (i = 1; i <= n; ++i)
        for (k = 1; k <= m; ++k)
            answer("count " scripts[i] " " words[k], count[scripts[i], words[k]] + 0)

    answer("total Latin", rows["Latin"] + 0)
    answer("total Han", rows["Han"] + 0)
}
' "$@"
