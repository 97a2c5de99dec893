#include "RoaringExpand.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "RoaringKernelTable.h"
#include "RoaringQueries.h"

#include <algorithm>
#include <array>

namespace DB::inline statewire
{

namespace
{
/// Words of a bitset that are decoded at once, so that what is decoded stays in the first-level cache.
constexpr size_t DECODED_WORDS = 64;

void requireMemory(UInt64 elements, UInt64 element_size, UInt64 max_bytes)
{
    if (elements > max_bytes / element_size)
        throwError(
            ErrorCodes::MEMORY_LIMIT_EXCEEDED,
            concat("Expanding a Roaring bitmap: expected at most ", max_bytes, " bytes, found ", elements, " elements of ", element_size));
}

template <typename T>
void widen(const char * values, size_t n, UInt64 base, T * to) noexcept
{
    if constexpr (sizeof(T) == 4)
        roaringKernels().widen32(values, n, static_cast<UInt32>(base), to);
    else
        roaringKernels().widen64(values, n, base, to);
}

/// Writes at most `room` values and returns how many.
template <typename T>
size_t expand(ContainerView container, UInt64 base, T * to, size_t room) noexcept
{
    if (container.kind == ContainerKind::Array)
    {
        const auto n = std::min<size_t>(container.size, room);
        widen(container.data, n, base, to);
        return n;
    }
    size_t written = 0;
    if (container.kind == ContainerKind::Run)
    {
        for (size_t i = 0; i < container.size; ++i)
        {
            const UInt32 first = runStart(container.data, i);
            const UInt32 last = std::min(runLast(container.data, i), CONTAINER_VALUES - 1);
            const auto n = static_cast<UInt32>(std::min<size_t>(last - first + 1, room - written));
            if constexpr (sizeof(T) == 4)
                roaringKernels().fill32(static_cast<UInt32>(base) + first, n, to + written);
            else
                roaringKernels().fill64(base + first, n, to + written);
            written += n;
        }
        return written;
    }
    std::array<char, 2 * 64 * DECODED_WORDS + KERNEL_SLACK> decoded;
    for (size_t i = 0; i < BITSET_WORDS; i += DECODED_WORDS)
    {
        const size_t found
            = roaringKernels().bits_to_array(container.data + 8 * i, DECODED_WORDS, static_cast<UInt16>(64 * i), decoded.data());
        const size_t n = std::min(found, room - written);
        widen(decoded.data(), n, base, to + written);
        written += n;
    }
    return written;
}

template <typename T>
std::vector<T> toArray(const RoaringSnapshot & set, UInt64 max_bytes)
{
    UInt64 cardinality = 0;
    for (RoaringCursor at = set.cursor(); at.valid(); at.next())
    {
        cardinality += at.cardinality();
        if (sizeof(T) == 4 && at.key() > 0xffff)
            throwError(
                ErrorCodes::ARGUMENT_OUT_OF_BOUND,
                concat("Value does not fit 32 bits: expected at most 4294967295, found at least ", at.key() << 16));
    }
    requireMemory(cardinality, sizeof(T), max_bytes);
    std::vector<T> result(static_cast<size_t>(cardinality));
    size_t written = 0;
    for (RoaringCursor at = set.cursor(); at.valid(); at.next())
        written += expand(at.container(), at.key() << 16, result.data() + written, result.size() - written);
    /// Less only where bytes that were not checked claim more than they hold.
    result.resize(written);
    return result;
}
}

std::vector<UInt64> roaringToArray(const RoaringSnapshot & set, UInt64 max_bytes)
{
    return toArray<UInt64>(set, max_bytes);
}

std::vector<UInt32> roaringToArray32(const RoaringSnapshot & set, UInt64 max_bytes)
{
    return toArray<UInt32>(set, max_bytes);
}

std::vector<UInt64> roaringToBits(const RoaringSnapshot & set, UInt64 max_bytes)
{
    const std::optional<UInt64> maximum = roaringMaximum(set);
    if (!maximum)
        return {};
    requireMemory(*maximum / 64 + 1, 8, max_bytes);
    std::vector<UInt64> result(static_cast<size_t>(*maximum / 64 + 1));
    for (RoaringCursor at = set.cursor(); at.valid(); at.next())
    {
        std::array<char, BITSET_BYTES> words{};
        addToBitset(words.data(), at.container());
        const UInt64 begin = at.key() * BITSET_WORDS;
        if (begin >= result.size())
            break;
        const size_t n = std::min<size_t>(BITSET_WORDS, result.size() - static_cast<size_t>(begin));
        for (size_t i = 0; i < n; ++i)
            result[static_cast<size_t>(begin) + i] = bitsetWord(words.data(), i);
    }
    return result;
}

RoaringBitmap roaringFromBits(std::span<const UInt64> words)
{
    RoaringBuilder builder;
    for (size_t begin = 0; begin < words.size(); begin += BITSET_WORDS)
    {
        std::array<char, BITSET_BYTES> bits{};
        const size_t n = std::min<size_t>(BITSET_WORDS, words.size() - begin);
        UInt64 any = 0;
        for (size_t i = 0; i < n; ++i)
        {
            any |= words[begin + i];
            unalignedStoreLittleEndian<UInt64>(bits.data() + 8 * i, words[begin + i]);
        }
        if (any != 0)
            builder.append(begin / BITSET_WORDS, containerFromBitset(bits.data()));
    }
    return builder.finish();
}

}
