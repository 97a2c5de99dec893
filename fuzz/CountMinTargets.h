#pragma once

#include <cstddef>
#include <cstdint>

/** What the fuzzers of count-min sketches run, as plain functions, so that ordinary tests replay their corpora. */
namespace statewire_fuzz
{

/// Images of anybody's bytes (fuzz_count_min_image.cpp). The first bytes choose weight type, scheme and shape.
int fuzzCountMinImage(const std::uint8_t * data, std::size_t size);
/// States of anybody's bytes (fuzz_count_min_state.cpp). The first bytes choose weight type, key size, scheme, shape and tearing.
int fuzzCountMinState(const std::uint8_t * data, std::size_t size);

}
