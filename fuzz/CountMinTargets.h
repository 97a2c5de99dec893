#pragma once

#include <cstddef>
#include <cstdint>

/** What the fuzzers of count-min sketches run, as plain functions, so that ordinary tests replay their corpora. */
namespace statewire_fuzz
{

/// Images of anybody's bytes (fuzz_count_min_image.cpp). The first bytes choose weight type, scheme and shape.
int fuzzCountMinImage(const std::uint8_t * data, std::size_t size);
/// States of anybody's bytes (fuzz_count_min_state.cpp). The first bytes choose weight type, key size, scheme, option and shape.
int fuzzCountMinState(const std::uint8_t * data, std::size_t size);
/// States of countMinTopK and countMinRanges of anybody's bytes (fuzz_count_min_beyond.cpp). The first bytes choose which, sizes and shape.
int fuzzCountMinBeyond(const std::uint8_t * data, std::size_t size);

}
