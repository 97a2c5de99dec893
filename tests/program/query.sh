# What `statewire query` understands, and how it says what it does not.
. "$(dirname "$0")/common.sh"

printf '/\t1\n/\t2\n/\t3\n/cart\t1\n/about\t2\n/about\t3\n' >visits.tsv
"$statewire" aggregate -S 'page String, user UInt32' --keys page --aggregates 'groupBitmap(user) AS users' -o week.native visits.tsv
prints 'a condition, an order and a limit' '/	3
/about	2' query -q 'SELECT page, bitmapCardinality(users) AS n FROM table WHERE n > 1 ORDER BY n DESC LIMIT 10' week.native
prints 'AND, OR, NOT, IN and parentheses' '/about' \
    query -q "page WHERE (page IN ('/about', '/cart') OR page = '/') AND NOT bitmapContains(users, 1)" week.native
prints 'a limit behind an offset' '/about' query -q 'page ORDER BY page LIMIT 1 OFFSET 1' week.native
prints 'nested calls' '[1,2,3,70000]' query -q 'bitmapToArray(bitmapOr(users, bitmapBuild([70000]))) LIMIT 1' week.native
prints 'no rows' '' query -q 'page WHERE 0' week.native
prints 'literals' "18446744073709551615	-9223372036854775808	1.5	a\\tb	[1,2]" \
    query -q "18446744073709551615, -9223372036854775808, 1.5, 'a\\tb', [1, 2] LIMIT 1" week.native

prints 'NULL, and a semicolon' '\N	1	[1,NULL]' query -q 'SELECT page = NULL, 1 IN (1, NULL), [1, NULL] LIMIT 1;' week.native
prints 'nothing equals NULL' '' query -q 'page WHERE page = NULL OR NULL' week.native
prints 'states in hex' '000101000000' query -q "users WHERE page = '/cart'" --output-states hex week.native
"$statewire" query -q '*' -f CSVWithNames --output-states base64 -o week.CSVWithNames week.native
prints 'states in base64' '3
2
1' query -S 'users AggregateFunction(groupBitmap, UInt32)' --input-states base64 -q 'bitmapCardinality(users)' week.CSVWithNames
prints 'JSON' '{"page":"\/","n":3}' query -q "page, bitmapCardinality(users) AS n WHERE page = '/'" -f JSONEachRow week.native
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1
then
    contains 'a table on a terminal' '┌' "$(script -qec "'$statewire' query -q page week.native" /dev/null)"
    same 'but not in a pipe' '/' "$(script -qec "'$statewire' query -q page week.native 2>/dev/null | head -n 1" /dev/null | tr -d '\r')"
else
    echo 'SKIPPED: no script to have a terminal'
fi

# An error shows its place: three lines.
points_at()
{
    name=$1
    code=$2
    caret=$3
    shift 3
    "$statewire" query -q "$1" week.native >stdout 2>stderr
    same "$name: exit code" "$code" $?
    same "$name: query" "$1" "$(sed -n 2p stderr)"
    same "$name: caret" "$caret" "$(sed -n 3p stderr)"
    same "$name: lines" 3 "$(wc -l <stderr | tr -d ' ')"
    same "$name: stdout" '' "$(cat stdout)"
}
points_at 'an unknown column' 47 '      ^' 'page, nowhere'
points_at 'an unknown function' 46 '      ^' 'page, bitmapCount(users)'
points_at 'a wrong argument' 43 '^' 'bitmapCardinality(page)'
points_at 'types that do not compare' 43 '                ^' 'page WHERE page = 5'
points_at 'a word that is missing' 62 '           ^' 'page ORDER page'
points_at 'an open parenthesis' 62 '               ^' 'page WHERE (1=1'

# Patterns and several files.
mkdir days
cp week.native days/monday.native
cp week.native days/tuesday.native
prints 'a pattern' '/
/
/about
/about
/cart
/cart' query -q 'page ORDER BY page' 'days/*.native'
prints 'alternatives' '3
3' query -q "bitmapCardinality(users) WHERE page = '/'" 'days/{monday,tuesday}.native'
refuses 'a pattern without a match' 107 "No file matches the pattern 'days/*.tsv'" query -q page 'days/*.tsv'
cp week.native 'odd[name].native'
prints 'a name that looks like a pattern' '3' query -q "bitmapCardinality(users) WHERE page = '/'" 'odd[name].native'
contains 'the time is said on stderr' '0.' "$("$statewire" query --time -q page week.native 2>&1 >/dev/null)"

finish
