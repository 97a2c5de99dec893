#include "RoaringView.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "RoaringCursor.h"
#include "RoaringKernelTable.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
/// The smallest bucket of the 64-bit form: its key and an empty bitmap.
constexpr UInt64 SMALLEST_BUCKET = 4 + 8;

/// Checks one image; offsets in results count from the start of the whole input.
class Parser
{
public:
    Parser(std::string_view bytes_, Validation validation_) noexcept : bytes(bytes_), full(validation_ == Validation::Full) { }

    bool parse32() noexcept;
    bool parse64() noexcept;

    [[nodiscard]] const RoaringParseResult & result() const noexcept { return outcome; }
    [[nodiscard]] UInt64 consumed() const noexcept { return pos; }
    [[nodiscard]] bool isCanonical() const noexcept { return full && canonical; }
    /// Of all containers, where the validation is full.
    UInt64 cardinality = 0;

private:
    bool fail(RoaringError error, UInt64 at, UInt64 expected = 0, UInt64 found = 0) noexcept
    {
        outcome = {error, at, expected, found};
        return false;
    }
    bool need(UInt64 n) noexcept { return bytes.size() - pos >= n || fail(RoaringError::Truncated, pos, n, bytes.size() - pos); }
    [[nodiscard]] const char * at(UInt64 offset) const noexcept { return bytes.data() + offset; }
    template <typename T>
    [[nodiscard]] T load(UInt64 offset) const noexcept
    {
        return unalignedLoadLittleEndian<T>(at(offset));
    }

    bool parseHeader() noexcept;
    bool parseByOffsets() noexcept;
    bool parseSparse() noexcept;
    bool checkKeys() noexcept;
    bool parseContainer(UInt32 index) noexcept;
    bool checkArray(UInt32 size) noexcept;
    bool checkBitset(UInt32 claimed) noexcept;
    bool checkRuns(UInt32 runs, UInt32 claimed) noexcept;
    [[nodiscard]] bool looksLikeJavaLegacy() const noexcept;

    std::string_view bytes;
    bool full;
    bool canonical = true;
    UInt64 pos = 0;
    RoaringParseResult outcome;

    /// Of the current 32-bit image.
    UInt32 count = 0;
    UInt64 image_begin = 0;
    UInt64 run_flags = 0;
    UInt64 descriptions = 0;
    UInt64 offsets = 0;
    bool has_run_cookie = false;
    bool has_offsets = false;
};

bool Parser::parseHeader() noexcept
{
    image_begin = pos;
    if (!need(4))
        return false;
    const auto cookie = load<UInt32>(pos);
    has_run_cookie = (cookie & 0xffff) == COOKIE_WITH_RUNS;
    if (!has_run_cookie && cookie != COOKIE_WITHOUT_RUNS)
        return fail(RoaringError::BadCookie, pos, COOKIE_WITHOUT_RUNS, cookie);
    pos += 4;
    if (has_run_cookie)
    {
        count = (cookie >> 16) + 1;
        run_flags = pos;
        const UInt32 flag_bytes = (count + 7) / 8;
        if (!need(flag_bytes))
            return false;
        pos += flag_bytes;
        const UInt32 used_bits = count % 8;
        if (used_bits != 0 && load<UInt8>(pos - 1) >> used_bits != 0)
            canonical = false;
    }
    else
    {
        if (!need(4))
            return false;
        count = load<UInt32>(pos);
        if (count > MAX_CONTAINERS_32)
            return fail(RoaringError::TooManyContainers, pos, MAX_CONTAINERS_32, count);
        pos += 4;
    }
    has_offsets = !has_run_cookie || count >= NO_OFFSET_THRESHOLD;
    descriptions = pos;
    offsets = descriptions + UInt64{4} * count;
    const UInt64 rest = UInt64{has_offsets ? 8u : 4u} * count;
    if (!need(rest))
        return false;
    pos += rest;
    return true;
}

