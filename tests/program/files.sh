# Output files appear whole or not at all; progress is said on stderr alone.
. "$(dirname "$0")/common.sh"

printf '1\t2\n1\t3\n' >rows.tsv
printf 'old' >out.native
aggregate() { "$statewire" aggregate -S 'a UInt8, b UInt32' --keys a --aggregates 'groupBitmap(b) AS s' "$@"; }

aggregate -o out.native missing.tsv 2>/dev/null
same 'an error leaves the old file' 'old' "$(cat out.native)"
printf '1\t2\nx\t3\n' | aggregate -o out.native 2>/dev/null
same 'a bad row leaves the old file' 'old' "$(cat out.native)"
same 'nothing is left beside it' 'out.native' "$(ls out.native*)"

aggregate -o out.native rows.tsv
prints 'the new file' '1	[2,3]' query -q 'a, bitmapToArray(s)' out.native
"$statewire" merge out.native -o out.native
prints 'a file may be read and replaced at once' '1	[2,3]' query -q 'a, bitmapToArray(s)' out.native
mkdir sub
ln -s ../out.native sub/link.native
aggregate -o sub/link.native rows.tsv
same 'a link is written through' '../out.native' "$(readlink sub/link.native)"
prints 'what a link points to' '1	[2,3]' query -q 'a, bitmapToArray(s)' out.native
refuses 'a folder that is not there' 76 'CANNOT_OPEN_FILE' merge out.native -o nowhere/out.native
refuses 'a folder as a file' 76 'CANNOT_OPEN_FILE' merge out.native -o sub

aggregate -o /dev/null rows.tsv
same 'a device stays a device' 'yes' "$([ -c /dev/null ] && echo yes)"
mkfifo pipe
cat pipe >from_pipe &
reader=$!
aggregate -o pipe rows.tsv || kill $reader
wait
same 'a named pipe' "$(cksum <out.native)" "$(cksum <from_pipe)"
same 'a dash is stdout' "$(cksum <out.native)" "$(aggregate -o - rows.tsv | cksum)"
same 'a dash is stdin' "$(cksum <out.native)" "$(aggregate - <rows.tsv | cksum)"
same 'several inputs' "$(cksum <out.native)" "$({ sed 1d rows.tsv | aggregate rows.tsv - rows.tsv; } | cksum)"

same 'no progress unless asked for' '' "$(aggregate rows.tsv 2>&1 >/dev/null)"
same 'no progress when asked against' '' "$(aggregate --no-progress rows.tsv 2>&1 >/dev/null)"
progress=$(aggregate --progress -o /dev/null rows.tsv 2>&1)
contains 'progress on stderr: rows' 'Processed 2 rows, 8 B (' "$progress"
# What is read ahead, to find the structure, counts as well.
size=$(wc -c <out.native | tr -d ' ')
contains 'progress of a query' " rows, $size B (" "$("$statewire" query -q '*' --progress out.native 2>&1 >/dev/null)"
contains 'progress of a merge' " rows, $size B (" "$("$statewire" merge --progress out.native 2>&1 >/dev/null)"
same 'progress does not touch stdout' "$(cksum <out.native)" "$(aggregate --progress rows.tsv 2>/dev/null | cksum)"

# An interrupted program leaves nothing beside the old file either.
cp out.native old.native
mkfifo slow
for signal in INT TERM HUP
do
    sleep 60 >slow &
    writer=$!
    # A shell's background job has SIGINT ignored, which the program respects: exec from a subshell that puts it back.
    perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$statewire" aggregate -S 'a UInt8, b UInt32' --aggregates 'groupBitmap(b)' --input-format TSV -o out.native slow 2>/dev/null &
    program=$!
    tries=0
    while ! ls out.native.*.tmp >/dev/null 2>&1 && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
    kill -$signal $program
    wait $program
    code=$?
    same "SIG$signal ends it" yes "$([ $code -gt 128 ] && echo yes)"
    same "SIG$signal leaves nothing beside it" 'out.native' "$(ls out.native*)"
    same "SIG$signal leaves the old file" "$(cksum <old.native)" "$(cksum <out.native)"
    kill $writer
    wait $writer 2>/dev/null
done
# What only looks a little like a temporary of ours stays.
touch out.native.1.tmp
aggregate -o out.native rows.tsv
same 'a file of another name stays' 'out.native
out.native.1.tmp' "$(ls out.native*)"

# A closed stream's number is not given to a file that is opened: errors would go into it.
"$statewire" merge nowhere.native -o closed.native 2>&- >&-
same 'closed streams: exit code' 107 $?
same 'closed streams: nothing is written' '' "$(ls | grep closed)"
"$statewire" query -q a out.native >&- 2>stderr
same 'stdout is closed: exit code' 75 $?
contains 'stdout is closed' 'CANNOT_WRITE_TO_FILE_DESCRIPTOR' "$(cat stderr)"

finish
