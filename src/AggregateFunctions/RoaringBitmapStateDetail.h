#pragma once

#include "../Roaring/RoaringContainerSearch.h"
#include "RoaringBitmapState.h"

#include <limits>

/** What the sources of RoaringBitmapState share. */
namespace DB::inline statewire
{

namespace detail
{
/// The first value of a checked bitmap that T cannot hold, as a raw value; `found` is false when there is none.
template <typename T>
struct OutOfDomain
{
    bool found = false;
    UInt64 raw = 0;
};

template <typename T>
OutOfDomain<T> findOutOfDomain(RoaringCursor cursor)
{
    if constexpr (sizeof(T) >= 4)
        return {};
    else
    {
        /// Values T can hold are the raw values [0, max] and, for signed types, [2^32 + min, 2^32).
        constexpr UInt32 LAST_LOW = static_cast<UInt32>(std::numeric_limits<T>::max());
        constexpr UInt32 FIRST_HIGH = std::is_signed_v<T> ? static_cast<UInt32>(Int32{std::numeric_limits<T>::min()}) : 0xffffffff;
        constexpr bool HAS_HIGH = std::is_signed_v<T>;
        for (; cursor.valid(); cursor.next())
        {
            const auto base = static_cast<UInt32>(cursor.key() << 16);
            const UInt32 smallest = base | containerMinimum(cursor.container());
            const UInt32 largest = base | containerMaximum(cursor.container());
            if (largest <= LAST_LOW || (HAS_HIGH && smallest >= FIRST_HIGH))
                continue;
            return {true, smallest > LAST_LOW ? smallest : largest};
        }
        return {};
    }
}

template <typename T>
bool isLessRaw(T a, T b) noexcept
{
    return RoaringBitmapState<T>::toRaw(a) < RoaringBitmapState<T>::toRaw(b);
}
}

}
