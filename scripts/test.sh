#!/bin/sh
# Installs what is needed, builds and runs all tests: with AddressSanitizer and UndefinedBehaviorSanitizer, with ThreadSanitizer, and as a
# release with the real engine. Name presets to run only those: scripts/test.sh release
set -eu
cd "$(dirname "$0")/.."

scripts/install_packages.sh build test

# Outside the build folders, so that a clean build does not fetch half a gigabyte again.
engine_directory=${STATEWIRE_ENGINE_DIRECTORY:-build/engine}
if engine_library=$(scripts/install_engine.sh "$engine_directory" | tail -n 1) && [ -f "$engine_library" ]; then
    export STATEWIRE_ENGINE_LIB="$engine_library"
else
    echo "SKIPPED: the tests that talk to the real engine, since it could not be installed"
fi

for preset in ${@:-asan tsan release}; do
    echo "== $preset"
    cmake --preset "$preset"
    cmake --build --preset "$preset"
    ctest --preset "$preset" --no-tests=error
done
