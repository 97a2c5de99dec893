#!/bin/sh
# Installs what is needed, builds a release and runs the main job on the bundled table: GROUP BY into states, merge, answers, checked.
set -eu
cd "$(dirname "$0")/.."

scripts/install_packages.sh build
mkdir -p build
cmake --preset release -DSTATEWIRE_WARNINGS_AS_ERRORS=OFF -DSTATEWIRE_BUILD_TESTS=OFF -DSTATEWIRE_BUILD_BENCHMARKS=OFF -B build/run >build/run.configure.log 2>&1 || {
    cat build/run.configure.log >&2
    exit 1
}
cmake --build build/run --target statewire_program
exec scripts/main_job.sh build/run/programs/statewire
