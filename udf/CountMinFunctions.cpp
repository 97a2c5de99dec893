#include "RowResult.h"
#include "UserDefinedFunction.h"

#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/CountMin/CountMinSumForEach.h>
#include <statewire/IO/ReadBufferFromMemory.h>

#include <algorithm>
#include <utility>
#include <vector>

using namespace DB;

namespace statewire_udf
{

namespace
{

using State = CountMinSketchState<UInt64>;

constexpr UInt32 NUMBER_KEY = sizeof(UInt64);
/// Strings, and states whose keys nobody asks for: those of numbers have the same bytes.
constexpr UInt32 ANY_KEY = 0;

void requireEnd(ReadBuffer & source)
{
    if (!source.eof())
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("Wrong state of a count-min sketch: ", source.available(), " bytes behind its end at byte ", source.count()));
}

/// A sketch argument: the bytes of one state and nothing behind them. They are borrowed until the next row.
void readState(RowArguments & row, State & state)
{
    const std::string_view bytes = row.readString();
    ReadBufferFromMemory source(bytes);
    state.read(source, std::shared_ptr<const void>(std::shared_ptr<const void>(), bytes.data()));
    requireEnd(source);
}

std::vector<std::string_view> readStrings(RowArguments & row)
{
    std::vector<std::string_view> strings;
    for (UInt64 left = row.readArraySize(); left != 0; --left)
        strings.push_back(row.readString());
    return strings;
}

CountMinKeys numberKeys(std::string_view numbers) { return CountMinKeys::fixed(numbers.data(), NUMBER_KEY, numbers.size() / NUMBER_KEY); }

std::vector<UInt64> readWeights(RowArguments & row)
{
    const std::string_view numbers = row.readNumbers();
    std::vector<UInt64> weights(numbers.size() / sizeof(UInt64));
    for (size_t i = 0; i < weights.size(); ++i)
        weights[i] = unalignedLoadLittleEndian<UInt64>(numbers.data() + i * sizeof(UInt64));
    return weights;
}

/// Without the check no weights at all would mean weight 1.
void addWeighted(State & state, const CountMinKeys & keys, const std::vector<UInt64> & weights)
{
    if (keys.size() != weights.size())
        throwError(ErrorCodes::BAD_ARGUMENTS, concat(keys.size(), " keys with ", weights.size(), " weights"));
    state.addBatch(keys, weights);
}

void writeState(const State & state, WriteBuffer & result)
{
    writeVarUInt(state.serializedSize(), result);
    state.write(result);
}

void estimateAll(const State & state, const CountMinKeys & keys, WriteBuffer & result)
{
    std::vector<UInt64> estimates(keys.size());
    state.estimateMany(keys, estimates.data());
    writeVarUInt(estimates.size(), result);
    for (const UInt64 estimate : estimates)
        writeNumber(estimate, result);
}

void writeBounds(const State & state, std::string_view key, WriteBuffer & result)
{
    writeNumber(state.lowerBound(key), result);
    writeNumber(state.upperBound(key), result);
}

void writeKey(UInt64 key, WriteBuffer & result) { writeNumber(key, result); }
void writeKey(std::string_view key, WriteBuffer & result) { writeString(key, result); }

/// The k candidates of the largest estimates, those first; among equals the smaller key. A candidate given twice counts once.
template <typename Key>
void writeTopK(std::vector<std::pair<Key, UInt64>> & candidates, UInt64 k, WriteBuffer & result)
{
    std::sort(candidates.begin(), candidates.end(), [](const auto & a, const auto & b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    const size_t n = static_cast<size_t>(std::min<UInt64>(k, candidates.size()));
    writeVarUInt(n, result);
    for (size_t i = 0; i < n; ++i)
    {
        writeKey(candidates[i].first, result);
        writeNumber(candidates[i].second, result);
    }
}

template <typename Key>
std::vector<std::pair<Key, UInt64>> estimateCandidates(const State & state, const std::vector<Key> & keys, const CountMinKeys & key_bytes)
{
    std::vector<UInt64> estimates(keys.size());
    state.estimateMany(key_bytes, estimates.data());
    std::vector<std::pair<Key, UInt64>> candidates(keys.size());
    for (size_t i = 0; i < keys.size(); ++i)
        candidates[i] = {keys[i], estimates[i]};
    return candidates;
}

template <typename Sink>
void writeSumForEach(const State & state, Sink & sink)
{
    const std::string image = state.toImage();
    writeCountMinSumForEach(CountMinView<UInt64>::fromValidated(image, state.parameters()), sink);
}

}

void countMinSketchBuildUInt64(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), NUMBER_KEY);
    state.addBatch(numberKeys(row.readNumbers()));
    writeState(state, result);
}

