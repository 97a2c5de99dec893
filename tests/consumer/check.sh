#!/bin/sh
# Installs the built project into a scratch prefix and uses it from there and as a subdirectory, with the README's example in both.
#   check.sh SOURCE_DIRECTORY BUILD_DIRECTORY SCRATCH_DIRECTORY
set -eu
source=$1
build=$2
scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
[ -x "$scratch/prefix/bin/statewire" ] || { echo "the program was not installed" >&2; exit 1; }
for file in man/man1/statewire.1 bash-completion/completions/statewire zsh/site-functions/_statewire
do
    [ -s "$scratch/prefix/share/$file" ] || { echo "share/$file was not installed" >&2; exit 1; }
done

awk '/^```cpp$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$source/README.md" >"$scratch/example.cpp"
expected=$(sed -n 's/^It prints `\(.*\)`\.$/\1/p' "$source/README.md")
[ -n "$expected" ] || { echo "README.md does not say what its example prints" >&2; exit 1; }

check()
{
    name=$1
    shift
    cmake -S "$source/tests/consumer" -B "$scratch/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release -DEXAMPLE="$scratch/example.cpp" "$@" >"$scratch/log" 2>&1 \
        || { cat "$scratch/log" >&2; exit 1; }
    cmake --build "$scratch/$name" >"$scratch/log" 2>&1 || { tail -n 30 "$scratch/log" >&2; exit 1; }
    printed=$("$scratch/$name/example")
    [ "$printed" = "$expected" ] || { echo "$name: expected '$expected', the example printed '$printed'" >&2; exit 1; }
}

check installed -DCMAKE_PREFIX_PATH="$scratch/prefix"
"$scratch/installed/full"
# Not optimized: whether it builds inside another project is the question, and the library is compiled a second time for it.
check subdirectory -DSTATEWIRE_SOURCE="$source" -DCMAKE_BUILD_TYPE=None
echo "the README's example prints '$expected', installed and as a subdirectory"
