# aggregate, merge and query over small tables, in every format.
. "$(dirname "$0")/common.sh"

structure='page String, user UInt32, paid UInt8'
aggregates='groupBitmap(user) AS users, groupBitmapIf(user, paid) AS buyers, countMinSketch(3, 100)(page) AS pages'
query='page, bitmapCardinality(users), bitmapToArray(buyers), countMinSketchTotal(pages)'
printf 'home\t1\t0\nhome\t2\t1\nnews\t3\t0\nhome\t1\t1\n' >first.tsv
printf 'news\t70000\t1\na\\tb\t5\t0\n' >second.tsv
answer='a\tb	1	[]	1
home	2	[1,2]	3
news	2	[70000]	2'

aggregate() { "$statewire" aggregate -S "$structure" --keys page --aggregates "$aggregates" "$@"; }

aggregate -o first.native first.tsv
aggregate -f RowBinaryWithNamesAndTypes <second.tsv >second.RowBinaryWithNamesAndTypes
aggregate first.tsv second.tsv >both.native
"$statewire" merge first.native second.RowBinaryWithNamesAndTypes -o merged.native
prints 'answers from merged states' "$answer" query -q "$query" merged.native
same 'merging equals aggregating everything' "$(cksum <both.native)" "$(cksum <merged.native)"
same 'merging is commutative' "$(cksum <both.native)" "$("$statewire" merge second.RowBinaryWithNamesAndTypes first.native | cksum)"
same 'merging one file changes nothing' "$(cksum <both.native)" "$("$statewire" merge both.native | cksum)"
same 'keys may be named' "$(cksum <both.native)" "$("$statewire" merge --keys page both.native | cksum)"

states_of_pages='page String, users AggregateFunction(groupBitmap, UInt32), buyers AggregateFunction(groupBitmap, UInt32), pages AggregateFunction(countMinSketch(3, 100), String)'
for format in TabSeparated TSV TabSeparatedWithNames TSVWithNames TabSeparatedWithNamesAndTypes TSVWithNamesAndTypes RowBinary \
    RowBinaryWithNamesAndTypes Native
do
    for codec in '' NONE LZ4 'LZ4HC(9)' ZSTD 'ZSTD(3)'
    do
        sampled || continue
        if [ -z "$codec" ]
        then "$statewire" merge both.native -f $format -o converted
        else "$statewire" merge both.native -f $format --compression "$codec" -o converted
        fi
        # Names and types in the file need no structure, but agree with one.
        prints "$format $codec" "$answer" query -S "$states_of_pages" --input-format $format -q "$query" converted
        same "$format $codec through a pipe" "$answer" "$("$statewire" query -S "$states_of_pages" --input-format $format -q "$query" <converted)"
    done
done
"$statewire" merge both.native --compression LZ4 -o frames
prints 'frames by name' "$answer" query --input-compression frames -q "$query" frames
refuses 'frames where none are' 176 'UNKNOWN_CODEC' query --input-compression frames -q '*' both.native

# States in hex and base64, as options of every command that reads or writes tables, in every text format.
"$statewire" merge -f TSV -o both.tsv both.native
for states in hex base64
do
    for format in TSV CSV JSONEachRow Values TSVWithNamesAndTypes CSVWithNames
    do
        sampled || continue
        rm -f encoded*
        aggregate --output-states $states -f $format -o encoded.$format first.tsv second.tsv
        "$statewire" merge --output-states $states -f $format -o encoded2.$format both.native
        same "$format, $states: aggregate and merge" "$(cksum <encoded.$format)" "$(cksum <encoded2.$format)"
        "$statewire" query -q '*' --output-states $states -f $format -o encoded3.$format both.native
        same "$format, $states: query" "$(cksum <encoded.$format)" "$(cksum <encoded3.$format)"
        same "$format, $states: read by merge" "$(cksum <both.tsv)" \
            "$("$statewire" merge -S "$states_of_pages" --input-states $states -f TSV encoded.$format | cksum)"
        same "$format, $states: read by merge --sort" "$(cksum <both.tsv)" \
            "$("$statewire" merge --sort -S "$states_of_pages" --input-states $states -f TSV encoded.$format | cksum)"
        prints "$format, $states: read by query" "$answer" query -S "$states_of_pages" --input-states $states -q "$query" encoded.$format
        same "$format, $states: read beside a binary file" "$("$statewire" merge -f TSV both.native both.native | cksum)" \
            "$("$statewire" merge -S "$states_of_pages" --input-states $states -f TSV encoded.$format both.native | cksum)"
        prints "$format, $states: read by diff" '' diff -S "$states_of_pages" --input-states $states -k page encoded.$format encoded2.$format
    done