void countMinSketchBuildString(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), ANY_KEY);
    state.addBatch(CountMinKeys::strings(readStrings(row)));
    writeState(state, result);
}

void countMinSketchBuildWeightedUInt64(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), NUMBER_KEY);
    const std::string_view keys = row.readNumbers();
    const std::vector<UInt64> weights = readWeights(row);
    addWeighted(state, numberKeys(keys), weights);
    writeState(state, result);
}

void countMinSketchBuildWeightedString(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), ANY_KEY);
    const std::vector<std::string_view> keys = readStrings(row);
    const std::vector<UInt64> weights = readWeights(row);
    addWeighted(state, CountMinKeys::strings(keys), weights);
    writeState(state, result);
}

void countMinSketchMerge(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), ANY_KEY);
    for (UInt64 left = row.readArraySize(); left != 0; --left)
    {
        ReadBufferFromMemory source(row.readString());
        state.readAndMerge(source);
        requireEnd(source);
    }
    writeState(state, result);
}

void countMinSketchEstimateUInt64(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), NUMBER_KEY);
    readState(row, state);
    writeNumber(state.estimate(row.readBytes(NUMBER_KEY)), result);
}

void countMinSketchEstimateString(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), ANY_KEY);
    readState(row, state);
    writeNumber(state.estimate(row.readString()), result);
}

void countMinSketchEstimatesUInt64(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), NUMBER_KEY);
    readState(row, state);
    estimateAll(state, numberKeys(row.readNumbers()), result);
}

void countMinSketchEstimatesString(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), ANY_KEY);
    readState(row, state);
    estimateAll(state, CountMinKeys::strings(readStrings(row)), result);
}

void countMinSketchBoundsUInt64(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), NUMBER_KEY);
    readState(row, state);
    writeBounds(state, row.readBytes(NUMBER_KEY), result);
}

void countMinSketchBoundsString(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), ANY_KEY);
    readState(row, state);
    writeBounds(state, row.readString(), result);
}

void countMinSketchTotal(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), ANY_KEY);
    readState(row, state);
    writeNumber(state.total(), result);
}

void countMinSketchTopKUInt64(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), NUMBER_KEY);
    readState(row, state);
    const std::string_view bytes = row.readNumbers();
    std::vector<UInt64> keys(bytes.size() / NUMBER_KEY);
    for (size_t i = 0; i < keys.size(); ++i)
        keys[i] = unalignedLoadLittleEndian<UInt64>(bytes.data() + i * NUMBER_KEY);
    auto candidates = estimateCandidates(state, keys, numberKeys(bytes));
    writeTopK(candidates, row.readNumber<UInt64>(), result);
}

void countMinSketchTopKString(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), ANY_KEY);
    readState(row, state);
    const std::vector<std::string_view> keys = readStrings(row);
    auto candidates = estimateCandidates(state, keys, CountMinKeys::strings(keys));
    writeTopK(candidates, row.readNumber<UInt64>(), result);
}

void countMinSketchInnerProduct(RowArguments & row, WriteBuffer & result)
{
    const CountMinParameters & parameters = row.readParameters();
    State left(parameters, ANY_KEY);
    State right(parameters, ANY_KEY);
    readState(row, left);
    readState(row, right);
    writeNumber(State::innerProduct(left, right), result);
}

void countMinSketchToImage(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), ANY_KEY);
    readState(row, state);
    writeString(state.toImage(), result);
}

void countMinSketchFromImage(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), ANY_KEY);
    state.mergeImage(row.readString());
    writeState(state, result);
}

void countMinSketchToSumForEach(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), ANY_KEY);
    readState(row, state);
    writeVarUInt(countMinSumForEachLength(state.parameters()), result);
    WriteBufferSink sink(result);
    writeSumForEach(state, sink);
}

void countMinSketchToSumForEachState(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), ANY_KEY);
    readState(row, state);
    writeNumber(countMinSumForEachLength(state.parameters()), result);
    WriteBufferSink sink(result);
    writeSumForEach(state, sink);
}

void countMinSketchFromSumForEach(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), ANY_KEY);
    state.mergeImage(countMinImageFromSumForEach(row.readNumbers(), state.parameters()));
    writeState(state, result);
}

void countMinSketchFromSumForEachState(RowArguments & row, WriteBuffer & result)
{
    State state(row.readParameters(), ANY_KEY);
    state.mergeImage(countMinImageFromSumForEach(row.readSumForEachState(), state.parameters()));
    writeState(state, result);
}

}
