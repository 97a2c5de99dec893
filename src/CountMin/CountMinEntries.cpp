#include "CountMinEntries.h"

#include "../Common/ErrorCodes.h"
#include "../Common/TrackedAllocator.h"
#include "../Common/throwError.h"
#include "../IO/VarInt.h"
#include "../IO/ZeroCopyReader.h"
#include "../base/unaligned.h"
#include "CountMinArithmetic.h"
#include "CountMinInstantiate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace DB::inline statewire
{

namespace
{
/// The first allocation: room for one short entry, not for many that may never come.
constexpr size_t FIRST_CAPACITY = 32;

/// The entry's key inside the block: lengths have one or two bytes (MAX_BYTES).
[[nodiscard]] std::string_view keyAt(const char * entry) noexcept
{
    const auto first = static_cast<UInt8>(entry[0]);
    if (first < 0x80)
        return {entry + 1, first};
    return {entry + 2, (first & size_t{0x7f}) | static_cast<size_t>(static_cast<UInt8>(entry[1])) << 7};
}

/** Compares entries with the total they are part of: at least the sum of their magnitudes, exactly it where nothing can cancel. A total of
  * floats was summed in another order, which rounds differently by up to 2^-53 an addition: one part in a million is left for that. No
  * single entry exceeds it all the same, for rounding keeps the order.
  */
template <CountMinWeight W>
class CoveredByTotal
{
public:
    explicit CoveredByTotal(W total_) noexcept : total(static_cast<CountMinMagnitude<W>>(total_)) { }

    [[nodiscard]] bool add(W weight) noexcept
    {
        const CountMinMagnitude<W> magnitude = countMinMagnitude<W>(weight);
        if constexpr (std::is_floating_point_v<W>)
        {
            if (!(magnitude <= total))
                return false;
            so_far += magnitude;
            return so_far - so_far / 1000000 <= total;
        }
        else
        {
            if (magnitude > total - so_far)
                return false;
            so_far = static_cast<CountMinMagnitude<W>>(so_far + magnitude);
            return true;
        }
    }

    [[nodiscard]] CountMinMagnitude<W> sum() const noexcept { return so_far; }

private:
    CountMinMagnitude<W> total;
    CountMinMagnitude<W> so_far = 0;
};

[[noreturn]] void throwIncorrectState(UInt64 offset, std::string_view text)
{
    throwError(ErrorCodes::INCORRECT_DATA, concat("Incorrect count-min state at byte ", offset, ": ", text));
}
}

template <CountMinWeight W>
CountMinEntries<W>::CountMinEntries(CountMinEntries && other) noexcept
    : block(std::exchange(other.block, nullptr)),
      weight_total(std::exchange(other.weight_total, W{0})),
      size(std::exchange(other.size, 0)),
      capacity(std::exchange(other.capacity, 0)),
      entries(std::exchange(other.entries, 0)),
      key_size(other.key_size)
{
}

template <CountMinWeight W>
CountMinEntries<W> & CountMinEntries<W>::operator=(CountMinEntries && other) noexcept
{
    CountMinEntries taken(std::move(other));
    std::swap(block, taken.block);
    std::swap(capacity, taken.capacity);
    weight_total = taken.weight_total;
    size = taken.size;
    entries = taken.entries;
    key_size = taken.key_size;
    return *this;
}

template <CountMinWeight W>
CountMinEntries<W> CountMinEntries<W>::clone() const
{
    CountMinEntries result(key_size);
    result.weight_total = weight_total;
    if (entries == 0)
        return result;
    result.reserve(size, entries);
    std::copy_n(block, size, result.block);
    std::copy_n(
        block + capacity - offsetBytes(entries), offsetBytes(entries), result.block + result.capacity - offsetBytes(entries));
    result.size = size;
    result.entries = entries;
    return result;
}

template <CountMinWeight W>
UInt64 CountMinEntries<W>::entrySize(UInt64 key_length) noexcept
{
    return getLengthOfVarUInt(key_length) + key_length + sizeof(W);
}

template <CountMinWeight W>
size_t CountMinEntries<W>::entryOffset(UInt32 index) const noexcept
{
    if (key_size != 0)
        return index * static_cast<size_t>(entrySize(key_size));
    return unalignedLoadLittleEndian<UInt16>(block + capacity - offsetBytes(size_t{index} + 1));
}

template <CountMinWeight W>
std::string_view CountMinEntries<W>::key(UInt32 index) const noexcept
{
    return keyAt(block + entryOffset(index));
}

template <CountMinWeight W>
W CountMinEntries<W>::weight(UInt32 index) const noexcept
{
    const std::string_view found = key(index);
    return unalignedLoadLittleEndian<W>(found.data() + found.size());
}

template <CountMinWeight W>
void CountMinEntries<W>::setWeight(UInt32 index, W weight) noexcept
{
    char * entry = block + entryOffset(index);
    const std::string_view found = keyAt(entry);
    unalignedStoreLittleEndian<W>(entry + (found.data() - entry) + found.size(), weight);
}

template <CountMinWeight W>
typename CountMinEntries<W>::Place CountMinEntries<W>::find(std::string_view wanted) const noexcept
{
    UInt32 begin = 0;
    UInt32 end = entries;
    while (begin < end)
    {
        const UInt32 middle = begin + (end - begin) / 2;
        const int order = key(middle).compare(wanted);
        if (order == 0)
            return {middle, true};
        if (order < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return {begin, false};
}

template <CountMinWeight W>
void CountMinEntries<W>::reserve(size_t bytes, size_t count)
{
    const size_t needed = bytes + offsetBytes(count);
    if (needed <= capacity)
        return;
    char * const larger = static_cast<char *>(trackedNew(needed));
    const size_t offsets = offsetBytes(entries);
    std::copy_n(block, size, larger);
    std::copy_n(block + capacity - offsets, offsets, larger + needed - offsets);
    trackedDelete(block, capacity);
    block = larger;
    capacity = static_cast<UInt32>(needed);
}

template <CountMinWeight W>
void CountMinEntries<W>::insert(UInt32 index, std::string_view key, W weight)
{
    const auto added = static_cast<size_t>(entrySize(key.size()));
    if (size + added + offsetBytes(size_t{entries} + 1) > capacity)
        reserve(std::max({size + added, size_t{capacity} * 2, FIRST_CAPACITY}), size_t{entries} + 1);

    const size_t place = index == entries ? size : entryOffset(index);
    char * entry = block + place;
    std::copy_backward(entry, block + size, block + size + added);
    char * pos = writeVarUInt(key.size(), entry);
    pos = std::copy(key.begin(), key.end(), pos);
    unalignedStoreLittleEndian<W>(pos, weight);
    size += static_cast<UInt32>(added);

    if (key_size == 0)
    {
        /// Offsets lie backwards: those of the entries behind the new one move down by one and grow.
        char * lowest = block + capacity - offsetBytes(size_t{entries} + 1);
        for (UInt32 i = entries; i > index; --i, lowest += sizeof(UInt16))
            unalignedStoreLittleEndian<UInt16>(
                lowest, static_cast<UInt16>(unalignedLoadLittleEndian<UInt16>(lowest + sizeof(UInt16)) + added));
        unalignedStoreLittleEndian<UInt16>(lowest, static_cast<UInt16>(place));
    }
    ++entries;
}

template <CountMinWeight W>
bool CountMinEntries<W>::tryAdd(std::string_view key, W weight, UInt64 limit)
{
    const W new_total = countMinCheckedTotal<W>(weight_total, countMinMagnitude<W>(weight));
    const Place place = find(key);
    if (place.found)
        /// No entry exceeds the total in magnitude, so that this sum cannot overflow either.
        setWeight(place.index, countMinWrappingSum<W>(this->weight(place.index), weight));
    else if (bytes().size() + entrySize(key.size()) <= limit)
        insert(place.index, key, weight);
    else
        return false;
    weight_total = new_total;
    return true;
}

template <CountMinWeight W>
CountMinEntries<W> CountMinEntries<W>::merged(const CountMinEntries & a, const CountMinEntries & b, W total)
{
    CountMinEntries result(a.key_size);
    result.reserve(size_t{a.size} + b.size, size_t{a.entries} + b.entries);
    UInt32 i = 0;
    UInt32 j = 0;
    while (i < a.entries || j < b.entries)
    {
        const int order = i == a.entries ? 1 : j == b.entries ? -1 : a.key(i).compare(b.key(j));
        if (order == 0)
        {
            result.append(a.key(i), countMinWrappingSum<W>(a.weight(i), b.weight(j)));
            ++i;
            ++j;
        }
        else if (order < 0)
        {
            result.append(a.key(i), a.weight(i));
            ++i;
        }
        else
        {
            result.append(b.key(j), b.weight(j));
            ++j;
        }
    }
    result.weight_total = total;
    return result;
}

template <CountMinWeight W>
CountMinEntries<W> CountMinEntries<W>::read(ZeroCopyReader & reader, UInt32 key_size, UInt64 limit, bool total_may_exceed)
{
    const UInt64 count_start = reader.offset();
    const UInt64 count = reader.readVarUInt();
    CountMinEntries<W> entries(key_size);
    if (count == 0)
        return entries;
    const UInt64 most = limit / CountMinEntries<W>::entrySize(key_size);
    if (count > most)
        throwIncorrectState(count_start, concat("expected at most ", most, " entries, found ", count));

    const UInt64 total_start = reader.offset();
    const W total = unalignedLoadLittleEndian<W>(reader.borrow(sizeof(W)).data());
    if (!(total > 0) || !(total <= std::numeric_limits<W>::max()))
        throwIncorrectState(total_start, "expected a positive finite total weight");

    CoveredByTotal<W> covered(total);
    for (UInt64 i = 0; i < count; ++i)
    {
        const UInt64 start = reader.offset();
        const UInt64 length = reader.readVarUInt();
        if (key_size != 0 && length != key_size)
            throwIncorrectState(start, concat("expected a key of ", key_size, " bytes, found a length of ", length));
        const UInt64 room = limit - entries.bytes().size();
        if (length > room || CountMinEntries<W>::entrySize(length) > room)
            throwIncorrectState(
                start, concat("expected at most ", limit, " bytes of entries, found more (this key has ", length, " bytes)"));
        const std::string_view bytes = reader.borrow(length + sizeof(W));
        const std::string_view key = bytes.substr(0, static_cast<size_t>(length));
        if (i != 0 && entries.key(entries.count() - 1) >= key)
            throwIncorrectState(start, "expected keys in strictly ascending order");
        const W weight = unalignedLoadLittleEndian<W>(bytes.data() + length);
        if (!covered.add(weight))
            throwIncorrectState(start, "expected weights that the total covers, found a larger one");
        if constexpr (std::is_floating_point_v<W>)
            if (weight == 0 && std::signbit(weight))
                throwIncorrectState(start, "expected a weight, found negative zero");
        if constexpr (std::is_unsigned_v<W>)
            if (weight == 0)
                throwIncorrectState(start, "expected a weight above 0, found 0");
        entries.append(key, weight);
    }
    if constexpr (std::is_unsigned_v<W>)
        if (!total_may_exceed && covered.sum() != total)
            throwIncorrectState(
                total_start, concat("expected the sum of the weights, ", covered.sum(), ", as the total weight, found ", total));
    entries.setTotal(total);
    return entries;
}

template <CountMinWeight W>
UInt64 CountMinEntries<W>::filledCells(const CountMinParameters & parameters) const
{
    /// Cell and entry: in a cell, floats add in key order, as in the table.
    TrackedVector<std::pair<UInt64, UInt32>> row_cells(entries);
    UInt64 filled = 0;
    for (UInt32 row = 0; row < parameters.numHashes(); ++row)
    {
        for (UInt32 i = 0; i < entries; ++i)
            row_cells[i] = {parameters.cellIndex(row, key(i)), i};
        std::sort(row_cells.begin(), row_cells.end());
        for (size_t i = 0; i < row_cells.size();)
        {
            const UInt64 cell = row_cells[i].first;
            W sum = 0;
            for (; i < row_cells.size() && row_cells[i].first == cell; ++i)
                sum = countMinWrappingSum<W>(sum, weight(row_cells[i].second));
            filled += sum != 0;
        }
    }
    return filled;
}

#define INSTANTIATE(W) template class CountMinEntries<W>;
STATEWIRE_FOR_EACH_COUNT_MIN_WEIGHT(INSTANTIATE)
#undef INSTANTIATE

}
