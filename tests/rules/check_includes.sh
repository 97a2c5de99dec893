#!/bin/sh
# Checks what may include what: no stream headers, the direction of dependencies, one file for each compression library.
#   check_includes.sh SOURCE_DIRECTORY
set -eu
cd "$1"
failures=0

report()
{
    echo "$1" >&2
    failures=$((failures + 1))
}

# DataSketches' own interface has streams; a benchmark against it, in a file of its own, is the only exception.
streams=$(grep -rnE '#[[:space:]]*include[[:space:]]*<(iostream|ostream|istream|fstream|sstream|iomanip|strstream|streambuf|ios|iosfwd|syncstream)>' \
    src programs tests benchmarks fuzz --include='*.h' --include='*.cpp' | grep -v '^benchmarks/benchmark_count_min_datasketches.cpp:' || true)
[ -z "$streams" ] || report "stream headers are included:
$streams"

# One line a folder: what it may include besides itself.
allowed()
{
    case $1 in
        base) echo "" ;;
        Common) echo "base" ;;
        IO) echo "base Common" ;;
        Compression) echo "base Common IO" ;;
        CountMin | Roaring) echo "base Common IO" ;;
        Columns | DataTypes | AggregateFunctions) echo "base Common IO CountMin Roaring Columns DataTypes AggregateFunctions" ;;
        Functions | Formats | Interpreters)
            echo "base Common IO Compression CountMin Roaring Columns DataTypes AggregateFunctions Functions Formats Interpreters" ;;
        Storages) echo "base Common IO Compression Columns DataTypes AggregateFunctions Formats" ;;
        *) echo "unknown" ;;
    esac
}

for folder in $(ls src); do
    [ -d "src/$folder" ] || continue
    may=$(allowed "$folder")
    [ "$may" != unknown ] || { report "src/$folder: no rule says what it may include"; continue; }
    for used in $(grep -rhoE '#[[:space:]]*include[[:space:]]*"\.\./[A-Za-z]+/' "src/$folder" | sed 's|.*"\.\./||; s|/$||' | sort -u); do
        [ "$used" = "$folder" ] && continue
        case " $may " in
            *" $used "*) ;;
            *) report "src/$folder includes src/$used, against the direction of dependencies" ;;
        esac
    done
    wrong=$(grep -rnE '#[[:space:]]*include[[:space:]]*<(statewire|base|Common|IO)/' "src/$folder" || true)
    [ -z "$wrong" ] || report "sources include each other by relative path:
$wrong"
done

# The states are core: they know nothing of columns and types.
for state in RoaringBitmapState CountMinSketchState CountMinTopKState CountMinRangesState; do
    wrong=$(grep -nE '#[[:space:]]*include[[:space:]]*"\.\./(Columns|DataTypes)/' src/AggregateFunctions/$state.* || true)
    [ -z "$wrong" ] || report "src/AggregateFunctions/$state includes columns or types:
$wrong"
done

for header in zstd.h lz4.h; do
    users=$(grep -rlE "#[[:space:]]*include[[:space:]]*<$header>" src programs || true)
    [ "$(echo "$users" | wc -w)" -le 1 ] || report "$header belongs into one .cpp: $users"
    case $users in *.h) report "$header is included by a header: $users" ;; esac
done

wrong=$(grep -rlE '#[[:space:]]*include[[:space:]]*"(\.\./Common/)?ErrorCodes\.h"' src --include='*.h' || true)
[ -z "$wrong" ] || report "ErrorCodes.h is for .cpp files only: $wrong"

wrong=$(grep -rnE 'absl/[a-z_/]*internal|absl::Hash' src programs --include='*.h' --include='*.cpp' || true)
[ -z "$wrong" ] || report "Abseil's internals or its per-process hash are used:
$wrong"

[ "$failures" -eq 0 ] || exit 1
echo "includes are as they should be"
