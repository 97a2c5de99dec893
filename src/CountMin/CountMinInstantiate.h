#pragma once

/** Calls the macro INSTANTIATE with every weight type that images have: the one list behind the explicit instantiations. Included by .cpp files. */
#define STATEWIRE_FOR_EACH_COUNT_MIN_WEIGHT(INSTANTIATE) \
    INSTANTIATE(UInt8) \
    INSTANTIATE(UInt16) \
    INSTANTIATE(UInt32) \
    INSTANTIATE(UInt64) \
    INSTANTIATE(Int8) \
    INSTANTIATE(Int16) \
    INSTANTIATE(Int32) \
    INSTANTIATE(Int64) \
    INSTANTIATE(Float32) \
    INSTANTIATE(Float64)
