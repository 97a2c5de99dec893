#!/bin/sh
# Installs the Debian packages of the named sets that are missing: build, test. Quick when nothing is.
#   scripts/install_packages.sh build test
set -eu

packages=""
optional=""
for set_name in "$@"; do
    case $set_name in
        build) packages="$packages g++ cmake ninja-build zstd libabsl-dev libzstd-dev liblz4-dev libcli11-dev nlohmann-json3-dev" ;;
        test) packages="$packages clang libclang-rt-14-dev libgtest-dev libbenchmark-dev lz4"
              # lld to libclang-rt build the WebAssembly module.
              optional="libroaring-dev clickhouse-tools lld wasi-libc libc++-14-dev-wasm32 libc++abi-14-dev-wasm32 libclang-rt-14-dev-wasm32 zsh" ;;
        *) echo "unknown set of packages: $set_name" >&2; exit 2 ;;
    esac
done
# npm brings the real engine for the interop tests. Where Node.js came with an npm of its own, Debian's would conflict with it.
case " $* " in *" test "*) command -v npm >/dev/null 2>&1 || optional="$optional npm" ;; esac

is_missing()
{
    ! dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

missing=""
for package in $packages; do
    if is_missing "$package"; then missing="$missing $package"; fi
done
wanted=""
for package in $optional; do
    if is_missing "$package"; then wanted="$wanted $package"; fi
done
[ -n "$missing$wanted" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then as_root="sudo"; fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q
if [ -n "$missing" ]; then
    $as_root apt-get install -q -y --no-install-recommends $missing
fi
# Tests that need an optional package say that they are skipped where it is absent.
for package in $wanted; do
    $as_root apt-get install -q -y --no-install-recommends "$package" || echo "optional package $package could not be installed" >&2
done