done
refuses 'an encoding that there is not' 36 "Unknown encoding of states 'octal'" merge --output-states octal both.native
refuses 'encoded states in a binary format' 36 'BAD_ARGUMENTS' merge --output-states hex both.native

printf 'x\tb\tp\n\t\\0\\x01\\x07\\0\\0\\0\thome\n' >named.tsv
prints 'columns in another order and fewer' '[7]	home' \
    query -q 'bitmapToArray(b), p' -S 'p String, b AggregateFunction(groupBitmap, UInt32)' --input-format TSVWithNames named.tsv
printf '5\n' >one.tsv
prints 'literals, aliases and names' 'x	y	z w
1	[1,2]	tab\t\'"'"'' query -q "1 AS x, [1, 2] AS y, 'tab\\t\\'' AS \`z w\`" -f TSVWithNames -S 'a UInt8' one.tsv
prints 'no keys' '[1,2,3,5,70000]' query -q 'bitmapToArray(b)' "$(
    "$statewire" aggregate -S "$structure" --aggregates 'groupBitmap(user) AS b' -o total.native first.tsv second.tsv
    echo total.native
)"
: >nothing.tsv
prints 'no rows, no keys' '[]' query -q 'bitmapToArray(b)' "$(
    "$statewire" aggregate -S "$structure" --aggregates 'groupBitmap(user) AS b' -o empty.native nothing.tsv
    echo empty.native
)"
"$statewire" aggregate -S "$structure" --keys page --aggregates "$aggregates" -o none.native nothing.tsv
prints 'no rows' '' query -q "$query" none.native
same 'merging a file without rows changes nothing' "$(cksum <both.native)" "$("$statewire" merge none.native both.native none.native | cksum)"
prints 'states of states' '[1,2,3,5,70000]' query -q 'bitmapToArray(b)' "$(
    "$statewire" aggregate --aggregates 'groupBitmapMerge(users) AS b' --input-format Native -o merge.native both.native
    echo merge.native
)"
prints 'combinators and parameters' 'AggregateFunction(countMinSketch(2, 10, 1, \'"'"'libcxx\'"'"'), String)' query -q '*' "$(
    "$statewire" aggregate -S "$structure" --aggregates "countMinSketchStateIf(2, 10, 1, 'libcxx')(page, paid) AS s" \
        -f TSVWithNamesAndTypes first.tsv | sed -n 2p >type.tsv
    echo type.tsv
)" -S 't String' --input-format TSV

# CSV with other delimiters, and headers above encoded states.
printf 'k;v\n1;"a;b"\n2;c\n' >semicolons.csv
prints 'a delimiter of CSV' '1	a;b
2	c' query -q '*' -S 'k UInt8, v String' --input-format CSVWithNames --csv-delimiter ';' semicolons.csv
prints 'and of what is written' '1|"a;b"
2|"c"' query -q '*' -S 'k UInt8, v String' --input-format CSVWithNames --csv-delimiter ';' -f CSV --output-csv-delimiter '|' semicolons.csv
same 'a tab' '1	2' "$(printf '1\t2\n' | "$statewire" query -q '*' -S 'k UInt8, v UInt8' --input-format CSV --csv-delimiter '\t' -f TSV)"
for delimiter in '' '"' ';;' '
'
do
    refuses 'no delimiter' 36 'Bad CSV delimiter' query -q '*' -S 'k UInt8' --csv-delimiter "$delimiter" semicolons.csv
done
u8='AggregateFunction(groupBitmap, UInt8)'
printf 'k;s\n1;"000107"\n' >hex.csv
contains 'verify takes the delimiter' '1 state, 1 small' "$("$statewire" verify -S "k UInt8, s $u8" --input-format CSVWithNames --csv-delimiter ';' --input-states hex hex.csv)"
for type in "$u8" String
do
    printf 'k\ts\nUInt8\t%s\n1\t000107\n' "$type" >hex.TSVWithNamesAndTypes
    prints "states in hex under a header of $type" '1	[7]' query -q 'k, bitmapToArray(s)' -S "k UInt8, s $u8" --input-states hex hex.TSVWithNamesAndTypes
    contains "verify of a header of $type" '1 state, 1 small' "$("$statewire" verify -S "k UInt8, s $u8" --input-states hex hex.TSVWithNamesAndTypes)"
done
printf 'k\ts\nUInt8\t%s\n1\t000107\n' "$u8" >hex.TSVWithNamesAndTypes
prints 'the header alone says it' '1	[7]' query -q 'k, bitmapToArray(s)' --input-states hex hex.TSVWithNamesAndTypes
refuses 'blanks in hex are shown' 117 "No hexadecimal digit at offset 2 of 8: found ' '" inspect --type "$u8" --hex '00 01 07'

finish
