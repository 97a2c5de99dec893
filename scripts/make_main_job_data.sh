#!/bin/sh
# Makes the bundled input of the main job from Debian's package unicode-data: a row for each (code point, word in its name).
# The result is committed; this is needed again only to check it or to move to a newer Unicode version.
#
#   scripts/make_main_job_data.sh [UNICODE_DIR [OUTPUT.tsv.zst]]
#
# The same input always gives the same table; its row count and sha256 are printed, to compare with tests/data/main_job/README.md.
set -eu
LC_ALL=C
export LC_ALL

unicode_dir=${1:-/usr/share/unicode}
output=${2:-$(dirname "$0")/../tests/data/main_job/unicode.tsv.zst}

table=$(mktemp)
trap 'rm -f "$table"' EXIT
trap 'exit 130' HUP INT TERM

awk '
function die(text) { print "make_main_job_data: " text >"/dev/stderr"; failed = 1; exit 1 }

# mawk has no strtonum().
function number(hex,    i, value)
{
    value = 0
    for (i = 1; i <= length(hex); ++i)
        value = value * 16 + index("0123456789ABCDEF", substr(hex, i, 1)) - 1
    return value
}

function row(code_point, category, name,    script, upper, words, n, i)
{
    if (!(code_point in script_of))
        die(sprintf("U+%04X has no script", code_point))
    script = script_of[code_point]
    upper = (category == "Lu") ? 1 : 0
    n = split(name, words, " ")
    for (i = 1; i <= n; ++i)
        printf "%s\t%d\t%s\t%d\t%s\n", script, code_point, category, upper, words[i]
}

# A syllable is named by the short names of the jamo it is composed of (The Unicode Standard 15.0, section 3.12):
# 19 leading consonants from U+1100, 21 vowels from U+1161, 27 trailing consonants after U+11A7, where none is a choice too.
function hangul(code_point,    index_)
{
    index_ = code_point - 44032
    return "HANGUL SYLLABLE " jamo[4352 + int(index_ / 588)] jamo[4449 + int(index_ % 588 / 28)] jamo[4519 + index_ % 28]
}

# UnicodeData.txt gives large ranges by their two ends; the names inside follow from the code point (section 4.8).
function range_name(range, code_point)
{
    if (range ~ /^CJK Ideograph/)
        return sprintf("CJK UNIFIED IDEOGRAPH-%04X", code_point)
    if (range ~ /^Tangut Ideograph/)
        return sprintf("TANGUT IDEOGRAPH-%04X", code_point)
    if (range == "Hangul Syllable")
        return hangul(code_point)
    die("no rule for the names of the range " range)
}

BEGIN { print "script\tcode_point\tcategory\tupper\tword" }

# Jamo.txt: "1100; G   # HANGUL CHOSEONG KIYEOK"; one short name is empty.
file == "jamo" && /^[0-9A-F]/ {
    split($0, part, /[;#]/)
    gsub(/ /, "", part[1])
    gsub(/ /, "", part[2])
    jamo[number(part[1])] = part[2]
}

# Scripts.txt: "0370..0373    ; Greek # L&   [4] ...", or one code point instead of a range.
file == "scripts" && /^[0-9A-F]/ {
    split($0, part, /[;#]/)
    gsub(/ /, "", part[1])
    gsub(/ /, "", part[2])
    ends = split(part[1], bound, /\.\./)
    last = number(bound[ends])
    for (c = number(bound[1]); c <= last; ++c)
        script_of[c] = part[2]
}

# UnicodeData.txt: "0041;LATIN CAPITAL LETTER A;Lu;...", in code point order.
file == "names" {
    split($0, field, ";")
    code_point = number(field[1])
    name = field[2]
    category = field[3]

    if (category == "Cs" || category == "Co" || name == "<control>")
        next
    if (name ~ /^<.*, First>$/)
    {
        first = code_point
        next
    }
    if (name ~ /^<.*, Last>$/)
    {
        range = substr(name, 2, length(name) - 8)
        for (c = first; c <= code_point; ++c)
            row(c, category, range_name(range, c))
        next
    }
    row(code_point, category, name)
}

END { if (failed) exit 1 }
' file=jamo "$unicode_dir/Jamo.txt" file=scripts "$unicode_dir/Scripts.txt" file=names "$unicode_dir/UnicodeData.txt" >"$table"

zstd -q -19 -c "$table" >"$output"

echo "rows: $(($(wc -l <"$table") - 1)) and a header line"
echo "bytes: $(wc -c <"$table"), compressed $(wc -c <"$output")"
echo "sha256: $(sha256sum <"$table" | cut -d ' ' -f 1)"
