#include "FormatTargets.h"
#include "IOTargets.h"

#include <statewire/Common/Exception.h>
#include <statewire/Storages/MergeTreeChecksums.h>
#include <statewire/Storages/MergeTreeColumns.h>
#include <statewire/Storages/MergeTreeMarks.h>

#include <string>
#include <string_view>

namespace statewire_fuzz
{

using namespace DB;

namespace
{
void checkMarks(const MergeTreeMarks & marks, std::size_t streams)
{
    UInt64 total = 0;
    for (std::size_t granule = 0; granule < marks.granules(); ++granule)
    {
        FUZZ_CHECK(marks.rowsOf(granule) != 0);
        total += marks.rowsOf(granule);
        for (std::size_t stream = 0; stream < streams; ++stream)
            static_cast<void>(marks.position(granule, stream));
    }
    FUZZ_CHECK(total == marks.totalRows());
    FUZZ_CHECK(marks.sameGranules(marks));
}
}

int fuzzPartFiles(const std::uint8_t * data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
    try
    {
        switch (data[0] % 4)
        {
            case 0: {
                const MergeTreeChecksums checksums = MergeTreeChecksums::parse(bytes, "checksums.txt");
                for (const MergeTreeChecksums::File & file : checksums.files())
                    FUZZ_CHECK(checksums.find(file.name) == &file);
                break;
            }
            case 1:
                checkMarks(MergeTreeMarks::parseAdaptive(bytes, 1 + data[0] / 4 % 4, "data.mrk4"), 1 + data[0] / 4 % 4);
                break;
            case 2:
                checkMarks(MergeTreeMarks::parseFixed(bytes, data[0] * UInt64{100}, 1 + data[0], "k.mrk"), 1);
                break;
            default: {
                /// Three texts, separated by zeros.
                const std::size_t first = bytes.find('\0');
                const std::size_t second = first == std::string_view::npos ? first : bytes.find('\0', first + 1);
                std::optional<std::string> substreams;
                std::optional<std::string> serialization;
                if (first != std::string_view::npos)
                    substreams = bytes.substr(first + 1, second == std::string_view::npos ? second : second - first - 1);
                if (second != std::string_view::npos)
                    serialization = bytes.substr(second + 1);
                const MergeTreeColumns columns = MergeTreeColumns::parse(bytes.substr(0, first), substreams, serialization, "part");
                for (std::size_t i = 0; i < columns.columns().size(); ++i)
                    FUZZ_CHECK(columns.find(columns.columns()[i].name) == i);
                break;
            }
        }
    }
    catch (const Exception & exception)
    {
        FUZZ_CHECK(exception.code() != 0);
        FUZZ_CHECK(!exception.message().empty());
    }
    return 0;
}

}

#ifdef STATEWIRE_FUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size) { return statewire_fuzz::fuzzPartFiles(data, size); }
#endif
