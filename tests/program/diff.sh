# `statewire diff`: keys that only one file has, and states that differ.
. "$(dirname "$0")/common.sh"

aggregate() { "$statewire" aggregate -S 'page String, user UInt32' --keys page --aggregates "$1" -o "$2"; }
printf '/\t1\n/\t2\n/b\t1\n/c\t5\n' | aggregate 'groupBitmap(user) AS users' left.native
printf '/\t2\n/\t3\n/\t4\n/a\t1\n/c\t5\n' | aggregate 'groupBitmap(user) AS users' right.native

# differs NAME EXIT_CODE EXPECTED ARGUMENT...
differs()
{
    name=$1
    code=$2
    expected=$3
    shift 3
    found=$("$statewire" diff "$@" 2>stderr)
    same "$name: exit code" "$code" $?
    same "$name" "$expected" "$found"
    same "$name: stderr" '' "$(cat stderr)"
}

differs 'a file and itself' 0 '' left.native left.native
differs 'bitmaps' 1 '!	/	users	1 of 2 values only on the left, 2 of 3 only on the right
>	/a
<	/b' left.native right.native
differs 'as JSON' 1 '{"event":"different","key":{"page":"/"},"column":"users","left_only":"1","right_only":"2","left":"2","right":"3"}
{"event":"only_right","key":{"page":"/a"}}
{"event":"only_left","key":{"page":"/b"}}
{"event":"summary","rows_left":3,"rows_right":3,"only_left":1,"only_right":1,"different_rows":1}' --json left.native right.native
differs 'quietly' 1 '' --quiet left.native right.native
differs 'quietly, and equal' 0 '' -q left.native left.native

# Equal sets are equal however they are written, and whatever the format.
printf 'page\tusers\nString\tAggregateFunction(groupBitmap, UInt32)\n/\t\\0\\x02\\x02\\0\\0\\0\\x01\\0\\0\\0\n/b\t\\0\\x01\\x01\\0\\0\\0\n/c\t\\0\\x01\\x05\\0\\0\\0\n' >left.TSVWithNamesAndTypes
differs 'other bytes of the same sets' 0 '' left.native left.TSVWithNamesAndTypes
same 'stdin' '' "$("$statewire" diff left.native - <left.native)"

# Order.
"$statewire" query -q '* ORDER BY page DESC' -f Native -o unsorted.native left.native
refuses 'unsorted files' 117 "Row 2 of 'unsorted.native' is out of order" diff left.native unsorted.native
differs 'sorted on demand' 0 '' --sort left.native unsorted.native
"$statewire" query -q '*' -f Native -o doubled.native left.native left.native
refuses 'a key twice' 117 'has the keys of the row before: merge the file first' diff --sort left.native doubled.native

# Sketches: two words in other numbers.
printf 'x\ta\nx\ta\nx\tb\n' | "$statewire" aggregate -S 'k String, w String' --keys k --aggregates 'countMinSketch(1, 3)(w) AS c' -o left.sketch.native
printf 'x\ta\nx\tb\n' | "$statewire" aggregate -S 'k String, w String' --keys k --aggregates 'countMinSketch(1, 3)(w) AS c' -o right.sketch.native
differs 'sketches' 1 '!	x	c	totals 3 and 2, 1 cells differ, by at most 1' left.sketch.native right.sketch.native

# Keys and other columns.
"$statewire" query -q "page, page = '/' AS home, users" -f Native -o home.native left.native
"$statewire" query -q "page, page = '/b' AS home, users" -f Native -o other.native left.native
differs 'values that are no states' 1 '!	/	home	1 on the left, 0 on the right
!	/b	home	0 on the left, 1 on the right' --keys page home.native other.native
refuses 'another column' 47 "There is no column 'home' in 'left.native'" diff home.native left.native
printf '/\t1\n' | "$statewire" aggregate -S 'page String, user UInt64' --keys page --aggregates 'groupBitmap(user) AS users' -o wide.native
refuses 'another type' 53 'TYPE_MISMATCH' diff left.native wide.native
refuses 'a key that is none' 47 "There is no column 'day'" diff --keys day left.native right.native
refuses 'states as keys' 43 'holds states' diff --keys users left.native right.native
refuses 'one file' 36 'Give two files' diff left.native
refuses 'stdin twice' 36 'Only one of the two' diff - -

finish
