#include "RoaringForeignFormats.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "RoaringKernelTable.h"

namespace DB::inline statewire
{

namespace
{
/// Reads numbers and images one after another, with the offset of whatever is wrong.
class ForeignReader
{
public:
    explicit ForeignReader(std::string_view bytes_, std::string_view what_) noexcept : bytes(bytes_), what(what_) { }

    [[nodiscard]] UInt64 offset() const noexcept { return pos; }
    [[nodiscard]] UInt64 remaining() const noexcept { return bytes.size() - pos; }

    template <typename T>
    [[nodiscard]] T read()
    {
        return unalignedLoadLittleEndian<T>(take(sizeof(T)));
    }
    [[nodiscard]] UInt32 readBigEndian32()
    {
        const char * at = take(4);
        UInt32 result = 0;
        for (size_t i = 0; i < 4; ++i)
            result = result << 8 | static_cast<UInt8>(at[i]);
        return result;
    }
    [[nodiscard]] UInt64 readVarUInt()
    {
        UInt64 result = 0;
        for (unsigned shift = 0; shift < 64; shift += 7)
        {
            const UInt64 start = pos;
            const auto byte = read<UInt8>();
            if (shift == 63 && byte > 1)
                fail("a length of at most 64 bits", byte, start);
            result |= UInt64{byte & 0x7fu} << shift;
            if (byte < 0x80)
                return result;
        }
        return result;
    }
    /// Adds the values of a portable 32-bit image with `high` in their upper half.
    void readImage(UInt64 high, RoaringBuilder & builder)
    {
        RoaringView view;
        const RoaringParseResult parsed = RoaringView::tryParse(bytes.substr(pos), RoaringFormat::Portable32, Validation::Full, view);
        if (!parsed.ok())
            throwError(ErrorCodes::INCORRECT_DATA, concat(what, ": ", parsed.describe(pos)));
        for (RoaringCursor at = view.cursor(); at.valid(); at.next())
            builder.append(high << 16 | at.key(), copyContainer(at.container(), true));
        pos += view.sizeInBytes();
    }
    /// CRoaring's own form: a byte 1 and plain values, or a byte 2 and a portable image.
    void readNative(UInt64 high, RoaringBuilder & builder)
    {
        const UInt64 start = pos;
        const auto kind = read<UInt8>();
        if (kind == 2)
        {
            readImage(high, builder);
            return;
        }
        if (kind != 1)
            fail("a native bitmap of kind 1 or 2", kind, start);
        const auto count = read<UInt32>();
        RoaringBitmap values;
        addValues<UInt32>(count, values);
        values.seal();
        for (RoaringCursor at = RoaringSnapshot(values).cursor(); at.valid(); at.next())
            builder.append(high << 16 | at.key(), copyContainer(at.container(), true));
    }
    template <typename T>
    void addValues(UInt64 count, RoaringBitmap & to)
    {
        if (count > remaining() / sizeof(T))
            fail("as many values as there are bytes for", count, pos);
        TrackedVector<UInt64> values(static_cast<size_t>(count));
        for (UInt64 & value : values)
            value = read<T>();
        to.addMany(values);
        to.seal();
        if (to.cardinality() != count)
            fail("distinct values", count - to.cardinality(), pos);
    }
    [[noreturn]] void fail(std::string_view expected, UInt64 found, UInt64 at) const
    {
        throwError(ErrorCodes::INCORRECT_DATA, concat(what, " is wrong at byte ", at, ": expected ", expected, ", found ", found));
    }
    void finish(UInt64 * consumed) const
    {
        if (consumed)
            *consumed = pos;
        else if (remaining() != 0)
            fail("its end", remaining(), pos);
    }

private:
    const char * take(size_t n)
    {
        if (remaining() < n)
            throwError(ErrorCodes::INCORRECT_DATA, concat(what, " is cut off at byte ", pos, ": expected ", n, " bytes, found ", remaining()));
        pos += n;
        return bytes.data() + pos - n;
    }

