#include "CountMinTargets.h"
#include "IOTargets.h"

#include <statewire/AggregateFunctions/CountMinRangesState.h>
#include <statewire/AggregateFunctions/CountMinTopKState.h>
#include <statewire/Common/Exception.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

/** States of countMinTopK and countMinRanges of bytes that anybody may have written. */
namespace statewire_fuzz
{

using namespace DB;

namespace
{
template <typename State>
std::string bytesOf(const State & state)
{
    std::string result;
    WriteBufferFromString out(result);
    state.write(out);
    out.finalize();
    return result;
}

/// Reads the bytes as a state of make() and asks it; `feed` adds a little to a state.
template <typename Make, typename Feed, typename Ask>
void askBytes(std::string_view bytes, Make && make, Feed && feed, Ask && ask)
{
    auto state = make();
    ReadBufferFromMemory in(bytes.data(), bytes.size());
    bool accepted = true;
    try
    {
        state.read(in);
    }
    catch (const Exception &)
    {
        accepted = false;
    }
    auto merged = make();
    feed(merged);
    const std::string before = bytesOf(merged);
    ReadBufferFromMemory again(bytes.data(), bytes.size());
    bool merges = true;
    try
    {
        merged.readAndMerge(again);
    }
    catch (const Exception &)
    {
        merges = false;
        FUZZ_CHECK(bytesOf(merged) == before);
    }
    if (!accepted)
    {
        FUZZ_CHECK(!merges);
        FUZZ_CHECK(bytesOf(state) == bytesOf(make()));
        return;
    }
    FUZZ_CHECK(bytesOf(state) == bytes.substr(0, in.count()));
    ask(state);
    if (!merges)
        return;
    /// Merging commutes, and what it gives is read back.
    auto other_way = make();
    ReadBufferFromMemory once_more(bytes.data(), bytes.size());
    other_way.read(once_more);
    auto fed = make();
    feed(fed);
    other_way.merge(fed);
    const std::string result = bytesOf(merged);
    FUZZ_CHECK(bytesOf(other_way) == result);
    auto read = make();
    ReadBufferFromMemory of_result(result.data(), result.size());
    read.read(of_result);
    FUZZ_CHECK(bytesOf(read) == result);
    ask(merged);
}
}

int fuzzCountMinBeyond(const std::uint8_t * data, std::size_t size)
{
    if (size < 3)
        return 0;
    const CountMinParameters parameters(
        1 + static_cast<UInt32>(data[1]) % 4,
        3 + static_cast<UInt32>(data[2]) % 40,
        COUNT_MIN_DEFAULT_SEED,
        data[0] & 16 ? RowSeeds::LibCxx : RowSeeds::LibStdCxx,
        data[0] & 8 ? CountMinOption::Conservative : CountMinOption::Plain);
    const std::unique_ptr<char[]> copy(new char[size - 3]);
    std::copy(data + 3, data + size, copy.get());
    const std::string_view bytes(copy.get(), size - 3);
    if (data[0] % 2 == 0)
    {
        const UInt32 key_size = data[0] & 32 ? 8 : 0;
        const std::string key(key_size == 0 ? 3 : key_size, 'k');
        askBytes(
            bytes,
            [&] { return CountMinTopKState(parameters, 1 + data[1] / 4 % 8, key_size); },
            [&](CountMinTopKState & state) { state.add(key, 2); },
            [&](const CountMinTopKState & state) {
                UInt64 previous = ~UInt64{0};
                for (const auto & hitter : state.top(100))
                {
                    FUZZ_CHECK(hitter.estimate <= previous && hitter.lower_bound <= hitter.estimate && hitter.estimate <= state.total());
                    previous = hitter.estimate;
                }
            });
        return 0;
    }
    const UInt32 value_size = UInt32{1} << data[0] / 32 % 4;
    askBytes(
        bytes,
        [&] { return CountMinRangesState(parameters, value_size); },
        [&](CountMinRangesState & state) { state.add(77, 2); },
        [&](const CountMinRangesState & state) {
            FUZZ_CHECK(state.count(0, ~UInt64{0}) == state.total());
            FUZZ_CHECK(state.lowerBound(5, 100) <= state.count(5, 100) && state.count(5, 100) <= state.total());
            FUZZ_CHECK(state.quantile(0.3) <= state.last());
        });
    return 0;
}

}

#ifdef STATEWIRE_FUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
    return statewire_fuzz::fuzzCountMinBeyond(data, size);
}
#endif
