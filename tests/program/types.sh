# Columns of dates, names and addresses: as keys, in files of every format, beside texts in comparisons.
. "$(dirname "$0")/common.sh"

printf '%s\t%s\t%s\t%s\t%s\n' \
    2026-11-02 '2026-11-02 10:20:30' /b 61f0c404-5cb3-11e7-907b-a6006ad3dba0 1 \
    2026-11-01 '2026-11-01 00:00:00' /a 00000000-0000-0001-0000-000000000002 2 \
    2026-11-01 '2026-11-01 23:59:59' /b 00000000-0000-0002-0000-000000000001 3 \
    1970-01-01 '1970-01-01 00:00:00' /b 00000000-0000-0002-0000-000000000001 4 >visits.tsv
structure="day Date, time DateTime('UTC'), page LowCardinality(String), id UUID, user UInt32"
"$statewire" aggregate -S "$structure" --keys day,page --aggregates 'groupBitmap(user) AS users' -o states.native visits.tsv

prints 'grouped by day and page' '1970-01-01	/b	1
2026-11-01	/a	1
2026-11-01	/b	1
2026-11-02	/b	1' query -q 'day, page, bitmapCardinality(users)' -f TSV states.native
prints 'a day as a text' '2026-11-01	/b' query -q "day, page WHERE day = '2026-11-01' AND page != '/a'" -f TSV states.native
prints 'days in a list' '1970-01-01
2026-11-02' query -q "day WHERE day IN ('1970-01-01', '2026-11-02')" -f TSV states.native
prints 'a day on the left' '2026-11-02' query -q "day WHERE '2026-11-01' < day" -f TSV states.native
prints 'as JSON' '{"day":"1970-01-01","page":"\/b"}' query -q 'day, page LIMIT 1' -f JSONEachRow states.native
prints 'the types stay' 'day	page
Date	LowCardinality(String)' query -q 'day, page LIMIT 0' -f TSVWithNamesAndTypes states.native
refuses_text 'a text that is no day' 38 "Cannot parse Date from 'yesterday'" query -q "day WHERE day = 'yesterday'" states.native
refuses_text 'a day beside a number' 43 'cannot compare Date with UInt8' query -q 'day WHERE day = 1' states.native

for key in time id
do
    "$statewire" aggregate -S "$structure" --keys $key --aggregates 'groupBitmap(user) AS users' -o by_$key.native visits.tsv
    "$statewire" merge --keys $key -o twice.native by_$key.native by_$key.native
    same "merged with itself by $key" "$(cksum <by_$key.native)" "$(cksum <twice.native)"
    contains "verified by $key" ' 0 invalid, 0 not canonical' "$("$statewire" verify by_$key.native)"
done
prints 'ids in their order' '00000000-0000-0002-0000-000000000001	2
00000000-0000-0001-0000-000000000002	1
61f0c404-5cb3-11e7-907b-a6006ad3dba0	1' query -q 'id, bitmapCardinality(users)' -f TSV by_id.native
prints 'one id' '1' query -q "bitmapCardinality(users) WHERE id = '61f0c4045cb311e7907ba6006ad3dba0'" -f TSV by_id.native

# Through every format and back.
types="a Date32, b DateTime64(3, 'Europe/Berlin'), c Enum8('x' = -1, 'y' = 2), d Decimal(9, 2), e FixedString(3), f IPv4, g IPv6, h Bool, \
i LowCardinality(Nullable(String)), j Array(LowCardinality(Date)), k Nullable(UUID)"
printf '%s\t' 1900-01-01 '2024-07-01 02:00:00.125' x -0.05 'a\0\0' 1.2.3.4 2001:db8::1 true '\N' "['2024-01-02']" >rows.tsv
printf '\\N\n' >>rows.tsv
for format in Native RowBinary RowBinaryWithNamesAndTypes CSV CSVWithNamesAndTypes JSONEachRow Values TSVWithNamesAndTypes
do
    "$statewire" query -S "$types" -q '*' -f $format -o rows.any rows.tsv
    prints "through $format" "$(cat rows.tsv)" query -S "$types" --input-format $format -q '*' -f TSV rows.any
done

refuses 'a type that is not read' 48 "Type Int128 at position 0 of a type name is not supported here" \
    aggregate -S 'x Int128' --keys x --aggregates 'groupBitmap(x) AS b' visits.tsv
printf '2026-11-01\n2026-11-31\n' >bad.tsv
refuses 'a bad day in a file' 38 "(while reading row 2, column 'd', at byte 11)" query -S 'd Date' -q d --input-format TSV bad.tsv

finish
