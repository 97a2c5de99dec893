#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/** What the fuzzers of buffers and frames run, as plain functions, so that ordinary tests replay their corpora. */
namespace statewire_fuzz
{

/// Frames and standard streams of anybody's bytes (fuzz_frames.cpp). The first byte chooses what they are and how they are torn.
int fuzzFrames(const std::uint8_t * data, std::size_t size);
/// A program of reads over a source that is torn in different ways (fuzz_zero_copy_reader.cpp).
int fuzzZeroCopyReader(const std::uint8_t * data, std::size_t size);

inline void checkAt(bool holds, const char * what, int line)
{
    if (holds)
        return;
    std::fprintf(stderr, "line %d: %s does not hold\n", line, what);
    std::abort();
}

}

#define FUZZ_CHECK(condition) ::statewire_fuzz::checkAt((condition), #condition, __LINE__)
