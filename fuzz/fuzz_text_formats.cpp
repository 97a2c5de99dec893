#include "FormatTargets.h"
#include "IOTargets.h"

#include "../tests/TornReadBuffer.h"

#include <statewire/AggregateFunctions/AggregateFunctionFactory.h>
#include <statewire/Common/Exception.h>
#include <statewire/Formats/FormatFactory.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Interpreters/ExpressionParser.h>

#include <string>
#include <string_view>

namespace statewire_fuzz
{

using namespace DB;

namespace
{
constexpr std::string_view FORMATS[] = {"TSV", "TSVRaw", "TSVWithNamesAndTypes", "CSV", "CSVWithNames", "JSONEachRow", "Values"};

struct Result
{
    std::string rows;
    int code = 0;

    bool operator==(const Result &) const = default;
};

Result readAll(std::string_view format, ReadBuffer & in, const NamesAndTypes & structure)
{
    Result result;
    WriteBufferFromString out(result.rows);
    const auto writer = createOutputFormat("TSV", out, structure);
    try
    {
        const auto reader = createInputFormat(format, in, structure);
        Block block;
        while (reader->read(block))
            writer->write(block);
    }
    catch (const Exception & exception)
    {
        result.code = exception.code();
    }
    writer->finalize();
    out.finalize();
    return result;
}
}

int fuzzTextFormats(const std::uint8_t * data, std::size_t size)
{
    static const NamesAndTypes structure = parseStructure(
        "k UInt8, s String, f Float64, a Array(String), b AggregateFunction(groupBitmap, UInt16)", defaultAggregateFunctionFactory());
    if (size == 0)
        return 0;
    const std::string_view format = FORMATS[data[0] % std::size(FORMATS)];
    const std::string_view bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
    ReadBufferFromMemory whole(bytes);
    const Result expected = readAll(format, whole, structure);
    for (const std::size_t piece : {1, 3, 64})
    {
        statewire_tests::TornReadBuffer torn(bytes, piece);
        FUZZ_CHECK(readAll(format, torn, structure) == expected);
    }
    /// What was understood is written and read back the same.
    ReadBufferFromMemory again(expected.rows);
    FUZZ_CHECK(readAll("TSV", again, structure).rows == expected.rows);
    return 0;
}

}

#ifdef STATEWIRE_FUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size) { return statewire_fuzz::fuzzTextFormats(data, size); }
#endif