bool Parser::checkKeys() noexcept
{
    for (UInt32 i = 1; i < count; ++i)
    {
        const auto previous = load<UInt16>(descriptions + UInt64{4} * (i - 1));
        const auto key = load<UInt16>(descriptions + UInt64{4} * i);
        if (key <= previous)
            return fail(RoaringError::KeysNotIncreasing, descriptions + UInt64{4} * i, previous, key);
    }
    return true;
}

/// The structure of an image with offsets, when nothing is wrong with it. Every container is found by its own offset, so that none waits
/// for the one before; false sends the image to the walk that knows the reason.
bool Parser::parseByOffsets() noexcept
{
    const char * image = at(image_begin);
    const char * description = at(descriptions);
    const char * offset = at(offsets);
    const char * flags = has_run_cookie ? at(run_flags) : nullptr;
    const UInt64 available = bytes.size() - image_begin;
    UInt64 expected = pos - image_begin;
    Int32 previous_key = -1;
    bool right = true;
    for (UInt32 i = 0; i < count; ++i)
    {
        const auto both = unalignedLoadLittleEndian<UInt32>(description + UInt64{4} * i);
        const UInt64 begin = unalignedLoadLittleEndian<UInt32>(offset + UInt64{4} * i);
        const auto key = static_cast<Int32>(both & 0xffff);
        const UInt32 cardinality = (both >> 16) + 1;
        right &= begin == expected;
        right &= key > previous_key;
        previous_key = key;
        UInt64 size = cardinality <= MAX_ARRAY_CARDINALITY ? UInt64{2} * cardinality : UInt64{BITSET_BYTES};
        if (flags && (static_cast<UInt8>(flags[i / 8]) >> (i % 8) & 1))
        {
            if (begin + 2 > available)
                return false;
            const UInt32 runs = unalignedLoadLittleEndian<UInt16>(image + begin);
            right &= runs - 1 < MAX_RUNS;
            size = 2 + UInt64{4} * runs;
        }
        expected = begin + size;
    }
    if (!right || expected > available)
        return false;
    pos = image_begin + expected;
    return true;
}

/// A small image of arrays with few values each, in one sweep over all values, when nothing is wrong with it and all of it is canonical: values
/// may only fall where a container begins. False sends the image to the walk that looks at one container after another.
bool Parser::parseSparse() noexcept
{
    constexpr UInt32 MOST_VALUES = 4096;
    constexpr UInt32 MOST_VALUES_OF_CONTAINER = 64;
    /// The fewest values for which runs may be smaller than the array.
    constexpr UInt32 FEWEST_FOR_RUNS = 4;
    const char * description = at(descriptions);
    const char * offset = at(offsets);
    const UInt64 payload = pos - image_begin;
    Int32 previous_key = -1;
    UInt32 n = 0;
    UInt32 smallest = MAX_ARRAY_CARDINALITY;
    bool right = true;
    for (UInt32 i = 0; i < count && n <= MOST_VALUES; ++i)
    {
        const auto both = unalignedLoadLittleEndian<UInt32>(description + UInt64{4} * i);
        const auto key = static_cast<Int32>(both & 0xffff);
        const UInt32 cardinality = (both >> 16) + 1;
        right &= unalignedLoadLittleEndian<UInt32>(offset + UInt64{4} * i) == payload + UInt64{2} * n;
        right &= key > previous_key;
        previous_key = key;
        smallest = std::min(smallest, cardinality);
        n += cardinality;
    }
    if (!right || n > MOST_VALUES || n > MOST_VALUES_OF_CONTAINER * count || UInt64{2} * n > bytes.size() - pos)
        return false;
    const char * values = at(pos);
    const ArrayCheck checked = roaringKernels().check_array(values, n);
    ArrayCheck between;
    UInt32 first = 0;
    for (UInt32 i = 0; i + 1 < count; ++i)
    {
        first += UInt32{unalignedLoadLittleEndian<UInt16>(description + UInt64{4} * i + 2)} + 1;
        between.addPair(arrayValue(values, first - 1), arrayValue(values, first));
    }
    if (checked.descents != between.descents)
        return false;
    /// Values that follow the one before them, but not as the first ones of a container.
    const UInt32 following = n - checked.runs - (count - 1 - between.runs);
    if (n != 0 && 2 * following > std::max(smallest, FEWEST_FOR_RUNS) + 1)
        return false;
    pos += UInt64{2} * n;
    cardinality += n;
    return true;
}

