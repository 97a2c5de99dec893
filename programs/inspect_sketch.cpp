#include "NumberText.h"
#include "SketchDescription.h"
#include "SketchEntries.h"
#include "SketchKeys.h"
#include "StateInspector.h"

#include <statewire/AggregateFunctions/AggregateFunctionCountMinSketch.h>
#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/CountMin/CountMinSketch.h>
#include <statewire/CountMin/CountMinView.h>
#include <statewire/DataTypes/dispatchNumber.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

using namespace DB;

namespace statewire_program
{

namespace
{
/// The answers that state and view give in the same words.
template <typename Sketch>
nlohmann::ordered_json
estimatesOf(const Sketch & sketch, const std::vector<std::string> & keys, const std::optional<TypeIndex> & key_type, UInt64 key_size)
{
    auto estimates = nlohmann::ordered_json::array();
    for (const std::string & text : keys)
    {
        const std::string key = givenSketchKey(text, key_type, key_size);
        nlohmann::ordered_json estimate;
        estimate["key"] = text;
        estimate["estimate"] = numberText(sketch.estimate(key));
        estimate["lower"] = numberText(sketch.lowerBound(key));
        estimate["upper"] = numberText(sketch.upperBound(key));
        estimate["datasketches_lower"] = numberText(sketch.dataSketchesLowerBound(key));
        estimate["datasketches_upper"] = numberText(sketch.dataSketchesUpperBound(key));
        estimates.push_back(std::move(estimate));
    }
    return estimates;
}

constexpr size_t HEAVIEST_SHOWN = 5;

std::string percent(double part)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.3g%%", part * 100);
    return text;
}

/// What a state and an image have in common.
template <typename Sketch>
void printLoadAndError(const Sketch & sketch, const CountMinParameters & parameters, WriteBuffer & out)
{
    print(
        concat(
            "load: ",
            percent(static_cast<double>(sketch.filledCells()) / static_cast<double>(parameters.cells())),
            " of ",
            parameters.cells(),
            " cells\n"),
        out);
    const double error = parameters.relativeError() * static_cast<double>(sketch.total());
    print(
        concat(
            "error: at most ",
            numberText(error),
            " (",
            percent(parameters.relativeError()),
            " of the total) with a probability of ",
            percent(1 - std::exp(-static_cast<double>(parameters.numHashes()))),
            '\n'),
        out);
}

/// The keys of a small state by weight, the heaviest first.
template <typename W>
void printHeaviestKeys(std::string_view bytes, TypeIndex key_type, WriteBuffer & out)
{
    std::vector<std::pair<W, std::string>> entries;
    forEachEntry<W>(bytes, [&](const std::string & key, W weight) { entries.emplace_back(weight, key); });
    std::stable_sort(entries.begin(), entries.end(), [](const auto & left, const auto & right) { return left.first > right.first; });
    entries.resize(std::min(entries.size(), HEAVIEST_SHOWN));
    for (const std::pair<W, std::string> & entry : entries)
        print(
            concat("heaviest_key: ", sketchKeyText(entry.second, key_type), ", exact weight ", numberText(entry.first), '\n'), out);
}

template <typename Sketch>
void printHeaviestCells(const Sketch & sketch, UInt32 num_buckets, WriteBuffer & out)
{
    std::vector<UInt64> heaviest;
    const auto heavier = [&](UInt64 left, UInt64 right) {
        return sketch.cell(left) != sketch.cell(right) ? sketch.cell(left) > sketch.cell(right) : left < right;
    };
    for (UInt64 i = 0; i < sketch.cells(); ++i)
    {
        if (sketch.cell(i) == 0 || (heaviest.size() == HEAVIEST_SHOWN && !heavier(i, heaviest.back())))
            continue;
        heaviest.insert(std::lower_bound(heaviest.begin(), heaviest.end(), i, heavier), i);
        heaviest.resize(std::min(heaviest.size(), HEAVIEST_SHOWN));
    }
    for (const UInt64 i : heaviest)
        print(concat("heaviest_cell: row ", i / num_buckets, ", bucket ", i % num_buckets, ", ", numberText(sketch.cell(i)), '\n'), out);
}

template <typename W>
class StateSketchInspector final : public StateInspector
{
public:
    StateSketchInspector(
        const CountMinParameters & parameters_, TypeIndex key_type_, UInt32 key_size, const std::shared_ptr<const std::string> & bytes_)
        : bytes(bytes_), parameters(parameters_), key_type(key_type_), state(parameters, key_size)
    {
        ReadBufferFromMemory in(*bytes);
        state.read(in, bytes);
        size = in.count();
        std::string rewritten;
        WriteBufferFromString out(rewritten);
        state.write(out);
        out.finalize();
        canonical = rewritten == std::string_view(*bytes).substr(0, static_cast<size_t>(size));
    }

