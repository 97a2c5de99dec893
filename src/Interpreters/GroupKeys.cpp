#include "GroupKeys.h"

#include "../Columns/ColumnArray.h"
#include "../Columns/ColumnNullable.h"
#include "../Columns/ColumnString.h"
#include "../Columns/ColumnTuple.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/MurmurHash3.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeArray.h"
#include "../DataTypes/DataTypeNullable.h"
#include "../DataTypes/DataTypeTuple.h"
#include "../DataTypes/StoredDataType.h"
#include "../DataTypes/dispatchNumber.h"
#include "../IO/WriteBufferFromVector.h"
#include "../base/unaligned.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace DB::inline statewire
{

namespace
{
constexpr UInt64 HASH_SEED = 0;
constexpr char STRING_END = '\0';
constexpr char ZERO_INSIDE = '\xff';
constexpr char ELEMENT = '\1';
constexpr char ARRAY_END = '\0';
constexpr char NOT_NULL = '\0';
constexpr char IS_NULL = '\1';

template <size_t size>
using Unsigned = std::conditional_t<size == 1, UInt8, std::conditional_t<size == 2, UInt16, std::conditional_t<size == 4, UInt32, UInt64>>>;

/// A bijection onto unsigned numbers that keeps the order of IColumn::compareAt.
template <typename T>
Unsigned<sizeof(T)> toOrdered(T value) noexcept
{
    using U = Unsigned<sizeof(T)>;
    const auto bits = std::bit_cast<U>(value);
    constexpr U SIGN = static_cast<U>(U{1} << (8 * sizeof(T) - 1));
    if constexpr (std::is_floating_point_v<T>)
    {
        /// NaNs with a sign stand behind all others and keep their bits; everything else moves down by their number.
        constexpr U NEGATIVE_INFINITY = static_cast<U>(sizeof(T) == 4 ? 0xff800000 : 0xfff0000000000000);
        constexpr U SIGNED_NANS = static_cast<U>(~NEGATIVE_INFINITY);
        if (bits > NEGATIVE_INFINITY)
            return bits;
        return static_cast<U>((bits & SIGN ? static_cast<U>(~bits) : static_cast<U>(bits | SIGN)) - SIGNED_NANS);
    }
    else
        return static_cast<U>(std::is_signed_v<T> ? bits ^ SIGN : bits);
}

template <typename T>
T fromOrdered(Unsigned<sizeof(T)> ordered) noexcept
{
    using U = Unsigned<sizeof(T)>;
    constexpr U SIGN = static_cast<U>(U{1} << (8 * sizeof(T) - 1));
    if constexpr (std::is_floating_point_v<T>)
    {
        constexpr U NEGATIVE_INFINITY = static_cast<U>(sizeof(T) == 4 ? 0xff800000 : 0xfff0000000000000);
        constexpr U SIGNED_NANS = static_cast<U>(~NEGATIVE_INFINITY);
        if (ordered > NEGATIVE_INFINITY)
            return std::bit_cast<T>(ordered);
        const auto flipped = static_cast<U>(ordered + SIGNED_NANS);
        return std::bit_cast<T>(flipped & SIGN ? static_cast<U>(flipped ^ SIGN) : static_cast<U>(~flipped));
    }
    else
        return std::bit_cast<T>(static_cast<U>(std::is_signed_v<T> ? ordered ^ SIGN : ordered));
}

template <typename U>
U bigEndian(U value) noexcept
{
    /// Stored little-endian afterwards, on every host.
    return detail::byteSwap(value);
}

template <typename T>
const std::vector<T> & numbersOf(const IColumn & column) noexcept
{
    return static_cast<const ColumnVector<T> &>(column).getData();
}

void appendString(std::string_view value, TrackedString & to)
{
    while (true)
    {
        const size_t zero = value.find('\0');
        to.append(value.substr(0, zero));
        if (zero == std::string_view::npos)
            break;
        to.push_back('\0');
        to.push_back(ZERO_INSIDE);
        value.remove_prefix(zero + 1);
    }
    to.push_back('\0');
    to.push_back(STRING_END);
}

void append(const IDataType & key_type, const IColumn & column, size_t row, TrackedString & to)
{
    const IDataType & type = storageOf(key_type);
    switch (type.getTypeId())
    {
        case TypeIndex::String:
            appendString(static_cast<const ColumnString &>(column)[row], to);
            return;
        case TypeIndex::Array:
        {
            const auto & array = static_cast<const ColumnArray &>(column);
            const IDataType & nested = *static_cast<const DataTypeArray &>(type).getNestedType();
            for (UInt64 i = array.offsetAt(row), end = array.getOffsets()[row]; i < end; ++i)
            {
                to.push_back(ELEMENT);
                append(nested, array.getData(), i, to);
            }
            to.push_back(ARRAY_END);
            return;
        }
        case TypeIndex::Nullable:
        {
            const auto & nullable = static_cast<const ColumnNullable &>(column);
            to.push_back(nullable.isNullAt(row) ? IS_NULL : NOT_NULL);
            if (!nullable.isNullAt(row))
                append(*static_cast<const DataTypeNullable &>(type).getNestedType(), nullable.getNestedColumn(), row, to);
            return;
        }
        case TypeIndex::Tuple:
        {
            const DataTypes & elements = static_cast<const DataTypeTuple &>(type).getElements();
            for (size_t i = 0; i < elements.size(); ++i)
                append(*elements[i], static_cast<const ColumnTuple &>(column).element(i), row, to);
            return;
        }
        default:
            dispatchNumber(type.getTypeId(), [&]<typename T>() {
                char bytes[sizeof(T)];
                unalignedStoreLittleEndian<Unsigned<sizeof(T)>>(bytes, bigEndian(toOrdered(numbersOf<T>(column)[row])));
                to.append(bytes, sizeof(T));
            });
    }
}

[[noreturn]] void throwNoKey()
{
    throwError(ErrorCodes::CORRUPTED_DATA, "Bytes that are no key of these groups");
}

std::string takeString(const char *& pos, const char * end)
{
    std::string value;
    while (true)
    {
        const char * zero = pos == end ? nullptr : static_cast<const char *>(std::memchr(pos, '\0', static_cast<size_t>(end - pos)));
        if (!zero || zero + 1 == end || (zero[1] != STRING_END && zero[1] != ZERO_INSIDE))
            throwNoKey();
        value.append(pos, zero);
        pos = zero + 2;
        if (zero[1] == STRING_END)
            return value;
        value.push_back('\0');
    }
}

/// Appends the value at the front of [pos, end) and moves `pos` behind it. When it throws, the column is as it was.
void take(const IDataType & key_type, const char *& pos, const char * end, IColumn & column)
{
    const IDataType & type = storageOf(key_type);
    switch (type.getTypeId())
    {
        case TypeIndex::String:
            static_cast<ColumnString &>(column).insert(takeString(pos, end));
            return;
        case TypeIndex::Array:
        {
            auto & array = static_cast<ColumnArray &>(column);
            const IDataType & nested = *static_cast<const DataTypeArray &>(type).getNestedType();
            try
            {
                for (; pos != end && *pos == ELEMENT;)
                    take(nested, ++pos, end, array.getData());
                if (pos == end || *pos != ARRAY_END)
                    throwNoKey();
                ++pos;
                array.closeRow();
            }
            catch (...)
            {
                array.dropOpenRow();
                throw;
            }
            return;
        }
        case TypeIndex::Nullable:
        {
            auto & nullable = static_cast<ColumnNullable &>(column);
            if (pos == end || (*pos != IS_NULL && *pos != NOT_NULL))
                throwNoKey();
            if (*pos++ == IS_NULL)
                nullable.insertDefault();
            else
                nullable.insertNotNull(
                    [&](IColumn & to) { take(*static_cast<const DataTypeNullable &>(type).getNestedType(), pos, end, to); });
            return;
        }
        case TypeIndex::Tuple:
            static_cast<ColumnTuple &>(column).appendToEach([&](IColumn & element, size_t i) {
                take(*static_cast<const DataTypeTuple &>(type).getElements()[i], pos, end, element);
            });
            return;
        default:
            dispatchNumber(type.getTypeId(), [&]<typename T>() {
                using U = Unsigned<sizeof(T)>;
                if (static_cast<size_t>(end - pos) < sizeof(T))
                    throwNoKey();
                static_cast<ColumnVector<T> &>(column).getData().push_back(fromOrdered<T>(bigEndian(unalignedLoadLittleEndian<U>(pos))));
                pos += sizeof(T);
            });
    }
}
}

namespace
{
/// Bytes of every value of a type; 0 where they differ.
size_t fixedSizeOf(const IDataType & key_type) noexcept
{
    const IDataType & type = storageOf(key_type);
    if (type.getTypeId() != TypeIndex::Tuple)
        return sizeOfNumber(type.getTypeId());
    size_t size = 0;
    for (const DataTypePtr & element : static_cast<const DataTypeTuple &>(type).getElements())
    {
        const size_t element_size = fixedSizeOf(*element);
        if (element_size == 0)
            return 0;
        size += element_size;
    }
    return size;
}

/// Calls f(the numbers of all rows) for each number in a type of a fixed size.
template <typename F>
void forEachNumber(const IDataType & key_type, const IColumn & column, F && f)
{
    const IDataType & type = storageOf(key_type);
    if (type.getTypeId() != TypeIndex::Tuple)
    {
        dispatchNumber(type.getTypeId(), [&]<typename T>() { f(numbersOf<T>(column).data()); });
        return;
    }
    const DataTypes & elements = static_cast<const DataTypeTuple &>(type).getElements();
    for (size_t i = 0; i < elements.size(); ++i)
        forEachNumber(*elements[i], static_cast<const ColumnTuple &>(column).element(i), f);
}
}

bool GroupKeys::isKey(const IDataType & key_type) noexcept
{
    const IDataType & type = storageOf(key_type);
    if (type.getTypeId() == TypeIndex::Tuple)
    {
        const DataTypes & elements = static_cast<const DataTypeTuple &>(type).getElements();
        return std::all_of(elements.begin(), elements.end(), [](const DataTypePtr & element) { return isKey(*element); });
    }
    if (type.getTypeId() == TypeIndex::Array)
        return isKey(*static_cast<const DataTypeArray &>(type).getNestedType());
    if (type.getTypeId() == TypeIndex::Nullable)
        return isKey(*static_cast<const DataTypeNullable &>(type).getNestedType());
    return type.getTypeId() == TypeIndex::String || sizeOfNumber(type.getTypeId()) != 0;
}

GroupKeys::GroupKeys(DataTypes types_) : types(std::move(types_))
{
    bool all_fixed = true;
    for (const DataTypePtr & type : types)
    {
        if (!isKey(*type))
            throwError(ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT, concat("Type ", type->getName(), " cannot be a key"));
        const size_t size = fixedSizeOf(*type);
        all_fixed = all_fixed && size != 0;
        fixed_size += size;
    }
    if (!all_fixed)
        fixed_size = 0;
    if (types.empty())
        key_kind = Kind::None;
    else
        key_kind = all_fixed && fixed_size <= sizeof(UInt64) ? Kind::Number : Kind::Bytes;
    is_one_string = types.size() == 1 && storageOf(*types[0]).getTypeId() == TypeIndex::String;
}

void GroupKeys::encode(std::span<const IColumn * const> columns, size_t begin, size_t end, EncodedKeys & to) const
{
    if (key_kind == Kind::None)
        return;
    if (key_kind == Kind::Number)
    {
        encodeNumbers(columns, begin, end, to.numbers);
        hash(to);
        return;
    }
    const size_t rows = end - begin;
    to.views.resize(rows);
    if (is_one_string)
    {
        const auto & strings = static_cast<const ColumnString &>(*columns[0]);
        for (size_t i = 0; i < rows; ++i)
            to.views[i] = strings[begin + i];
    }
    else if (fixed_size != 0)
        encodeFixed(columns, begin, end, to);
    else
    {
        to.memory.clear();
        TrackedVector<size_t> ends(rows);
        for (size_t i = 0; i < rows; ++i)
        {
            for (size_t k = 0; k < types.size(); ++k)
                append(*types[k], *columns[k], begin + i, to.memory);
            ends[i] = to.memory.size();
        }
        for (size_t i = 0, from = 0; i < rows; from = ends[i++])
            to.views[i] = std::string_view(to.memory).substr(from, ends[i] - from);
    }
    hash(to);
}

void GroupKeys::hash(EncodedKeys & to) const
{
    const size_t rows = key_kind == Kind::Number ? to.numbers.size() : to.views.size();
    to.hashes.resize(rows);
    if (key_kind == Kind::Number)
        for (size_t i = 0; i < rows; ++i)
            to.hashes[i] = hashOfNumber(to.numbers[i]);
    else
        for (size_t i = 0; i < rows; ++i)
            to.hashes[i] = murmurHash3X64First(to.views[i], HASH_SEED);
}

void GroupKeys::encodeNumbers(
    std::span<const IColumn * const> columns, size_t begin, size_t end, TrackedVector<UInt64> & numbers) const
{
    const size_t rows = end - begin;
    numbers.assign(rows, 0);
    size_t shift = 8 * fixed_size;
    for (size_t k = 0; k < types.size(); ++k)
        forEachNumber(*types[k], *columns[k], [&]<typename T>(const T * values) {
            shift -= 8 * sizeof(T);
            for (size_t i = 0; i < rows; ++i)
                numbers[i] |= UInt64{toOrdered(values[begin + i])} << shift;
        });
}

void GroupKeys::encodeFixed(std::span<const IColumn * const> columns, size_t begin, size_t end, EncodedKeys & to) const
{
    const size_t rows = end - begin;
    to.memory.resize(rows * fixed_size);
    size_t offset = 0;
    for (size_t k = 0; k < types.size(); ++k)
        forEachNumber(*types[k], *columns[k], [&]<typename T>(const T * values) {
            for (size_t i = 0; i < rows; ++i)
                unalignedStoreLittleEndian<Unsigned<sizeof(T)>>(
                    to.memory.data() + i * fixed_size + offset, bigEndian(toOrdered(values[begin + i])));
            offset += sizeof(T);
        });
    for (size_t i = 0; i < rows; ++i)
        to.views[i] = {to.memory.data() + i * fixed_size, fixed_size};
}

std::string_view GroupKeys::bytesOfNumber(UInt64 number, char * to) const noexcept
{
    if (fixed_size == 0)
        return {};
    unalignedStoreLittleEndian<UInt64>(to, bigEndian(number << (64 - 8 * fixed_size)));
    return {to, fixed_size};
}

std::string_view GroupKeys::bytesAt(
    std::span<const UInt64> numbers, std::span<const std::string_view> views, size_t i, char * to) const noexcept
{
    switch (key_kind)
    {
        case Kind::Number:
            return bytesOfNumber(numbers[i], to);
        case Kind::Bytes:
            return views[i];
        case Kind::None:
            break;
    }
    return {};
}

UInt64 GroupKeys::prefixOf(std::string_view key) noexcept
{
    if (key.size() >= sizeof(UInt64))
        return bigEndian(unalignedLoadLittleEndian<UInt64>(key.data()));
    char bytes[sizeof(UInt64)] = {};
    std::copy(key.begin(), key.end(), bytes);
    return bigEndian(unalignedLoadLittleEndian<UInt64>(bytes));
}

int GroupKeys::compare(std::string_view left, std::string_view right) noexcept
{
    const int order = left.compare(right);
    return order < 0 ? -1 : order > 0 ? 1 : 0;
}

void GroupKeys::decode(std::string_view key, std::span<const MutableColumnPtr> columns) const
{
    if (is_one_string)
    {
        static_cast<ColumnString &>(*columns[0]).insert(key);
        return;
    }
    const char * pos = key.data();
    const char * const end = pos + key.size();
    size_t done = 0;
    try
    {
        for (; done < types.size(); ++done)
            take(*types[done], pos, end, *columns[done]);
        if (pos != end)
            throwNoKey();
    }
    catch (...)
    {
        while (done != 0)
            columns[--done]->popBack(1);
        throw;
    }
}

std::string GroupKeys::describe(std::string_view key) const
{
    std::vector<MutableColumnPtr> columns;
    for (const DataTypePtr & type : types)
        columns.push_back(type->createColumn());
    decode(key, columns);
    std::string text;
    {
        WriteBufferFromString out(text);
        for (size_t k = 0; k < types.size(); ++k)
        {
            const std::string_view before = k != 0 ? ", " : types.size() > 1 ? "(" : "";
            out.write(before.data(), before.size());
            types[k]->serializeTextQuoted(*columns[k], 0, out);
        }
        out.finalize();
    }
    return types.size() > 1 ? text + ")" : text;
}

}
