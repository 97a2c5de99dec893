# aggregate with threads and a memory limit; merge of sorted and of unsorted files.
. "$(dirname "$0")/common.sh"

structure='k UInt32, s String, v UInt32'
aggregates='groupBitmap(v) AS b, countMinSketch(3, 100)(s) AS w'
awk 'BEGIN { x = 1; for (i = 0; i < 60000; ++i) { x = (x * 16807) % 2147483647; print x % 5000 "\tname" x % 7 "\t" x % 100000 } }' >rows.tsv
split -n l/3 rows.tsv part

aggregate() { "$statewire" aggregate -S "$structure" --aggregates "$aggregates" "$@"; }

mkdir temporary
for keys in k s 'k,s' ''
do
    aggregate --threads 1 --keys "$keys" -o one.native rows.tsv
    for threads in 2 3 8
    do
        sampled || continue
        same "keys '$keys', $threads threads" "$(cksum <one.native)" "$(aggregate --threads $threads --keys "$keys" rows.tsv | cksum)"
    done
    for limit in 1M 512Ki 8MiB
    do
        sampled || continue
        same "keys '$keys', at most $limit" "$(cksum <one.native)" \
            "$(aggregate --threads 2 --memory-limit $limit --temporary-directory temporary --keys "$keys" rows.tsv | cksum)"
        same 'nothing is left in the temporary directory' '' "$(ls -A temporary)"
    done
done
refuses 'a limit without a place for files' 241 'MEMORY_LIMIT_EXCEEDED' \
    aggregate -S "$structure" --aggregates "$aggregates" --keys k,s --memory-limit 1M --temporary-directory '' rows.tsv
refuses 'a temporary directory that is not there' 76 'nowhere' \
    aggregate -S "$structure" --aggregates "$aggregates" --keys k,s --memory-limit 1M --temporary-directory nowhere rows.tsv
for size in x 5X 1e5x -1 M 10MiBs
do refuses "the size '$size'" 36 "Bad size '$size'" aggregate -S "$structure" --aggregates "$aggregates" "--memory-limit=$size" rows.tsv
done
refuses 'too many threads' 36 'Bad number of threads' aggregate -S "$structure" --aggregates "$aggregates" --threads 100000 rows.tsv
refuses 'threads below none' 36 'Bad number of threads' aggregate -S "$structure" --aggregates "$aggregates" --threads -3 rows.tsv

# Files that a full disk, or a limit of the shell, cuts short: in blocks of 512 bytes.
found=$( (ulimit -f 8 && aggregate --keys k,s --memory-limit 1M --temporary-directory temporary rows.tsv 2>&1 >/dev/null); echo "exit code $?")
contains 'a full disk' 'CANNOT_WRITE_TO_FILE_DESCRIPTOR' "$found"
contains 'a full disk: exit code' 'exit code 75' "$found"
same 'nothing is left behind a full disk' '' "$(ls -A temporary)"

# A program that is killed while it has temporary files.
mkfifo pipe
awk 'BEGIN { for (i = 0; 1; ++i) print i "\tname\t" i }' >pipe 2>feeder.txt &
feeder=$!
"$statewire" aggregate -S "$structure" --aggregates "$aggregates" --keys k --memory-limit 1M --temporary-directory "$work/temporary" \
    -o killed.native --input-format TSV pipe &
victim=$!
looks=0
until ls -l /proc/$victim/fd 2>&1 | grep -q "$work/temporary" || [ $looks -eq 2000 ]
do
    looks=$((looks + 1))
    sleep 0.05
done
contains 'it has a temporary file' "$work/temporary" "$(ls -l /proc/$victim/fd 2>&1)"
kill -9 $victim
wait $victim 2>victim.txt
kill $feeder 2>feeder.txt
same 'nothing is left behind a kill' '' "$(ls -A temporary)"
same 'no output under its name behind a kill' '' "$(ls killed.native 2>&1 | grep -v 'No such file\|cannot access')"

aggregate --keys k,s -o all.native rows.tsv
for part in partaa partab partac; do aggregate --keys k,s -o $part.native $part; done
same 'sorted files' "$(cksum <all.native)" "$("$statewire" merge partaa.native partab.native partac.native | cksum)"
same 'sorted files, named to be sorted' "$(cksum <all.native)" "$("$statewire" merge --sort partaa.native partab.native partac.native | cksum)"
same 'within a limit' "$(cksum <all.native)" "$(
    "$statewire" merge --sort --memory-limit 1M --temporary-directory temporary --threads 2 partaa.native partab.native partac.native | cksum
)"

states='k UInt32, s String, b AggregateFunction(groupBitmap, UInt32), w AggregateFunction(countMinSketch(3, 100), String)'
"$statewire" merge all.native -f TSV >all.tsv
sed '1!G;h;$!d' all.tsv >backwards.tsv
last=$(sed -n '1s/^\([0-9]*\)	\([^	]*\).*/\1, '"'\\2'"'/p' backwards.tsv)
before=$(sed -n '2s/^\([0-9]*\)	\([^	]*\).*/\1, '"'\\2'"'/p' backwards.tsv)
refuses 'rows that are not sorted' 117 "The rows of 'backwards.tsv' are not sorted by their keys: row 2 has the key ($before), the row before it has ($last)" \
    merge -S "$states" -f TSV backwards.tsv
same 'rows that are to be sorted' "$(cksum <all.native)" "$("$statewire" merge --sort -S "$states" backwards.tsv | cksum)"
refuses 'threads without grouping' 36 '--threads requires --sort' merge --threads 2 all.native

# More files than are opened at once: ten of states, each many times.
i=0
while [ $i -lt 10 ]
do
    printf '%s\tx\t%s\n' $((i % 7)) $i >row.tsv
    aggregate --keys k,s -o many$i.0.native row.tsv
    n=0
    while [ $n -lt 30 ]
    do
        cat row.tsv >>many.tsv
        [ $n -eq 0 ] || cp many$i.0.native many$i.$n.native
        n=$((n + 1))
    done
    i=$((i + 1))
done
aggregate --keys k,s -o many.expected many.tsv
"$statewire" merge -o many.native many[0-9]*.native
same 'many files' "$(cksum <many.expected)" "$(cksum <many.native)"

finish
