#include "IntegerList.h"
#include "StateConversion.h"

#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/DataTypes/DataTypeNumber.h>
#include <statewire/DataTypes/dispatchNumber.h>
#include <statewire/IO/ReadBufferFromMemory.h>

#include <limits>
#include <type_traits>
#include <utility>

using namespace DB;

namespace statewire_program
{

namespace
{
/// A set with the type that its raw values are to be read as.
struct IntegerSet
{
    RoaringBitmap raw;
    TypeIndex element;
};

bool isSigned(TypeIndex type)
{
    bool result = false;
    dispatchInteger(type, [&]<typename T>() { result = std::is_signed_v<T>; });
    return result;
}

bool isRoaringLayout(const StateType & type) noexcept
{
    return type.layout != StateLayout::BitmapState && type.layout != StateLayout::IntegerList;
}

/// The type of one side's numbers: a layout takes its sign from the other side, a list everything.
TypeIndex elementOf(const StateType & side, const StateType & other)
{
    if (side.layout == StateLayout::IntegerList)
        return other.layout == StateLayout::IntegerList ? TypeIndex::UInt64 : elementOf(other, other);
    if (!isRoaringLayout(side) || other.layout != StateLayout::BitmapState || !isSigned(other.element))
        return side.element;
    return side.element == TypeIndex::UInt32 ? TypeIndex::Int32 : TypeIndex::Int64;
}

template <typename T>
RoaringBitmap readState(std::string_view bytes, UInt64 & consumed)
{
    ReadBufferFromMemory in(bytes);
    RoaringBitmapState<T> state;
    state.read(in);
    consumed = in.count();
    return state.toBitmap();
}

/// The key (a value's upper 48 bits) of the same numbers in another raw form; `fits` turns false where there is none.
template <typename From, typename To>
UInt64 convertKey(UInt64 key, bool & fits) noexcept
{
    constexpr bool FROM_NARROW = sizeof(From) < 8;
    constexpr UInt64 SIGN = UInt64{1} << (FROM_NARROW ? 15 : 47);
    const bool negative = std::is_signed_v<From> && (key & SIGN) != 0;
    /// As of a 64-bit number.
    const UInt64 wide = negative && FROM_NARROW ? key | 0xFFFFFFFF0000 : key;
    if constexpr (std::is_signed_v<To>)
        fits = negative ? sizeof(To) == 8 || wide >= 0xFFFFFFFF8000 : wide < (sizeof(To) == 8 ? UInt64{1} << 47 : UInt64{1} << 15);
    else
        fits = !negative && (sizeof(To) == 8 || wide <= 0xFFFF);
    return sizeof(To) == 8 ? wide : wide & 0xFFFF;
}

template <typename From>
std::string numberOf(UInt64 raw)
{
    return std::to_string(RoaringBitmapState<From>::fromRaw(raw));
}

/// The same numbers as raw values of To. Narrow types share their raw form; what lies outside To itself is found when its state is made.
template <typename From, typename To>
RoaringBitmap convertSet(RoaringBitmap && set, std::string_view target)
{
    constexpr bool SAME_FORM = (sizeof(From) == 8) == (sizeof(To) == 8) && std::is_signed_v<From> == std::is_signed_v<To>;
    if constexpr (SAME_FORM)
        return std::move(set);
    set.seal();
    RoaringBuilder builder;
    for (RoaringCursor at = RoaringSnapshot(set).cursor(); at.valid(); at.next())
    {
        bool fits = false;
        const UInt64 key = convertKey<From, To>(at.key(), fits);
        if (!fits)
            throwError(
                ErrorCodes::ARGUMENT_OUT_OF_BOUND,
                concat("The value ", numberOf<From>(at.key() << 16 | containerMinimum(at.container())), " does not fit ", target));
        builder.append(key, copyContainer(at.container(), true));
    }
    return builder.finish();
}

template <typename T>
class ListWriter
{
public:
    ListWriter(WriteBuffer & out_, bool in_line_) : out(out_), in_line(in_line_)
    {
        if (in_line)
            out.write('[');
    }
    void write(T value)
    {
        if (in_line && !first)
            out.write(',');
        first = false;
        DataTypeNumber<T>::print(value, out);
        if (!in_line)
            out.write('\n');
    }
    void finish()
    {
        if (in_line)
            out.write(']');
    }

private:
    WriteBuffer & out;
    bool in_line;
    bool first = true;
};

/// In numeric order: raw order has negative numbers last.
template <typename T>
void writeList(const RoaringBitmap & set, bool in_line, WriteBuffer & out)
{
    constexpr UInt64 FIRST_NEGATIVE_KEY = UInt64{1} << (sizeof(T) == 8 ? 47 : 15);
    ListWriter<T> list(out, in_line);
    const RoaringSnapshot snapshot(set);
    for (const bool negative : {true, false})
        for (RoaringCursor at = snapshot.cursor(); at.valid(); at.next())
            if ((std::is_signed_v<T> && at.key() >= FIRST_NEGATIVE_KEY) == negative)
                forEachValue(at.container(), [&](UInt16 low) { list.write(RoaringBitmapState<T>::fromRaw(at.key() << 16 | low)); });
    list.finish();
}

template <typename T>
void writeState(RoaringBitmap && set, WriteBuffer & out)
{
    RoaringBitmapState<T>::fromBitmap(std::move(set)).write(out);
}

void write(IntegerSet && set, const StateType & to, TypeIndex to_element, bool list_in_line, WriteBuffer & out)
{
    dispatchInteger(set.element, [&]<typename From>() {
        dispatchInteger(to_element, [&]<typename To>() {
            RoaringBitmap converted = convertSet<From, To>(std::move(set.raw), to.name);
            if (to.layout == StateLayout::IntegerList)
                writeList<To>(converted, list_in_line, out);
            else if (to.layout == StateLayout::BitmapState)
                writeState<To>(std::move(converted), out);
            else
                converted.write(out, to.layout == StateLayout::Portable32 ? RoaringFormat::Portable32 : RoaringFormat::Portable64);
        });
    });
}
}

void StateConversion::convertBitmap(std::string_view bytes, WriteBuffer & out) const
{
    IntegerSet set{{}, elementOf(from, to)};
    UInt64 consumed = 0;
    if (from.layout == StateLayout::BitmapState)
        dispatchInteger(from.element, [&]<typename T>() { set.raw = readState<T>(bytes, consumed); });
    else
        set.raw = readRoaringLayout(from.layout, bytes, consumed);
    if (consumed != bytes.size())
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("Bytes behind the bitmap at byte ", consumed, ": expected ", consumed, " bytes, found ", bytes.size()));
    write(std::move(set), to, elementOf(to, from), list_in_line, out);
}

void StateConversion::convertList(ReadBuffer & in, WriteBuffer & out) const
{
    IntegerSet set{{}, elementOf(from, to)};
    dispatchInteger(set.element, [&]<typename T>() {
        IntegerListReader<T> list(in);
        std::vector<UInt64> raw;
        while (true)
        {
            const std::vector<T> & values = list.read();
            if (values.empty())
                break;
            raw.clear();
            for (const T value : values)
                raw.push_back(RoaringBitmapState<T>::toRaw(value));
            set.raw.addMany(std::span<const UInt64>(raw));
        }
        set.raw.seal();
    });
    write(std::move(set), to, elementOf(to, from), list_in_line, out);
}

}
