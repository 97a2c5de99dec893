#!/bin/sh
# Compiles every core file against mock headers that offer exactly the surface that core may rely on, without exceptions and without RTTI.
# Which files are core is what docs/clickhouse.md says; every file of src must have its kind there.
#   check.sh SOURCE_DIRECTORY SCRATCH_DIRECTORY COMPILER
set -eu
source=$1
scratch=$2
compiler=$3
here=$(cd "$(dirname "$0")" && pwd)

rm -rf "$scratch"
mkdir -p "$scratch/src"
cd "$source"

# Rows such as: | `src/Roaring/*` | core | ... |   The last row that matches a file decides.
rules=$(sed -n 's/^| `\(src\/[^`]*\)` | \(core\|stand-in\|adapter\) |.*/\1 \2/p' docs/clickhouse.md)
kind_of()
{
    echo "$rules" | while read -r pattern kind; do
        case $1 in $pattern) echo "$kind" ;; esac
    done | tail -n 1
}

failures=0
core_sources=""
for file in $(find src -name '*.h' -o -name '*.cpp' | sort); do
    kind=$(kind_of "$file")
    case $kind in
        core)
            mkdir -p "$scratch/$(dirname "$file")"
            cp "$file" "$scratch/$file"
            core_sources="$core_sources $file"
            ;;
        stand-in | adapter) ;;
        *) echo "$file has no kind in docs/clickhouse.md" >&2; failures=1 ;;
    esac
done

cp -r "$here/mock/." "$scratch/src/"
export scratch compiler
# A header is compiled through a file of one line: it must include what it uses. A core source that begins with its header shows that as well.
units=""
for file in $core_sources
do
    own_source=$scratch/${file%.h}.cpp
    case $file in
        *.h) [ ! -f "$own_source" ] || [ "$(grep -m 1 '^#include' "$own_source")" != "#include \"${file##*/}\"" ] || continue ;;
    esac
    units="$units $file"
done
printf '%s\n' $units | xargs -P 2 -I '{}' sh -c '
    unit=$scratch/$(echo "$1" | tr / _).unit
    echo "#include \"$scratch/$1\"" >"$unit.cpp"
    "$compiler" -std=c++20 -fno-exceptions -fno-rtti -Wall -Wextra -Werror -fsyntax-only "$unit.cpp" 2>"$unit.errors" || {
        { echo "$1 does not compile against the core surface:"; head -n 20 "$unit.errors"; } >&2
        exit 1
    }' check '{}' || failures=1
[ "$failures" -eq 0 ] || exit 1
echo "$(echo "$core_sources" | wc -w) core files compile against the core surface alone"