bool Parser::parse32() noexcept
{
    if (!parseHeader())
        return false;
    if (!full && has_offsets && parseByOffsets())
        return true;
    if (full && !has_run_cookie && parseSparse())
        return true;
    if (!checkKeys())
        return false;
    bool has_run = false;
    for (UInt32 i = 0; i < count; ++i)
    {
        if (has_offsets)
        {
            const auto offset = load<UInt32>(offsets + UInt64{4} * i);
            if (offset != pos - image_begin)
                return fail(RoaringError::OffsetMismatch, offsets + UInt64{4} * i, pos - image_begin, offset);
        }
        has_run = has_run || (has_run_cookie && (load<UInt8>(run_flags + i / 8) >> (i % 8) & 1));
        if (!parseContainer(i))
            return false;
    }
    canonical = canonical && has_run == has_run_cookie;
    return true;
}

bool Parser::parseContainer(UInt32 index) noexcept
{
    const UInt32 claimed = UInt32{load<UInt16>(descriptions + UInt64{4} * index + 2)} + 1;
    if (has_run_cookie && (load<UInt8>(run_flags + index / 8) >> (index % 8) & 1))
    {
        if (!need(2))
            return false;
        const UInt32 runs = load<UInt16>(pos);
        if (runs == 0)
            return fail(RoaringError::NoRuns, pos, 1, 0);
        if (runs > MAX_RUNS)
            return fail(RoaringError::TooManyRuns, pos, MAX_RUNS, runs);
        pos += 2;
        if (!need(UInt64{4} * runs) || (full && !checkRuns(runs, claimed)))
            return false;
        pos += UInt64{4} * runs;
        return true;
    }
    const bool is_array = claimed <= MAX_ARRAY_CARDINALITY;
    const UInt64 size = is_array ? UInt64{2} * claimed : BITSET_BYTES;
    if (!need(size) || (full && !(is_array ? checkArray(claimed) : checkBitset(claimed))))
        return false;
    cardinality += claimed;
    pos += size;
    return true;
}

bool Parser::checkArray(UInt32 size) noexcept
{
    const char * values = at(pos);
    const ArrayCheck checked = roaringKernels().check_array(values, size);
    if (!checked.isIncreasing())
    {
        UInt32 i = 1;
        while (arrayValue(values, i) > arrayValue(values, i - 1))
            ++i;
        return fail(RoaringError::ArrayNotIncreasing, pos + UInt64{2} * i, arrayValue(values, i - 1), arrayValue(values, i));
    }
    canonical = canonical && canonicalKind({size, checked.runs}) == ContainerKind::Array;
    return true;
}

bool Parser::checkBitset(UInt32 claimed) noexcept
{
    const ContainerCount counted = countContainer({ContainerKind::Bitset, claimed, at(pos)});
    if (counted.cardinality != claimed)
        return fail(RoaringError::BitsetCardinalityMismatch, pos, claimed, counted.cardinality);
    canonical = canonical && canonicalKind(counted) == ContainerKind::Bitset;
    return true;
}

