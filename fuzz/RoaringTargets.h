#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

/** What the fuzzers of Roaring bitmaps run, as plain functions, so that ordinary tests replay their corpora. */
namespace statewire_fuzz
{

/// A program of set operations against a model (fuzz_roaring_program.cpp).
void runRoaringProgram(std::string_view bytes);
/// Every question and operation on views over these bytes (fuzz_roaring_view.cpp). The first byte chooses the format. True for bytes whose
/// structure holds and whose contents lie.
bool runRoaringView(std::string_view bytes);
/// States and the layouts of other systems (fuzz_roaring_state.cpp). The first byte chooses the type or the layout.
void runRoaringState(std::string_view bytes);

inline void requireAt(bool holds, const char * what, int line)
{
    if (holds)
        return;
    std::fprintf(stderr, "line %d: %s does not hold\n", line, what);
    std::abort();
}

}

#define require(condition) ::statewire_fuzz::requireAt((condition), #condition, __LINE__)
