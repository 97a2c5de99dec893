#include "CountMinTargets.h"
#include "IOTargets.h"

#include <statewire/CountMin/CountMinJoin.h>
#include <statewire/CountMin/CountMinSketch.h>
#include <statewire/CountMin/CountMinView.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/** Views over bytes that anybody may have written: after Structure nothing may leave the bytes, after Full the table must be what it says. */
namespace statewire_fuzz
{

using namespace DB;

namespace
{
template <CountMinWeight W>
void askImage(std::string_view image, const CountMinParameters & parameters)
{
    CountMinView<W> loose;
    const CountMinParseResult structure = CountMinView<W>::tryParse(image, parameters, Validation::Structure, loose);
    CountMinView<W> full;
    const CountMinParseResult contents = CountMinView<W>::tryParse(image, parameters, Validation::Full, full);
    FUZZ_CHECK(structure.ok() || !contents.ok());
    if (!contents.ok())
        FUZZ_CHECK(!contents.describe().empty() && contents.code() != 0);
    if (!structure.ok())
        return;
    FUZZ_CHECK(loose.sizeInBytes() <= image.size());
    const std::string_view views[] = {"", "a", "key of more than sixteen bytes", "sixteen bytes ok"};
    W answers[4];
    loose.estimateMany(CountMinKeys::strings(views), answers);
    for (size_t i = 0; i < 4; ++i)
    {
        const W estimate = loose.estimate(views[i]);
        /// NaN cells are answers too.
        FUZZ_CHECK(answers[i] == estimate || (answers[i] != answers[i] && estimate != estimate));
        static_cast<void>(loose.lowerBound(views[i]));
        static_cast<void>(loose.dataSketchesUpperBound(views[i]));
        static_cast<void>(countMinCorrectedEstimate<W>(loose, views[i]));
    }
    static_cast<void>(loose.filledCells());
    static_cast<void>(countMinInnerProduct<W>(loose, loose));
    if (!contents.ok())
        return;
    /// What passed is rewritten as it came, and merges into what a sum of both is.
    const CountMinSketch<W> owner(full);
    FUZZ_CHECK(owner.toString() == full.bytes());
    CountMinSketch<W> wrapped(parameters, CountMinOverflow::Wrap);
    wrapped.merge(full);
    wrapped.merge(owner);
    for (UInt64 i = 0; i < parameters.cells(); ++i)
    {
        FUZZ_CHECK(!(full.cell(i) > full.total()));
        static_cast<void>(wrapped.cell(i));
    }
    for (size_t i = 0; i < 4; ++i)
        FUZZ_CHECK(!(full.estimate(views[i]) > full.total()));
}
}

int fuzzCountMinImage(const std::uint8_t * data, std::size_t size)
{
    if (size < 3)
        return 0;
    const auto num_hashes = 1 + static_cast<UInt32>(data[1]) % 4;
    const auto num_buckets = 3 + static_cast<UInt32>(data[2]) % 6;
    const CountMinParameters parameters(
        num_hashes, num_buckets, COUNT_MIN_DEFAULT_SEED, data[0] & 16 ? RowSeeds::LibCxx : RowSeeds::LibStdCxx);
    /// Memory of exactly this size, so that a sanitizer sees one byte too many.
    const std::unique_ptr<char[]> copy(new char[size - 3]);
    std::copy(data + 3, data + size, copy.get());
    const std::string_view image(copy.get(), size - 3);
    switch (data[0] % 10)
    {
        case 0: askImage<UInt64>(image, parameters); break;
        case 1: askImage<Int64>(image, parameters); break;
        case 2: askImage<Float64>(image, parameters); break;
        case 3: askImage<UInt8>(image, parameters); break;
        case 4: askImage<Int8>(image, parameters); break;
        case 5: askImage<UInt16>(image, parameters); break;
        case 6: askImage<Int16>(image, parameters); break;
        case 7: askImage<UInt32>(image, parameters); break;
        case 8: askImage<Int32>(image, parameters); break;
        default: askImage<Float32>(image, parameters); break;
    }
    return 0;
}

}

#ifdef STATEWIRE_FUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
    return statewire_fuzz::fuzzCountMinImage(data, size);
}
#endif
