# For the scripts beside this one: `. common.sh` with the program's path as $1. Ends with the number of checks; exit code 1 when one failed.
set -u
LC_ALL=C
export LC_ALL

statewire=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
[ -x "$statewire" ] || { echo "there is no program $statewire" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
cd "$work" || exit 1

checks=0
failures=0

fail()
{
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$1"
    shift
    for line in "$@"; do printf '    %s\n' "$line"; done
}

# same NAME EXPECTED FOUND
same()
{
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1" "expected: $2" "found:    $3"
}

# contains NAME PART TEXT
contains()
{
    checks=$((checks + 1))
    case $3 in
        *"$2"*) ;;
        *) fail "$1" "expected in it: $2" "found:          $3" ;;
    esac
}

# prints NAME EXPECTED_STDOUT ARGUMENT...    exit code 0, nothing on stderr
prints()
{
    name=$1
    expected=${2:+"$2
"}
    shift 2
    found=$("$statewire" "$@" 2>stderr; echo "exit code $?")
    same "$name" "${expected}exit code 0" "$found"
    same "$name: stderr" '' "$(cat stderr)"
}

# refuses_in LINES NAME EXIT_CODE PART_OF_STDERR ARGUMENT...    nothing on stdout, that many lines on stderr
refuses_in()
{
    lines=$1
    name=$2
    code=$3
    part=$4
    shift 4
    "$statewire" "$@" >stdout 2>stderr
    same "$name: exit code" "$code" $?
    contains "$name: stderr" "$part" "$(cat stderr)"
    same "$name: lines on stderr" "$lines" "$(wc -l <stderr | tr -d ' ')"
    same "$name: stdout" '' "$(cat stdout)"
}

refuses() { refuses_in 1 "$@"; }

# The same for an error in a text that is shown with a caret: two lines more.
refuses_text() { refuses_in 3 "$@"; }

# Whether to run the next case of a long list: each is, or with a sanitizer one in STATEWIRE_SAMPLED_ONE_IN, evenly and others each time.
one_in=${STATEWIRE_SAMPLED_ONE_IN:-1}
sample_seed=${STATEWIRE_SEED:-$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}
sample_seen=0
sampled()
{
    sample_seen=$((sample_seen + 1))
    [ $(((sample_seen + sample_seed) % one_in)) -eq 0 ]
}

finish()
{
    [ "$one_in" -eq 1 ] || echo "sampled one in $one_in of $sample_seen cases, seed $sample_seed (STATEWIRE_SEED repeats it)"
    echo "$checks checks, $failures failed"
    [ "$failures" -eq 0 ] && [ "$checks" -gt 0 ]
}
