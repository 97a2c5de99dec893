#!/bin/sh
# Installs the real engine that some tests compare with: ClickHouse as one shared library, from npm.
#
#   scripts/install_engine.sh DIR
#
# Everything goes into DIR, nothing into the source tree. The last line on stdout is the path of libchdb.so, and the exit code is 0.
# When the engine can't be had on this machine, one line on stderr says why and the exit code is 3: the tests that need it are then skipped.
# The library is about 540 MB on disk, so a second call only looks whether it is there.
set -eu

package='@chdb/lib-linux-x64-gnu'
version='26.7.3-stable.1'

skip()
{
    echo "engine: skipped: $1" >&2
    exit 3
}

[ $# -eq 1 ] || { echo "usage: $0 DIR" >&2; exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)

path="node_modules/$package/libchdb.so"
library="$dir/$version/$path"

if [ -s "$library" ]; then
    echo "engine: $package $version is installed"
    echo "$library"
    exit 0
fi

[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || skip "$package is built for Linux on x86-64 only, this is $(uname -s) on $(uname -m)"
command -v npm >/dev/null 2>&1 || skip "npm is not installed"

# Installed beside its final place and moved there when whole: an interrupted installation is never taken for a good one, and an npm that
# is still cleaning up after itself can't disturb the next one.
find "$dir" -maxdepth 1 -name 'new-*' -mmin +60 -exec rm -rf {} +
new=$(mktemp -d "$dir/new-XXXXXX")
trap 'rm -rf "$new"' EXIT
trap 'exit 130' HUP INT TERM
log="$dir/npm.log"

if ! npm install --prefix "$new" --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --no-update-notifier --no-progress \
    --fetch-retries=2 --fetch-retry-mintimeout=2000 --fetch-retry-maxtimeout=5000 "$package@$version" >"$log" 2>&1 </dev/null
then
    # npm says an error in several lines; its code is the part that fits into one.
    code=$(sed -n 's/^npm [Ee][Rr][Rr][A-Za-z]*!* code //p' "$log" | head -n 1)
    skip "npm could not install $package@$version (${code:-unknown error}, see $log)"
fi
[ -s "$new/$path" ] || skip "$package@$version came without libchdb.so (see $log)"

chmod 755 "$new"
rm -rf "${dir:?}/$version"
mv "$new" "$dir/$version"
echo "engine: $package $version is now installed"
echo "$library"
