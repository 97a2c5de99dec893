#!/bin/sh
# The program's `aggregate` from a Native file to a Native file, beside the library over the same columns in memory; prints the ratios.
# The files lie in memory, so that the disk's fsync is not measured. Arguments go to the benchmark, such as --benchmark_filter=Program/grouped.
set -eu
cd "$(dirname "$0")/.."

scripts/install_packages.sh build test
cmake --preset release
cmake --build --preset release --target benchmark_aggregator statewire_program
STATEWIRE_PROGRAM=build/release/programs/statewire
export STATEWIRE_PROGRAM
if [ -d /dev/shm ]
then
    TMPDIR=/dev/shm
    export TMPDIR
fi
build/release/benchmarks/benchmark_aggregator --benchmark_filter=Program "$@"
