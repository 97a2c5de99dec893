#pragma once

#include <cstddef>
#include <cstdint>

/** What the fuzzers of formats and part files run, as plain functions, so that ordinary tests replay their corpora. */
namespace statewire_fuzz
{

/// Text formats (fuzz_text_formats.cpp). The first byte chooses the format: whole and torn input must give the same rows or the same error.
int fuzzTextFormats(const std::uint8_t * data, std::size_t size);
/// checksums.txt, marks and columns.txt (fuzz_part_files.cpp). The first byte chooses which.
int fuzzPartFiles(const std::uint8_t * data, std::size_t size);

}
