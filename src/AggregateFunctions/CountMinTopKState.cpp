#include "CountMinTopKState.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../IO/VarInt.h"
#include "../base/unaligned.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
/// Of a candidate that starts at `start`, behind the length of its key.
[[nodiscard]] UInt64 keySizeWithEstimate(UInt64 start, UInt64 key_length)
{
    if (key_length > ~UInt64{0} - sizeof(UInt64))
        throwIncorrectCountMinState(start, concat("found a key of ", key_length, " bytes"));
    return key_length + sizeof(UInt64);
}
}

void CountMinTopKState::add(std::string_view key, UInt64 weight)
{
    if (keySize() != 0 && key.size() != keySize()) [[unlikely]]
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Top keys of ", keySize(), " bytes: found a key of ", key.size(), " bytes"));
    addKeyOrGrow(key, weight);
}

void CountMinTopKState::skip(ReadBuffer & in)
{
    ZeroCopyReader reader(in);
    if (skipCountMinState(reader))
        return;
    for (UInt64 left = reader.readVarUInt(); left != 0; --left)
    {
        const UInt64 start = reader.offset();
        reader.skip(keySizeWithEstimate(start, reader.readVarUInt()));
    }
}

void CountMinTopKState::requireSameKind(const CountMinTopKState & other) const
{
    if (most != other.most || keySize() != other.keySize()) [[unlikely]]
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat("Cannot merge top keys of ", most, " and of ", other.most, " candidates, with keys of ", keySize(), " and of ",
                   other.keySize(), " bytes (0: strings)"));
}

void CountMinTopKState::writeLarge(WriteBufferSink<WriteBuffer> & sink) const
{
    large->sketch().writeImage(sink);
    const auto write_number = [&](UInt64 number) {
        char * const start = sink.reserve(VAR_UINT_MAX_SIZE);
        sink.commit(static_cast<size_t>(writeVarUInt(number, start) - start));
    };
    write_number(large->candidateCount());
    large->forEachCandidate([&](std::string_view key, UInt64 estimate) {
        write_number(key.size());
        sink.append(key.data(), key.size());
        unalignedStoreLittleEndian<UInt64>(sink.reserve(sizeof(estimate)), estimate);
        sink.commit(sizeof(estimate));
    });
}

TrackedPtr<CountMinHeavyHitters> CountMinTopKState::readLarge(ZeroCopyReader & reader) const
{
    auto loaded = makeLarge();
    const UInt64 start = reader.offset();
    {
        CountMinView<UInt64> view;
        const std::string_view image = reader.borrow(largeSize());
        const auto result = CountMinView<UInt64>::tryParse(image, *shape, Validation::Full, view);
        if (!result.ok()) [[unlikely]]
            throwError(result.code(), result.describe(start));
        loaded->setSketch(view);
    }
    const UInt64 count_start = reader.offset();
    const UInt64 count = reader.readVarUInt();
    if (count == 0 || count > most)
        throwIncorrectCountMinState(count_start, concat("expected 1 to ", most, " candidates, found ", count));
    TrackedString previous;
    for (UInt64 i = 0; i < count; ++i)
    {
        const UInt64 candidate_start = reader.offset();
        const UInt64 length = reader.readVarUInt();
        if (keySize() != 0 && length != keySize())
            throwIncorrectCountMinState(candidate_start, concat("expected a key of ", keySize(), " bytes, found a length of ", length));
        const std::string_view bytes = reader.borrow(keySizeWithEstimate(candidate_start, length));
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
    return loaded;
}

UInt64 CountMinTopKState::estimate(std::string_view key) const noexcept
{
    if (!isSmall())
        return large->sketch().estimate(key);
    const auto place = small.find(key);
    return place.found ? small.weight(place.index) : 0;
}

std::vector<CountMinTopKState::Hitter> CountMinTopKState::top(size_t k) const
{
    if (!isSmall())
        return large->top(k);
    std::vector<Hitter> result;
    for (UInt32 i = 0; i < small.count(); ++i)
        result.push_back({std::string(small.key(i)), small.weight(i), small.weight(i)});
    /// Entries ascend by key, and a stable sort leaves ties so.
    std::stable_sort(result.begin(), result.end(), [](const Hitter & a, const Hitter & b) { return a.estimate > b.estimate; });
    if (result.size() > k)
        result.erase(result.begin() + static_cast<std::ptrdiff_t>(k), result.end());
    return result;
}

}
