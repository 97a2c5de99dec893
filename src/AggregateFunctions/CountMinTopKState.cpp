#include "CountMinTopKState.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../CountMin/CountMinArithmetic.h"
#include "../IO/VarInt.h"
#include "../IO/WriteBufferSink.h"
#include "../IO/ZeroCopyReader.h"
#include "../base/unaligned.h"

#include <algorithm>
#include <utility>

namespace DB::inline statewire
{

UInt64 CountMinTopKState::smallLimit() const noexcept
{
    return std::min(countMinImageSize<UInt64>(shape->cells()), COUNT_MIN_MAX_SMALL_BYTES);
}

std::unique_ptr<CountMinHeavyHitters> CountMinTopKState::grown(const CountMinEntries<UInt64> & entries) const
{
    auto result = std::make_unique<CountMinHeavyHitters>(*shape, most);
    result->merge(entries);
    return result;
}

void CountMinTopKState::add(std::string_view key, UInt64 weight)
{
    if (key_size != 0 && key.size() != key_size) [[unlikely]]
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Top keys of ", key_size, " bytes: found a key of ", key.size(), " bytes"));
    if (weight == 0)
        return;
    if (!isSmall())
    {
        hitters->add(key, weight);
        return;
    }
    const UInt64 new_total = countMinCheckedTotal<UInt64>(small.total(), weight);
    const auto place = small.find(key);
    if (place.found)
        small.setWeight(place.index, small.weight(place.index) + weight);
    else if (small.bytes().size() + CountMinEntries<UInt64>::entrySize(key.size()) <= smallLimit())
        small.insert(place.index, key, weight);
    else
    {
        auto larger = grown(small);
        larger->add(key, weight);
        hitters = std::move(larger);
        small = CountMinEntries<UInt64>(key_size);
        return;
    }
    small.setTotal(new_total);
}

void CountMinTopKState::requireSameKind(const CountMinTopKState & other) const
{
    if (!(shape == other.shape || *shape == *other.shape)) [[unlikely]]
        throwIncompatibleCountMin(*shape, *other.shape);
    if (most != other.most || key_size != other.key_size) [[unlikely]]
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat("Cannot merge top keys of ", most, " and of ", other.most, " candidates, with keys of ", key_size, " and of ",
                   other.key_size, " bytes (0: strings)"));
}

void CountMinTopKState::mergeSmall(const CountMinEntries<UInt64> & entries)
{
    if (entries.count() == 0)
        return;
    if (!isSmall())
    {
        hitters->merge(entries);
        return;
    }
    const UInt64 new_total = countMinCheckedTotal<UInt64>(small.total(), entries.total());
    CountMinEntries<UInt64> both = CountMinEntries<UInt64>::merged(small, entries, new_total);
    if (both.bytes().size() <= smallLimit())
    {
        small = std::move(both);
        return;
    }
    hitters = grown(both);
    small = CountMinEntries<UInt64>(key_size);
}

void CountMinTopKState::merge(const CountMinTopKState & other)
{
    requireSameKind(other);
    if (other.isSmall())
    {
        if (this == &other)
            mergeSmall(other.small.clone());
        else
            mergeSmall(other.small);
        return;
    }
    if (!isSmall() && this != &other)
    {
        hitters->merge(*other.hitters);
        return;
    }
    auto both = std::make_unique<CountMinHeavyHitters>(*other.hitters);
    if (this == &other)
        both->merge(*other.hitters);
    else if (small.count() != 0)
        both->merge(small);
    hitters = std::move(both);
    small = CountMinEntries<UInt64>(key_size);
}

void CountMinTopKState::write(WriteBuffer & out) const
{
    WriteBufferSink sink(out);
    char * const prefix = sink.reserve(1 + VAR_UINT_MAX_SIZE);
    if (isSmall())
    {
        *prefix = static_cast<char>(countMinSmallKind(*shape));
        sink.commit(1);
        small.write(sink);
        return;
    }
    *prefix = static_cast<char>(countMinTableKind(*shape));
    sink.commit(static_cast<size_t>(writeVarUInt(countMinImageSize<UInt64>(shape->cells()), prefix + 1) - prefix));
    hitters->sketch().writeImage(sink);
    const auto write_number = [&](UInt64 number) {
        char * const start = sink.reserve(VAR_UINT_MAX_SIZE);
        sink.commit(static_cast<size_t>(writeVarUInt(number, start) - start));
    };
    write_number(hitters->candidateCount());
    hitters->forEachCandidate([&](std::string_view key, UInt64 estimate) {
        write_number(key.size());
        sink.append(key.data(), key.size());
        unalignedStoreLittleEndian<UInt64>(sink.reserve(sizeof(estimate)), estimate);
        sink.commit(sizeof(estimate));
    });
}

