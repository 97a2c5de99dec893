#include "RoaringBitmapFunctions.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

void detail::throwTransformSizesDiffer(size_t from, size_t to)
{
    throwError(
        ErrorCodes::BAD_ARGUMENTS, concat("For bitmapTransform, lists of the same length are expected: found ", from, " and ", to, " values"));
}

void detail::throwArrayTooLarge(UInt64 elements, UInt64 element_size, UInt64 max_bytes)
{
    throwError(
        ErrorCodes::MEMORY_LIMIT_EXCEEDED,
        concat("Array of a bitmap: expected at most ", max_bytes, " bytes, found ", elements, " elements of ", element_size));
}

void detail::throwIndexTooLarge(UInt64 index, UInt64 cardinality)
{
    throwError(
        ErrorCodes::ARGUMENT_OUT_OF_BOUND, concat("Value of a bitmap by index: expected an index below ", cardinality, ", found ", index));
}

}
