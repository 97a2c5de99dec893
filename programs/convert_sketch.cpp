#include "NumberText.h"
#include "SketchEntries.h"
#include "StateConversion.h"

#include <statewire/AggregateFunctions/AggregateFunctionCountMinSketch.h>
#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/DataTypes/DataTypeNumber.h>
#include <statewire/DataTypes/dispatchNumber.h>
#include <statewire/IO/ReadBufferFromMemory.h>

#include <type_traits>
#include <utility>

using namespace DB;

namespace statewire_program
{

namespace
{
void requireEnd(UInt64 consumed, UInt64 size)
{
    if (consumed != size)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("Bytes behind the sketch at byte ", consumed, ": expected ", consumed, " bytes, found ", size));
}

/// What a conversion of cells needs to be equal.
void requireSameParameters(const CountMinParameters & from, const CountMinParameters & to)
{
    const auto refuse = [](std::string_view what, const auto & found, const auto & wanted) {
        throwError(
            ErrorCodes::CANNOT_CONVERT_TYPE,
            concat(
                "Cannot convert a sketch of ",
                what,
                ' ',
                found,
                " into one of ",
                what,
                ' ',
                wanted,
                ": they decide which cells a key is counted in, and a table does not know its keys. Build the sketch again from the keys"));
    };
    if (from.rowSeeds() != to.rowSeeds())
        refuse("row seeds", toString(from.rowSeeds()), toString(to.rowSeeds()));
    if (from.seed() != to.seed())
        refuse("seed", from.seed(), to.seed());
    if (from.numHashes() != to.numHashes())
        refuse("num_hashes", from.numHashes(), to.numHashes());
    if (from.numBuckets() != to.numBuckets())
        refuse("num_buckets", from.numBuckets(), to.numBuckets());
}

void requireSameKeys(const StateType & from, const StateType & to)
{
    if (from.key != to.key)
        throwError(
            ErrorCodes::CANNOT_CONVERT_TYPE,
            concat("Cannot convert ", from.name, " into ", to.name, ": the keys' types differ, and so do the bytes that are hashed"));
}

/// The same weight in another type; ARGUMENT_OUT_OF_BOUND when that has none.
template <typename To, typename From>
To convertWeight(From weight)
{
    bool fits = true;
    if constexpr (std::is_floating_point_v<To>)
        fits = static_cast<long double>(static_cast<To>(weight)) == static_cast<long double>(weight);
    else if constexpr (std::is_floating_point_v<From>)
    {
        constexpr double TOO_LARGE = static_cast<double>(UInt64{1} << (std::numeric_limits<To>::digits - 1)) * 2;
        constexpr double SMALLEST = std::is_signed_v<To> ? -TOO_LARGE : 0;
        fits = weight >= SMALLEST && weight < TOO_LARGE && static_cast<From>(static_cast<To>(weight)) == weight;
    }
    else
        fits = std::in_range<To>(weight);
    if (!fits)
        throwError(
            ErrorCodes::ARGUMENT_OUT_OF_BOUND, concat("The weight ", numberText(weight), " does not fit ", DataTypeNumber<To>().getName()));
    return static_cast<To>(weight);
}

/// The image with weights of another type, which the reader of the result validates.
template <typename From, typename To>
std::string convertImage(const CountMinView<From> & view)
{
    if constexpr (std::is_same_v<From, To>)
        return std::string(view.bytes());
    std::string image(view.bytes().substr(0, COUNT_MIN_HEADER_SIZE));
    if (view.isEmpty())
        return image;
    image.resize(static_cast<size_t>(countMinImageSize<To>(view.cells())));
    char * to = image.data() + COUNT_MIN_HEADER_SIZE;
    unalignedStoreLittleEndian<To>(to, convertWeight<To>(view.total()));
    for (UInt64 i = 0; i < view.cells(); ++i)
        unalignedStoreLittleEndian<To>(to += sizeof(To), convertWeight<To>(view.cell(i)));
    return image;
}

/// Writes a table as the target.
template <typename From>
void writeSketch(const CountMinView<From> & view, const StateType & to, WriteBuffer & out)
{
    if (to.layout == StateLayout::SketchImage)
    {
        requireSameParameters(view.parameters(), {view.parameters().numHashes(), view.parameters().numBuckets(), to.seed, to.row_seeds});
        dispatchNumber(to.weight, [&]<typename To>() {
            const std::string image = convertImage<From, To>(view);
            /// A sum of wider weights may be what a narrower table cannot have.
            static_cast<void>(CountMinView<To>::parse(image, view.parameters()));
            out.write(image.data(), image.size());
        });
        return;
    }
    const CountMinParameters parameters = to.parameters();
    requireSameParameters(view.parameters(), parameters);
    dispatchCountMinWeight(to.weight, [&]<typename To>() {
        const std::string image = convertImage<From, To>(view);
        CountMinSketchState<To> state(parameters, sizeOfNumber(to.key));
        if (!view.isEmpty())
            state.mergeImage(image);
        state.write(out);
    });
}

/// A small state knows its keys: it converts into whatever takes keys.
template <typename W>
void convertSmall(const StateType & from, std::string_view bytes, const StateType & to, WriteBuffer & out)
{
    if (to.layout == StateLayout::SketchImage)
    {
        const CountMinParameters parameters(from.num_hashes, from.num_buckets, to.seed, to.row_seeds);
        dispatchNumber(to.weight, [&]<typename To>() {
            CountMinSketch<To> sketch(parameters);
            forEachEntry<W>(bytes, [&](const std::string & key, W weight) { sketch.update(key, convertWeight<To>(weight)); });
            const std::string image = sketch.toString();
            out.write(image.data(), image.size());
        });
        return;
    }
    const CountMinParameters parameters = to.parameters();
    requireSameKeys(from, to);
    dispatchCountMinWeight(to.weight, [&]<typename To>() {
        CountMinSketchState<To> state(parameters, sizeOfNumber(to.key));
        forEachEntry<W>(bytes, [&](const std::string & key, W weight) { state.add(key, convertWeight<To>(weight)); });
        state.write(out);
    });
}

template <typename W>
void convertState(const StateType & from, std::string_view bytes, const StateType & to, WriteBuffer & out)
{
    const CountMinParameters parameters = from.parameters();
    CountMinSketchState<W> state(parameters, sizeOfNumber(from.key));
    ReadBufferFromMemory in(bytes);
    state.read(in);
    requireEnd(in.count(), bytes.size());
    if (state.storage() == CountMinSketchState<W>::Storage::Small)
    {
        convertSmall<W>(from, bytes, to, out);
        return;
    }
    if (to.layout == StateLayout::SketchState)
        requireSameKeys(from, to);
    const std::string image = state.toImage();
    writeSketch(CountMinView<W>::fromValidated(image, parameters), to, out);
}

template <typename W>
void convertFromImage(const StateType & from, std::string_view bytes, const StateType & to, WriteBuffer & out)
{
    const CountMinShape shape = CountMinView<W>::readShape(bytes.substr(0, COUNT_MIN_HEADER_SIZE));
    const CountMinParameters parameters(shape.num_hashes, shape.num_buckets, from.seed, from.row_seeds);
    const auto view = CountMinView<W>::parse(bytes, parameters);
    requireEnd(view.sizeInBytes(), bytes.size());
    writeSketch(view, to, out);
}
}

void StateConversion::convertSketch(std::string_view bytes, WriteBuffer & out) const
{
    if (from.layout == StateLayout::SketchImage)
        dispatchNumber(from.weight, [&]<typename W>() { convertFromImage<W>(from, bytes, to, out); });
    else
        dispatchCountMinWeight(from.weight, [&]<typename W>() { convertState<W>(from, bytes, to, out); });
}

}
