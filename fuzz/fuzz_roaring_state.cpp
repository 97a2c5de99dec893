#include "RoaringTargets.h"

#include <statewire/AggregateFunctions/RoaringBitmapCombinedState.h>
#include <statewire/AggregateFunctions/RoaringBitmapFunctions.h>
#include <statewire/Common/Exception.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Roaring/RoaringForeignFormats.h>

#include <algorithm>
#include <memory>
#include <string>

/** States of groupBitmap and groupBitmapAnd over bytes that anybody may have written, and the layouts of other systems. */
namespace statewire_fuzz
{

using namespace DB;

namespace
{
template <typename State>
std::string serialize(const State & state)
{
    std::string result;
    WriteBufferFromString out(result);
    state.write(out);
    out.finalize();
    return result;
}

/// What was accepted is a state: canonical when written again, and the same answers from every storage.
template <typename T>
void checkState(const RoaringBitmapState<T> & state)
{
    using State = RoaringBitmapState<T>;
    using Functions = BitmapFunctions<T>;
    const std::string bytes = serialize(state);
    require(bytes.size() == state.serializedSize());
    State again;
    ReadBufferFromMemory in(bytes);
    again.read(in);
    require(in.eof() && serialize(again) == bytes && again.cardinality() == state.cardinality());
    State merged;
    ReadBufferFromMemory merged_in(bytes);
    merged.readAndMerge(merged_in);
    require(serialize(merged) == bytes);
    const State * many[] = {&state, &again, &merged, &state};
    require(serialize(State::combineMany(SetOperation::Or, many)) == bytes);
    require(State::combineMany(SetOperation::Xor, many).empty());
    require(State::combinedCardinality(SetOperation::And, state, again) == state.cardinality());
    if (state.empty() || state.cardinality() > 100000)
        return;
    require(Functions::select(state, 0) == Functions::minimum(state));
    require(Functions::rank(state, Functions::maximum(state)) == state.cardinality());
    const std::vector<T> values = Functions::toArray(state);
    require(serialize(Functions::build(values)) == bytes);
    State changed = state;
    changed.add(static_cast<T>(77));
    changed.mergeMany(many);
    require(changed.cardinality() == state.cardinality() + !state.contains(static_cast<T>(77)));
}

template <typename State>
void readState(std::string_view bytes)
{
    State state;
    ReadBufferFromMemory in(bytes);
    bool accepted = true;
    try
    {
        state.read(in);
    }
    catch (const Exception &)
    {
        accepted = false;
    }
    State merged;
    ReadBufferFromMemory merged_in(bytes);
    bool merged_accepted = true;
    try
    {
        merged.readAndMerge(merged_in);
    }
    catch (const Exception &)
    {
        merged_accepted = false;
    }
    require(accepted == merged_accepted);
    require(serialize(state) == serialize(merged));
    if (!accepted)
    {
        require(serialize(state) == serialize(State()));
        return;
    }
    require(in.count() == merged_in.count());
    ReadBufferFromMemory skipped(bytes);
    State::skip(skipped);
    require(skipped.count() == in.count());
    if constexpr (requires { state.set(); })
        checkState(state.set());
    else
        checkState(state);
}

template <typename T>
void readAnyState(bool is_combined, std::string_view bytes)
{
    if (is_combined)
        readState<RoaringBitmapCombinedState<T, SetOperation::And>>(bytes);
    else
        readState<RoaringBitmapState<T>>(bytes);
}

void readForeign(UInt8 choice, std::string_view bytes)
{
    try
    {
        RoaringBitmap bitmap;
        UInt64 consumed = 0;
        if (choice == 0)
            bitmap = readRoaringFrozen32(bytes);
        else if (choice == 1)
            bitmap = readRoaringJavaLegacy64(bytes, &consumed);
        else
            bitmap = readRoaringBitmapValue(bytes, choice == 2 ? BitmapValueDialect::Doris : BitmapValueDialect::StarRocks, &consumed);
        require(consumed <= bytes.size());
        checkState(RoaringBitmapState<UInt64>::fromBitmap(std::move(bitmap)));
    }
    catch (const Exception &)
    {
    }
}
}

void runRoaringState(std::string_view bytes)
{
    if (bytes.empty())
        return;
    const auto choice = static_cast<UInt8>(bytes[0]);
    /// Memory of exactly this size, so that a sanitizer sees one byte too many.
    const size_t size = bytes.size() - 1;
    const std::unique_ptr<char[]> copy(new char[size]);
    std::copy(bytes.begin() + 1, bytes.end(), copy.get());
    const std::string_view input(copy.get(), size);
    const bool is_combined = choice & 8;
    if (choice & 16)
        return readForeign(choice & 3, input);
    switch (choice & 7)
    {
        case 0:
            return readAnyState<UInt8>(is_combined, input);
        case 1:
            return readAnyState<UInt16>(is_combined, input);
        case 2:
            return readAnyState<UInt32>(is_combined, input);
        case 3:
            return readAnyState<UInt64>(is_combined, input);
        case 4:
            return readAnyState<Int8>(is_combined, input);
        case 5:
            return readAnyState<Int16>(is_combined, input);
        case 6:
            return readAnyState<Int32>(is_combined, input);
        default:
            return readAnyState<Int64>(is_combined, input);
    }
}

}

#ifdef STATEWIRE_FUZZER
extern "C" int LLVMFuzzerTestOneInput(const unsigned char * data, size_t size)
{
    statewire_fuzz::runRoaringState({reinterpret_cast<const char *>(data), size});
    return 0;
}
#endif
