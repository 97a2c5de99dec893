# What goes to which stream, and with which exit code.
. "$(dirname "$0")/common.sh"

for command in '' aggregate merge query inspect
do
    # shellcheck disable=SC2086
    found=$("$statewire" $command --help 2>stderr)
    same "$command --help: exit code" 0 $?
    contains "$command --help" 'Usage: statewire' "$found"
    contains "$command --help has examples or commands" 'statewire' "$found"
    same "$command --help: stderr" '' "$(cat stderr)"
done
contains '--version' 'statewire ' "$("$statewire" --version)"

refuses 'no command' 36 'Bad arguments: ' --progress
refuses 'nothing at all' 36 'Bad arguments: '
refuses 'an unknown command' 36 "Bad arguments: Unknown command 'agregate'" agregate
refuses 'an unknown option' 36 'Bad arguments: The following argument was not expected: --kyes' merge --kyes a x
refuses 'a missing option' 36 'Bad arguments: --query is required' query x.native
refuses 'an option without its value' 36 'Bad arguments: ' query x.native -q

printf '1\t2\n' >rows.tsv
printf '1\ttwo\n' >words.tsv
refuses 'no structure' 36 'a structure is required' aggregate --aggregates 'groupBitmap(a)' rows.tsv
refuses 'a file that is not there' 107 "(in file 'nowhere.tsv'). (FILE_DOESNT_EXIST)" aggregate -S 'a UInt8' --aggregates 'groupBitmap(a)' nowhere.tsv
refuses 'an unknown format' 73 'UNKNOWN_FORMAT' aggregate -S 'a UInt8' --aggregates 'groupBitmap(a)' --input-format Parquet rows.tsv
refuses 'an unknown output format' 73 'UNKNOWN_FORMAT' aggregate -S 'a UInt8' --aggregates 'groupBitmap(a)' -f Parquet rows.tsv
refuses 'an unknown codec' 176 'UNKNOWN_CODEC' aggregate -S 'a UInt8' --aggregates 'groupBitmap(a)' --compression GZIP rows.tsv
refuses 'a level that there is not' 36 'BAD_ARGUMENTS' aggregate -S 'a UInt8' --aggregates 'groupBitmap(a)' --compression 'ZSTD(99)' rows.tsv
refuses 'an unknown input compression' 36 'auto, none, frames, zst and lz4' aggregate -S 'a UInt8' --aggregates 'groupBitmap(a)' --input-compression gzip rows.tsv
refuses 'an unknown type' 50 'UNKNOWN_TYPE' aggregate -S 'a Unit8' --aggregates 'groupBitmap(a)' rows.tsv
refuses_text 'a bad structure' 62 'SYNTAX_ERROR' aggregate -S 'a' --aggregates 'groupBitmap(a)' rows.tsv
refuses 'an unknown key' 47 'UNKNOWN_IDENTIFIER' aggregate -S 'a UInt8, b UInt8' --keys c --aggregates 'groupBitmap(a)' rows.tsv
refuses 'an unknown argument' 47 'UNKNOWN_IDENTIFIER' aggregate -S 'a UInt8, b UInt8' --aggregates 'groupBitmap(c)' rows.tsv
refuses 'an unknown aggregate' 63 'UNKNOWN_AGGREGATE_FUNCTION' aggregate -S 'a UInt8, b UInt8' --aggregates 'groupBitmat(a)' rows.tsv
refuses 'an argument of another type' 43 'ILLEGAL_TYPE_OF_ARGUMENT' aggregate -S 'a String, b UInt8' --aggregates 'groupBitmap(a)' rows.tsv
refuses 'a row that does not parse' 72 "while reading row 1, column 'b', at byte 2): (in file 'words.tsv'). (CANNOT_PARSE_NUMBER)" \
    aggregate -S 'a UInt8, b UInt8' --aggregates 'groupBitmap(a)' words.tsv
refuses 'a row that is too long' 27 'CANNOT_PARSE_INPUT_ASSERTION_FAILED' aggregate -S 'a UInt8' --aggregates 'groupBitmap(a)' rows.tsv

