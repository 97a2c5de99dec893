# What the program says of itself is true: every example of every --help runs, the manual page and the completions know every option.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

mkdir bin
ln -s "$statewire" bin/statewire
PATH=$PWD/bin:$PATH

# The files that the examples name.
printf '1\t/\n2\t/\n1\t/cart\n' >visits.tsv
printf '1\t/\t0\n2\t/\t1\n1\t/cart\t1\n' | gzip >visits.tsv.gz
days()
{
    printf "$1" | statewire aggregate -S 'user UInt32, page String, paid UInt8' --keys page \
        --aggregates 'groupBitmap(user) AS users, groupBitmapIf(user, paid) AS buyers' -o "$2" -
}
days '1\t/\t0\n2\t/\t1\n' monday.native
days '1\t/\t0\n3\t/cart\t1\n' tuesday.native
cp -r "$here/../data/clickhouse/parts/wide_lz4" all_1_1_0
cp monday.native day1.native
cp tuesday.native day2.native
cp monday.native shard1.native
statewire query -q '*' -f RowBinaryWithNamesAndTypes -o shard2.RowBinaryWithNamesAndTypes tuesday.native
statewire merge monday.native tuesday.native -o week.native
statewire query -q 'page, users' -o users.tsv week.native
cp users.tsv other.tsv
printf 'the\nword\nthe\n' | statewire aggregate -S 'w String' --aggregates 'countMinSketch(5, 272)(w) AS words' -o words.native
statewire query -q words -f RowBinary -o state.sketch words.native
statewire convert --from 'AggregateFunction(countMinSketch(5, 272), String)' --to 'CountMinImage(UInt64)' -o sketch.bin state.sketch
printf 'the\nword\nthe\n' | statewire aggregate -S 'w String' --aggregates "countMinSketch(5, 272, 9001, 'libcxx')(w) AS words" -o - |
    statewire query -q words -f RowBinary -o state.sketch -
statewire convert --from "AggregateFunction(countMinSketch(5, 272, 9001, 'libcxx'), String)" --to 'CountMinImage(UInt64, 9001, libcxx)' -o sketch.libcxx.bin state.sketch
seq 1 33 >ids.txt
printf '[1,2]\n[7]\n' >lists.txt
statewire convert --from IntegerList --to 'AggregateFunction(groupBitmap, UInt64)' -o state.bin ids.txt
statewire convert --from IntegerList --to RoaringPortable32 -o set.bin ids.txt
statewire convert --from IntegerList --to RoaringPortable64 -o set.roaring ids.txt
cp week.native states.native
cp week.native exported.native
statewire compressor states.native states.native.bin

commands=$(statewire completion bash | sed -n "s/^            \\(.*\\)) command=.*/\\1/p" | tr '|' ' ')
contains 'the commands are found' 'aggregate' "$commands"
for command in $commands
do
    statewire "$command" --help >help.txt
    # Examples stand behind their heading, two spaces in; a backslash at a line's end continues one.
    sed -n '/^Examples:$/,$p' help.txt | sed -n 's/^  //p' | sed -e ':a' -e '/\\$/N; s/\\\n *//; ta' >examples.txt
    same "$command --help has examples" yes "$([ -s examples.txt ] && echo yes)"
    while IFS= read -r example
    do
        sh -c "$example" >out.txt 2>err.txt </dev/null
        same "$example: exit code" 0 $?
        same "$example: stderr" '' "$(cat err.txt)"
    done <examples.txt
done

# The manual page and the completions have all options that --help has.
statewire manual >statewire.1
sed 's/\\-/-/g' statewire.1 >manual.txt
statewire completion bash >statewire.bash
statewire completion zsh >_statewire
for command in $commands
do
    contains "the manual has $command" ".SS $command" "$(cat manual.txt)"
    sed -n "/^\\.SS $command\$/,/^\\.S[SH] /p" manual.txt >section.txt
    sed -n "s/^        $command) options='\\(.*\\)' ;;/\\1/p" statewire.bash | tr ' ' '\n' >bash.txt
    sed -n "/^        $command)\$/,/;;/p" _statewire >zsh.txt
    # Options are at the front of their lines in --help; examples and texts name others.
    statewire "$command" --help | grep -E '^ +(-[a-zA-Z],)?--' | grep -o -E '^ +[-a-zA-Z0-9,]+' | tr ',' '\n' | grep -o -e '--[a-z0-9-]*' | sort -u |
        while IFS= read -r option
        do
            grep -q -e "\\\\fB$option" section.txt || echo "manual: $command $option"
            grep -q -x -e "$option" bash.txt || echo "bash: $command $option"
            grep -q -e "'\\*$option\\[" zsh.txt || echo "zsh: $command $option"
        done >missing.txt
    same "options of $command are documented" '' "$(cat missing.txt)"
done
if command -v groff >/dev/null
then
    same 'the manual page is clean roff' '' "$(groff -man -Tutf8 -ww statewire.1 2>&1 >/dev/null)"
else
    echo 'SKIPPED: no groff to format the manual page'
fi

if command -v bash >/dev/null
then
    bash -n statewire.bash
    same 'the completion is bash' 0 $?
    # completes EXPECTED WORD...: what is offered for the last word
    completes()
    {
        expected=$1
        shift
        found=$(bash -c '. ./statewire.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _statewire; echo ${COMPREPLY[@]}' bash "$@")
        same "completing $*" "$expected" "$found"
    }
    completes query statewire qu
    completes 'compressor completion' statewire comp
    completes '--require-canonical' statewire verify --req
    completes 'RowBinary RowBinaryWithNames RowBinaryWithNamesAndTypes' statewire query -f RowBinary
    completes 'PrettyCompact' statewire query -f PrettyC
    completes 'Native' statewire verify --input-format Nat
    completes 'hex' statewire convert --output-encoding h
    completes 'zsh' statewire completion z
    completes 'week.native' statewire query -q page we
else
    echo 'SKIPPED: no bash to try the completion'
fi
if command -v zsh >/dev/null
then
    zsh -n _statewire
    same 'the completion is zsh' 0 $?
    # becomes LINE EXPECTED: the line, completed at its end
    becomes() { same "zsh completing $1" "$2" "$(timeout 60 zsh -f "$here/complete.zsh" "$work" "$1")"; }
    becomes 'statewire qu' 'statewire query '
    becomes 'statewire verify --req' 'statewire verify --require-canonical '
    becomes 'statewire merge --mem' 'statewire merge --memory-limit '
    becomes 'statewire query -f PrettyC' 'statewire query -f PrettyCompact '
    becomes 'statewire convert --output-encoding h' 'statewire convert --output-encoding hex '
    becomes 'statewire completion z' 'statewire completion zsh '
    becomes 'statewire verify wee' 'statewire verify week.native '
else
    echo 'SKIPPED: no zsh to try the completion'
fi

contains 'the versions of formats' 'countMinSketch states: version 0' "$(statewire --version)"
same 'the version alone' "$(statewire --version | sed -n '1s/statewire //p')" "$(statewire --version-clean)"
refuses 'another shell' 36 "Unknown shell 'fish'" completion fish

finish
