#include "IOTargets.h"

#include "../tests/TornReadBuffer.h"

#include <statewire/Common/Exception.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/ZeroCopyReader.h>

#include <string>
#include <string_view>
#include <vector>

namespace statewire_fuzz
{

using namespace DB;

namespace
{
/// What a program of reads gave: the same for every way to tear the source.
struct Trace
{
    std::vector<std::string> values;
    int code = 0;
    std::string message;
    UInt64 offset = 0;

    bool operator==(const Trace &) const = default;
};

/// An operation is two bytes: what to do, and a length (above 200: one that no source has).
Trace run(std::string_view program, ReadBuffer & in, const std::shared_ptr<const void> & owner, Arena * arena)
{
    Trace trace;
    ZeroCopyReader reader(in, owner, arena);
    std::vector<std::pair<size_t, PinnedBytes>> pinned;
    UInt64 asked = 0;
    try
    {
        for (; program.size() >= 2; program.remove_prefix(2))
        {
            const auto number = static_cast<UInt8>(program[1]);
            const UInt64 n = number <= 200 ? number : UInt64{1} << (number - 192);
            switch (program[0] % 5)
            {
                case 0:
                    trace.values.emplace_back(reader.borrow(n));
                    asked += n;
                    break;
                case 1:
                    pinned.emplace_back(trace.values.size(), reader.pin(n));
                    trace.values.emplace_back(pinned.back().second.bytes());
                    asked += n;
                    break;
                case 2:
                    trace.values.push_back(std::to_string(reader.readByte()));
                    break;
                case 3:
                    trace.values.push_back(std::to_string(reader.readVarUInt()));
                    break;
                default:
                    reader.skip(n);
                    break;
            }
        }
    }
    catch (const Exception & exception)
    {
        trace.code = exception.code();
        trace.message = exception.message();
    }
    trace.offset = reader.offset();
    /// Pinned bytes outlive everything that was read behind them.
    for (const auto & [index, bytes] : pinned)
        FUZZ_CHECK(bytes.bytes() == trace.values[index]);
    FUZZ_CHECK(trace.code != 0 || reader.copiedBytes() <= asked);
    return trace;
}
}

int fuzzZeroCopyReader(const std::uint8_t * data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view input(reinterpret_cast<const char *>(data) + 1, size - 1);
    const std::string_view program = input.substr(0, data[0]);
    const auto source = std::make_shared<const std::string>(input.substr(program.size()));

    ReadBufferFromMemory whole(*source);
    const Trace expected = run(program, whole, nullptr, nullptr);
    FUZZ_CHECK(expected.offset <= source->size());
    ReadBufferFromMemory owned(*source);
    FUZZ_CHECK(run(program, owned, source, nullptr) == expected);
    for (const size_t piece : {1, 2, 7, 64})
        for (const bool with_arena : {false, true})
        {
            Arena arena;
            statewire_tests::TornReadBuffer torn(*source, piece);
            const Trace trace = run(program, torn, nullptr, with_arena ? &arena : nullptr);
            FUZZ_CHECK(trace.values == expected.values);
            FUZZ_CHECK(trace.code == expected.code);
            FUZZ_CHECK(trace.message == expected.message);
            FUZZ_CHECK(trace.code != 0 || trace.offset == expected.offset);
        }
    return 0;
}

}

#ifdef STATEWIRE_FUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
    return statewire_fuzz::fuzzZeroCopyReader(data, size);
}
#endif