"$statewire" aggregate -S 'a UInt8, b UInt32' --keys a --aggregates 'groupBitmap(b) AS s' -o states.native rows.tsv
"$statewire" aggregate -S 'a UInt16, b UInt32' --keys a --aggregates 'groupBitmap(b) AS s' -o other.native rows.tsv
refuses 'files of different types' 53 "(in file 'other.native'). (TYPE_MISMATCH)" merge states.native other.native
refuses 'a key that is no key' 43 'is neither a key nor a state' merge --keys s states.native
refuses_text 'a syntax error' 62 'Syntax error at position 3 (the end)' query -q 'a,' states.native
refuses_text 'an unknown function' 46 'UNKNOWN_FUNCTION' query -q 'bitmapCount(s)' states.native
refuses_text 'an unknown column' 47 'at position 4' query -q 'a, c' states.native
head -c 40 states.native >cut.native
refuses 'a file that was cut' 33 "(in file 'cut.native'). (CANNOT_READ_ALL_DATA)" merge cut.native
: >empty.native
refuses 'only empty files' 36 'No input says what its columns are' merge empty.native empty.native

# A reader that goes away is an error of writing; so is a full device.
"$statewire" aggregate -S 'a UInt8, b UInt32' --keys b --aggregates 'groupBitmap(a) AS s' -o many.native - 2>/dev/null <<ROWS
$(seq 1 50000 | sed 's/^/1	/')
ROWS
{ "$statewire" query -q 'b, b, b, b, b, b, b, b, b, b, b' many.native 2>stderr; echo $? >code; } | head -c 1 >/dev/null
# The whole output may have fitted into the pipe.
case $(cat code) in
    0) ;;
    *)
        same 'a broken pipe: exit code' 75 "$(cat code)"
        contains 'a broken pipe' 'CANNOT_WRITE_TO_FILE_DESCRIPTOR' "$(cat stderr)"
        ;;
esac
if [ -c /dev/full ]
then
    refuses 'a full device' 75 'CANNOT_WRITE_TO_FILE_DESCRIPTOR' query -q a -o /dev/full states.native
fi

# Compressions and formats that are known to the world, but not read.
if command -v gzip >/dev/null
then
    gzip -c rows.tsv >rows.tsv.gz
    refuses 'a gzip file' 89 'compressed by gzip, which is not read' query -S 'a UInt8, b UInt8' -q a rows.tsv.gz
    refuses "a gzip file for merge" 89 'UNKNOWN_COMPRESSION_METHOD' merge rows.tsv.gz
fi
printf '\3757zXZ\0\0\004' >rows.xz
refuses 'an xz file' 89 'compressed by xz' query -S 'a UInt8' -q a --input-format TSV rows.xz
printf 'BZh91AY&SY' >rows.bz2
refuses 'a bzip2 file' 89 'compressed by bzip2' query -S 'a UInt8' -q a --input-format TSV rows.bz2
refuses 'an output that is named .gz' 89 'ends in .gz, which is not written' query -q a -o out.tsv.gz states.native
cp rows.tsv rows.Parquet
refuses 'a Parquet file' 73 "says Parquet, which is no format here: give another name, or --input-format: (in file 'rows.Parquet')" query -S 'a UInt8' -q a rows.Parquet
refuses 'an output that is named .parquet' 73 'says Parquet' query -q a -o out.parquet states.native
same 'nothing was written' '' "$(ls | grep '^out\.')"
# A block of Native may begin like a gzip file: 31 columns and 1035 rows.
printf '\037\213\010\001c\005UInt8' >columns.native
refuses 'a block that begins like gzip' 33 'CANNOT_READ_ALL_DATA' query -q c columns.native

cp rows.tsv rows.txt
same 'a file that is not there is taken for nothing' '' "$("$statewire" verify nowhere 2>&1 | grep 'taken for')"
refuses 'a format that nobody said' 33 "(taken for Native, as neither --input-format nor the input's name says a format): (in file 'rows.txt')" query -q a rows.txt
refuses 'a format that was said' 33 "byte 4): (in file 'rows.txt')" query -q a --input-format Native rows.txt

finish