    [[nodiscard]] UInt64 consumed() const override { return size; }

    void describe(nlohmann::ordered_json & object, const std::vector<std::string> & estimate_keys) const override
    {
        object["kind"] = state.storage() == CountMinSketchState<W>::Storage::Small ? "small" : "sketch";
        object["canonical"] = canonical;
        object["empty"] = state.isEmpty();
        describeParameters(object, parameters);
        object["total_weight"] = numberText(state.total());
        object["filled_cells"] = state.filledCells();
        object["estimates"] = estimatesOf(state, estimate_keys, key_type, state.keySize());
    }

    void printDetails(WriteBuffer & out, size_t) const override
    {
        printLoadAndError(state, parameters, out);
        if (state.storage() == CountMinSketchState<W>::Storage::Small)
            printHeaviestKeys<W>(*bytes, key_type, out);
        else
            printHeaviestCells(state.toSketch(), parameters.numBuckets(), out);
    }

private:
    std::shared_ptr<const std::string> bytes;
    CountMinParameters parameters;
    TypeIndex key_type;
    CountMinSketchState<W> state;
    UInt64 size = 0;
    bool canonical = false;
};

template <typename W>
class ImageInspector final : public StateInspector
{
public:
    ImageInspector(UInt64 seed, RowSeeds scheme, const std::shared_ptr<const std::string> & bytes_)
        : bytes(bytes_),
          shape(CountMinView<W>::readShape(std::string_view(*bytes).substr(0, COUNT_MIN_HEADER_SIZE))),
          parameters(shape.num_hashes, shape.num_buckets, seed, scheme)
    {
        /// An image that is empty ends with its header; what is behind it is judged as for any other state.
        std::string_view image = *bytes;
        if (shape.empty)
            image = image.substr(0, COUNT_MIN_HEADER_SIZE);
        view = CountMinView<W>::parse(image, parameters);
        canonical = CountMinSketch<W>(view).toString() == view.bytes();
    }

    [[nodiscard]] UInt64 consumed() const override { return view.sizeInBytes(); }

    void describe(nlohmann::ordered_json & object, const std::vector<std::string> & estimate_keys) const override
    {
        object["kind"] = "image";
        object["canonical"] = canonical;
        object["empty"] = view.isEmpty();
        describeParameters(object, parameters);
        object["total_weight"] = numberText(view.total());
        object["filled_cells"] = view.filledCells();
        object["estimates"] = estimatesOf(view, estimate_keys, std::nullopt, 0);
    }

    void printDetails(WriteBuffer & out, size_t) const override
    {
        printLoadAndError(view, parameters, out);
        printHeaviestCells(view, shape.num_buckets, out);
    }

private:
    std::shared_ptr<const std::string> bytes;
    CountMinShape shape;
    CountMinParameters parameters;
    CountMinView<W> view;
    bool canonical = false;
};

}

std::unique_ptr<StateInspector> inspectSketch(const StateType & type, const std::shared_ptr<const std::string> & bytes)
{
    std::unique_ptr<StateInspector> inspector;
    if (type.layout == StateLayout::SketchImage)
        dispatchNumber(
            type.weight, [&]<typename W>() { inspector = std::make_unique<ImageInspector<W>>(type.seed, type.row_seeds, bytes); });
    else
        dispatchCountMinWeight(type.weight, [&]<typename W>() {
            inspector = std::make_unique<StateSketchInspector<W>>(type.parameters(), type.key, sizeOfNumber(type.key), bytes);
        });
    return inspector;
}

}
