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
for file in $core_sources; do
    # A header is compiled through a file of one line: it must include what it uses.
    echo "#include \"$scratch/$file\"" >"$scratch/unit.cpp"
    "$compiler" -std=c++20 -fno-exceptions -fno-rtti -Wall -Wextra -Werror -fsyntax-only "$scratch/unit.cpp" 2>"$scratch/errors" || {
        echo "$file does not compile against the core surface:" >&2
        head -n 20 "$scratch/errors" >&2
        failures=1
    }
done
[ "$failures" -eq 0 ] || exit 1
echo "$(echo "$core_sources" | wc -w) core files compile against the core surface alone"