bool Parser::checkRuns(UInt32 runs, UInt32 claimed) noexcept
{
    const char * data = at(pos);
    UInt32 counted = runs;
    /// A run that begins too early or ends too late makes a difference negative.
    Int32 wrong = 0;
    Int32 least = 0;
    for (UInt32 i = 0; i < runs; ++i)
    {
        const auto run = unalignedLoadLittleEndian<UInt32>(data + UInt64{4} * i);
        const auto start = static_cast<Int32>(run & 0xffff);
        const auto last = start + static_cast<Int32>(run >> 16);
        wrong |= start - least;
        wrong |= static_cast<Int32>(CONTAINER_VALUES - 1) - last;
        counted += run >> 16;
        least = last + 2;
    }
    for (UInt32 i = 0; wrong < 0 && i < runs; ++i)
    {
        const UInt32 start = runStart(data, i);
        const UInt32 last = runLast(data, i);
        if (i != 0 && start <= runLast(data, i - 1) + 1)
            return fail(RoaringError::RunsNotIncreasing, pos + UInt64{4} * i, runLast(data, i - 1) + 1, start);
        if (last >= CONTAINER_VALUES)
            return fail(RoaringError::RunPastEnd, pos + UInt64{4} * i + 2, CONTAINER_VALUES - 1, last);
    }
    /// The header's cardinality is redundant here and no reader uses it, so a lie is legal; our writer tells the truth.
    canonical = canonical && counted == claimed && canonicalKind({counted, runs}) == ContainerKind::Run;
    cardinality += counted;
    return true;
}

bool Parser::looksLikeJavaLegacy() const noexcept
{
    /// A flag byte, a big-endian bucket count, then per bucket a big-endian key and an image that begins with a cookie.
    if (bytes.size() < 13 || static_cast<UInt8>(bytes[0]) > 1)
        return false;
    const auto cookie = load<UInt32>(9);
    return cookie == COOKIE_WITHOUT_RUNS || (cookie & 0xffff) == COOKIE_WITH_RUNS;
}

bool Parser::parse64() noexcept
{
    if (!need(8))
        return false;
    const auto buckets = load<UInt64>(0);
    pos = 8;
    const UInt64 possible = std::min<UInt64>((bytes.size() - pos) / SMALLEST_BUCKET, 0xffffffff);
    if (buckets > possible)
        return fail(looksLikeJavaLegacy() ? RoaringError::JavaLegacyLayout : RoaringError::TooManyBuckets, 0, possible, buckets);
    UInt32 previous = 0;
    for (UInt64 i = 0; i < buckets; ++i)
    {
        if (!need(4))
            return false;
        const auto key = load<UInt32>(pos);
        if (i != 0 && key <= previous)
            return fail(RoaringError::BucketKeysNotIncreasing, pos, previous, key);
        previous = key;
        pos += 4;
        if (!parse32())
            return false;
        canonical = canonical && count != 0;
    }
    return true;
}
}

RoaringParseResult RoaringView::tryParse(std::string_view bytes, RoaringFormat format, Validation validation, RoaringView & view) noexcept
{
    Parser parser(bytes, validation);
    const bool is_64 = format == RoaringFormat::Portable64;
    if (is_64 ? parser.parse64() : parser.parse32())
    {
        view.data = bytes.data();
        view.size = parser.consumed();
        view.values = parser.cardinality;
        view.flags = (is_64 ? IS64 : 0) | (validation == Validation::Full ? FULL : 0) | (parser.isCanonical() ? CANONICAL : 0);
    }
    return parser.result();
}

RoaringView RoaringView::parse(std::string_view bytes, RoaringFormat format, Validation validation)
{
    RoaringView view;
    const RoaringParseResult result = tryParse(bytes, format, validation, view);
    if (!result.ok())
        throwError(ErrorCodes::INCORRECT_DATA, result.describe());
    return view;
}

RoaringCursor RoaringView::cursor() const noexcept
{
    if (!data)
        return {};
    return is64() ? RoaringCursor::overPortable64(data, flags & FULL) : RoaringCursor::overPortable32(data, flags & FULL);
}

UInt32 RoaringView::headerCount() const noexcept
{
    if (!data)
        return 0;
    return is64() ? unalignedLoadLittleEndian<UInt32>(data) : static_cast<UInt32>(RoaringImageTable(data).size);
}

bool RoaringView::empty() const noexcept
{
    return !cursor().valid();
}

UInt64 RoaringView::countValues() const noexcept
{
    return cursor().remainingCardinality();
}

bool RoaringView::contains(UInt64 value) const noexcept
{
    RoaringCursor i = cursor();
    i.seek(value >> 16);
    return i.valid() && i.key() == value >> 16 && containerContains(i.container(), static_cast<UInt16>(value));
}

}