    std::string_view bytes;
    std::string_view what;
    UInt64 pos = 0;
};

constexpr UInt32 FROZEN_COOKIE = 13766;

enum class FrozenType : UInt8
{
    Bitset = 1,
    Array = 2,
    Run = 3
};
}

RoaringBitmap readRoaringFrozen32(std::string_view bytes)
{
    constexpr std::string_view WHAT = "Frozen Roaring bitmap";
    const auto fail = [&](std::string_view expected, UInt64 found, UInt64 at) {
        throwError(ErrorCodes::INCORRECT_DATA, concat(WHAT, " is wrong at byte ", at, ": expected ", expected, ", found ", found));
    };
    if (bytes.size() < 4)
        fail("at least 4 bytes", bytes.size(), 0);
    const UInt64 header_at = bytes.size() - 4;
    const auto header = unalignedLoadLittleEndian<UInt32>(bytes.data() + header_at);
    if ((header & 0x7fff) != FROZEN_COOKIE)
        fail("cookie 13766", header & 0x7fff, header_at);
    const UInt64 count = header >> 15;
    if (count > MAX_CONTAINERS_32 || header_at < 5 * count)
        fail("as many containers as there are bytes for", count, header_at);
    const UInt64 types_at = header_at - count;
    const UInt64 counts_at = types_at - 2 * count;
    const UInt64 keys_at = counts_at - 2 * count;
    const auto number = [&](UInt64 table, UInt64 i) { return UInt64{unalignedLoadLittleEndian<UInt16>(bytes.data() + table + 2 * i)}; };

    /// Zones in this order: bitsets, runs, arrays.
    UInt64 bitset_bytes = 0;
    UInt64 run_bytes = 0;
    UInt64 array_bytes = 0;
    for (UInt64 i = 0; i < count; ++i)
    {
        const auto type = static_cast<UInt8>(bytes[static_cast<size_t>(types_at + i)]);
        const UInt64 size = number(counts_at, i);
        if (type == static_cast<UInt8>(FrozenType::Bitset))
            bitset_bytes += BITSET_BYTES;
        else if (type == static_cast<UInt8>(FrozenType::Run))
            run_bytes += 4 * size;
        else if (type == static_cast<UInt8>(FrozenType::Array))
            array_bytes += 2 * (size + 1);
        else
            fail("a container type of 1 to 3", type, types_at + i);
        if (i != 0 && number(keys_at, i) <= number(keys_at, i - 1))
            fail("increasing keys", number(keys_at, i), keys_at + 2 * i);
    }
    if (bitset_bytes + run_bytes + array_bytes != keys_at)
        fail("zones that fill the bytes before the keys", bitset_bytes + run_bytes + array_bytes, keys_at);

    RoaringBuilder builder;
    UInt64 bitset_at = 0;
    UInt64 run_at = bitset_bytes;
    UInt64 array_at = bitset_bytes + run_bytes;
    for (UInt64 i = 0; i < count; ++i)
    {
        const auto type = static_cast<FrozenType>(bytes[static_cast<size_t>(types_at + i)]);
        const auto size = static_cast<UInt32>(number(counts_at, i));
        const UInt64 key = number(keys_at, i);
        if (type == FrozenType::Bitset)
        {
            const ContainerView view{ContainerKind::Bitset, size + 1, bytes.data() + bitset_at};
            if (const UInt32 found = roaringKernels().bitset_cardinality(view.data); found != size + 1)
                fail("a bitset with the cardinality of its count", found, bitset_at);
            builder.append(key, containerFromBitset(view.data));
            bitset_at += BITSET_BYTES;
        }
        else if (type == FrozenType::Array)
        {
            const char * values = bytes.data() + array_at;
            const size_t n = size_t{size} + 1;
            if (n > MAX_ARRAY_CARDINALITY)
                fail("an array of at most 4096 values", n, counts_at + 2 * i);
            if (!roaringKernels().check_array(values, n).isIncreasing())
                fail("an increasing array", n, array_at);
            builder.append(key, {{ContainerKind::Array, size + 1, values}, size + 1});
            array_at += 2 * n;
        }
        else
        {
            const ContainerView view{ContainerKind::Run, size, bytes.data() + run_at};
            if (size == 0 || size > MAX_RUNS)
                fail("1 to 32768 runs", size, counts_at + 2 * i);
            for (UInt32 j = 0; j < size; ++j)
                if (runLast(view.data, j) >= CONTAINER_VALUES || (j != 0 && runStart(view.data, j) <= runLast(view.data, j - 1) + 1))
                    fail("runs that are sorted, apart and inside their container", runStart(view.data, j), run_at + UInt64{4} * j);
            builder.append(key, {view, static_cast<UInt32>(containerCardinality(view))});
            run_at += view.payloadBytes();
        }
    }
    return builder.finish();
}

RoaringBitmap readRoaringJavaLegacy64(std::string_view bytes, UInt64 * consumed)
{
    ForeignReader reader(bytes, "Java's legacy 64-bit Roaring bitmap");
    const auto order = reader.read<UInt8>();
    if (order > 1)
        reader.fail("a flag of 0 or 1", order, 0);
    const UInt32 count = reader.readBigEndian32();
    /// The smallest bucket: its key and an empty image.
    if (count > reader.remaining() / 12)
        reader.fail("as many buckets as there are bytes for", count, 1);
    /// Buckets come in signed order when the flag is set: the upper half of the keys first.
    RoaringBuilder negative;
    RoaringBuilder positive;
    UInt32 previous = 0;
    for (UInt32 i = 0; i < count; ++i)
    {
        const UInt64 at = reader.offset();
        const UInt32 key = reader.readBigEndian32();
        const UInt32 rank = order == 1 ? key ^ 0x80000000 : key;
        if (i != 0 && rank <= previous)
            reader.fail("increasing keys", key, at);
        previous = rank;
        reader.readImage(key, key >> 31 ? negative : positive);
    }
    reader.finish(consumed);
    RoaringBitmap result = positive.finish();
    result.merge(negative.finish());
    return result;
}

RoaringBitmap readRoaringBitmapValue(std::string_view bytes, BitmapValueDialect dialect, UInt64 * consumed)
{
    ForeignReader reader(bytes, "BitmapValue");
    const auto type = reader.read<UInt8>();
    RoaringBitmap values;
    RoaringBuilder builder;
    bool in_builder = false;
    switch (type)
    {
        case 0:
            break;
        case 1:
            values.add(reader.read<UInt32>());
            break;
        case 3:
            values.add(reader.read<UInt64>());
            break;
        case 5:
            if (dialect != BitmapValueDialect::Doris)
                reader.fail("a type that StarRocks writes", type, 0);
            reader.addValues<UInt64>(reader.read<UInt8>(), values);
            break;
        case 10:
            /// A set of few values: both count it in 32 bits.
            reader.addValues<UInt64>(reader.read<UInt32>(), values);
            break;
        case 2:
        case 12:
            in_builder = true;
            if (type == 2)
                reader.readImage(0, builder);
            else
                reader.readNative(0, builder);
            break;
        case 4:
        case 13:
        {
            in_builder = true;
            const UInt64 at = reader.offset();
            const UInt64 count = reader.readVarUInt();
            if (count > reader.remaining() / 5)
                reader.fail("as many buckets as there are bytes for", count, at);
            UInt32 previous = 0;
            for (UInt64 i = 0; i < count; ++i)
            {
                const UInt64 key_at = reader.offset();
                const auto key = reader.read<UInt32>();
                if (i != 0 && key <= previous)
                    reader.fail("increasing keys", key, key_at);
                previous = key;
                if (type == 4)
                    reader.readImage(key, builder);
                else
                    reader.readNative(key, builder);
            }
            break;
        }
        default:
            reader.fail("a known type", type, 0);
    }
    reader.finish(consumed);
    values.seal();
    return in_builder ? builder.finish() : std::move(values);
}

}