void CountMinTopKState::read(ReadBuffer & in)
{
    ZeroCopyReader reader(in);
    const UInt64 image_size = countMinImageSize<UInt64>(shape->cells());
    if (readCountMinKindIsSmall(reader, *shape, image_size))
    {
        small = CountMinEntries<UInt64>::read(reader, key_size, smallLimit());
        return;
    }
    auto loaded = std::make_unique<CountMinHeavyHitters>(*shape, most);
    const UInt64 start = reader.offset();
    {
        CountMinView<UInt64> view;
        const std::string_view image = reader.borrow(image_size);
        const auto result = CountMinView<UInt64>::tryParse(image, *shape, Validation::Full, view);
        if (!result.ok()) [[unlikely]]
            throwError(result.code(), result.describe(start));
        loaded->setSketch(view);
    }
    const UInt64 count_start = reader.offset();
    const UInt64 count = reader.readVarUInt();
    if (count == 0 || count > most)
        throwIncorrectCountMinState(count_start, concat("expected 1 to ", most, " candidates, found ", count));
    std::string previous;
    for (UInt64 i = 0; i < count; ++i)
    {
        const UInt64 candidate_start = reader.offset();
        const UInt64 length = reader.readVarUInt();
        if (key_size != 0 && length != key_size)
            throwIncorrectCountMinState(candidate_start, concat("expected a key of ", key_size, " bytes, found a length of ", length));
        if (length > ~UInt64{0} - sizeof(UInt64))
            throwIncorrectCountMinState(candidate_start, concat("found a key of ", length, " bytes"));
        const std::string_view bytes = reader.borrow(length + sizeof(UInt64));
        const std::string_view key = bytes.substr(0, static_cast<size_t>(length));
        if (i != 0 && key <= previous)
            throwIncorrectCountMinState(candidate_start, "expected candidates in strictly ascending order");
        const auto estimate = unalignedLoadLittleEndian<UInt64>(bytes.data() + length);
        const UInt64 largest = loaded->sketch().estimate(key);
        if (estimate == 0 || estimate > largest)
            throwIncorrectCountMinState(
                candidate_start, concat("expected a candidate's estimate from 1 to ", largest, ", that of the table, found ", estimate));
        loaded->appendCandidate(key, estimate);
        previous = key;
    }
    hitters = std::move(loaded);
}

void CountMinTopKState::readAndMerge(ReadBuffer & in)
{
    CountMinTopKState other(*shape, most, key_size);
    other.read(in);
    merge(other);
}

UInt64 CountMinTopKState::estimate(std::string_view key) const noexcept
{
    if (!isSmall())
        return hitters->sketch().estimate(key);
    const auto place = small.find(key);
    return place.found ? small.weight(place.index) : 0;
}

std::vector<CountMinTopKState::Hitter> CountMinTopKState::top(size_t k) const
{
    if (!isSmall())
        return hitters->top(k);
    std::vector<Hitter> result;
    for (UInt32 i = 0; i < small.count(); ++i)
        result.push_back({std::string(small.key(i)), small.weight(i), small.weight(i)});
    /// Entries ascend by key, and a stable sort leaves ties so.
    std::stable_sort(result.begin(), result.end(), [](const Hitter & a, const Hitter & b) { return a.estimate > b.estimate; });
    if (result.size() > k)
        result.erase(result.begin() + static_cast<std::ptrdiff_t>(k), result.end());
    return result;
}

size_t CountMinTopKState::heldBytes() const noexcept
{
    return isSmall() ? small.heldBytes() : sizeof(CountMinHeavyHitters) + hitters->heldBytes();
}

}
