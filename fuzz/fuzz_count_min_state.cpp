#include "CountMinTargets.h"
#include "IOTargets.h"

#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/Common/Exception.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

/** States of bytes that anybody may have written: an error that changes nothing, or a state that is written back byte for byte. */
namespace statewire_fuzz
{

using namespace DB;

namespace
{
template <typename F>
bool succeeds(F && f)
{
    try
    {
        f();
        return true;
    }
    catch (const Exception &)
    {
        return false;
    }
}

template <CountMinStateWeight W>
std::string written(const CountMinSketchState<W> & state)
{
    std::string result;
    WriteBufferFromString out(result);
    state.write(out);
    out.finalize();
    FUZZ_CHECK(result.size() == state.serializedSize());
    return result;
}

template <CountMinStateWeight W>
void askState(std::string_view bytes, const CountMinParameters & parameters, UInt32 key_size)
{
    CountMinSketchState<W> state(parameters, key_size);
    ReadBufferFromMemory in(bytes.data(), bytes.size());
    const bool accepted = succeeds([&] { state.read(in); });

    CountMinSketchState<W> merged(parameters, key_size);
    const std::string key(key_size == 0 ? 3 : key_size, 'k');
    merged.add(key, 2);
    const std::string before = written(merged);
    ReadBufferFromMemory again(bytes.data(), bytes.size());
    const bool merges = succeeds([&] { merged.readAndMerge(again); });
    if (!merges)
        FUZZ_CHECK(written(merged) == before);
    if (!accepted)
    {
        FUZZ_CHECK(!merges);
        FUZZ_CHECK(state.isEmpty() && written(state) == written(CountMinSketchState<W>(parameters, key_size)));
        return;
    }
    const std::string rewritten = written(state);
    FUZZ_CHECK(std::string_view(rewritten) == bytes.substr(0, in.count()));
    ReadBufferFromMemory skipped(bytes.data(), bytes.size());
    FUZZ_CHECK(succeeds([&] { CountMinSketchState<W>::skip(skipped); }));
    FUZZ_CHECK(skipped.count() == in.count());
    FUZZ_CHECK(!(state.estimate(key) > state.total()));
    static_cast<void>(state.filledCells());
    FUZZ_CHECK(succeeds([&] { static_cast<void>(state.correctedEstimate(key)); }) != parameters.isConservative());
    FUZZ_CHECK(
        succeeds([&] { static_cast<void>(CountMinSketchState<W>::innerProduct(state, merged)); }) != parameters.isConservative());
    const CountMinParameters decayed_parameters = parameters.decayed();
    CountMinSketchState<W> halved(decayed_parameters, key_size);
    halved.mergeDecayed(state, CountMinDecay(0.5));
    FUZZ_CHECK(!(halved.total() > state.total()));
    CountMinSketchState<W> read_again(decayed_parameters, key_size);
    const std::string halved_bytes = written(halved);
    ReadBufferFromMemory of_halved(halved_bytes.data(), halved_bytes.size());
    read_again.read(of_halved);
    FUZZ_CHECK(written(read_again) == halved_bytes);
    if (merges)
    {
        /// Merging from bytes and from the object are one thing.
        CountMinSketchState<W> of_object(parameters, key_size);
        of_object.add(key, 2);
        of_object.merge(state);
        FUZZ_CHECK(written(of_object) == written(merged));
    }
    CountMinSketchState<W> of_image(parameters, key_size);
    of_image.mergeImage(state.toImage());
    FUZZ_CHECK(of_image.total() == state.total() || std::is_floating_point_v<W>);
    const std::string_view keys[] = {key, key};
    const W weights[] = {3, 4};
    succeeds([&] { state.addBatch(CountMinKeys::strings(keys), weights); });
    static_cast<void>(written(state));
}
}

int fuzzCountMinState(const std::uint8_t * data, std::size_t size)
{
    if (size < 3)
        return 0;
    const CountMinParameters parameters(
        1 + static_cast<UInt32>(data[1]) % 4,
        3 + static_cast<UInt32>(data[2]) % 40,
        COUNT_MIN_DEFAULT_SEED,
        data[0] & 16 ? RowSeeds::LibCxx : RowSeeds::LibStdCxx,
        static_cast<CountMinOption>(data[1] / 16 % 4));
    const std::unique_ptr<char[]> copy(new char[size - 3]);
    std::copy(data + 3, data + size, copy.get());
    const std::string_view bytes(copy.get(), size - 3);
    const UInt32 key_size = data[0] & 32 ? 8 : data[0] & 64 ? 2 : 0;
    /// Conservative update takes unsigned weights.
    switch (parameters.isConservative() ? 0 : data[0] % 3)
    {
        case 0: askState<UInt64>(bytes, parameters, key_size); break;
        case 1: askState<Int64>(bytes, parameters, key_size); break;
        default: askState<Float64>(bytes, parameters, key_size); break;
    }
    return 0;
}

}

#ifdef STATEWIRE_FUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
    return statewire_fuzz::fuzzCountMinState(data, size);
}
#endif
