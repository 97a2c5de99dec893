#!/bin/sh
# Our aggregation beside the real engine's over the same columns, both with one thread; prints the ratios. Takes some minutes.
# Arguments go to the benchmark, such as --benchmark_filter=Rows/random32.
set -eu
cd "$(dirname "$0")/.."

scripts/install_packages.sh build test
engine_directory=${STATEWIRE_ENGINE_DIRECTORY:-build/engine}
STATEWIRE_ENGINE_LIB=${STATEWIRE_ENGINE_LIB:-$(scripts/install_engine.sh "$engine_directory" | tail -n 1)}
export STATEWIRE_ENGINE_LIB
cmake --preset release
cmake --build --preset release --target benchmark_engine engine_process
STATEWIRE_ENGINE_PROCESS=build/release/tests/interop/engine_process
export STATEWIRE_ENGINE_PROCESS
build/release/benchmarks/benchmark_engine "$@"
