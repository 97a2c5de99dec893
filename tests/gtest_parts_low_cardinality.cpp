#include "AllocationCounter.h"
#include "PartTests.h"
#include "ScratchDirectory.h"

#include <statewire/Common/ErrorCodes.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace DB;
using namespace statewire_tests;

/// Dictionaries of LowCardinality columns: of the engine's parts, and of parts written by hand, right and wrong.

namespace
{
constexpr UInt64 NEEDS_SHARED_KEYS = 0x100;
constexpr UInt64 HAS_KEYS = 0x200;
constexpr UInt64 UPDATES_DICTIONARY = 0x400;

std::string keysOf(const std::vector<std::string> & keys)
{
    std::string bytes = numbersLE({keys.size()});
    for (const std::string & key : keys)
        bytes += static_cast<char>(key.size()) + key;
    return bytes;
}

/// Indexes of one byte each.
std::string indexesOf(const std::string & indexes) { return numbersLE({indexes.size()}) + indexes; }

/// A wide part of one column, in three granules of 2, 3 and 1 rows. The bytes of each are in a frame of their own.
struct Part
{
    std::string type = "LowCardinality(Nullable(String))";
    /// The version, and the dictionaries.
    std::vector<std::string> dictionaries = {numbersLE({1}), keysOf({"", "", "a"}), keysOf({"", "", "b", "c"})};
    /// To which of these each granule's mark points, and to which byte of it.
    std::vector<std::pair<size_t, UInt64>> marks = {{1, 0}, {1, 0}, {2, 0}};
    std::vector<std::string> indexes = {
        numbersLE({NEEDS_SHARED_KEYS | UPDATES_DICTIONARY}) + indexesOf({0, 2}),
        /// A key of its own, in a part of its own; then the next dictionary within the granule.
        numbersLE({NEEDS_SHARED_KEYS | HAS_KEYS}) + keysOf({"own"}) + indexesOf({3, 1})
            + numbersLE({NEEDS_SHARED_KEYS | UPDATES_DICTIONARY}) + indexesOf({3}),
        numbersLE({NEEDS_SHARED_KEYS}) + indexesOf({2}),
    };

    [[nodiscard]] std::string write(const TemporaryFolder & folder) const
    {
        const std::filesystem::path path = folder.path("part");
        std::filesystem::create_directories(path);
        writeFile(path / "columns.txt", "columns format version: 1\n1 columns:\n`k` " + type + "\n");
        writeFile(path / "count.txt", "6");
        std::vector<UInt64> offsets;
        UInt64 offset = 0;
        for (const std::string & piece : dictionaries)
        {
            offsets.push_back(offset);
            offset += framesOf({piece}).size();
        }
        const UInt64 rows[] = {2, 3, 1};
        std::string dictionary_marks;
        std::string index_marks;
        UInt64 index_offset = 0;
        for (size_t i = 0; i < 3; ++i)
        {
            dictionary_marks += numbersLE({offsets[marks[i].first], marks[i].second, rows[i]});
            index_marks += numbersLE({index_offset, 0, rows[i]});
            index_offset += framesOf({indexes[i]}).size();
        }
        writeFile(path / "k.dict.bin", framesOf(dictionaries));
        writeFile(path / "k.dict.mrk2", dictionary_marks);
        writeFile(path / "k.bin", framesOf(indexes));
        writeFile(path / "k.mrk2", index_marks);
        return path.string();
    }
};

const char * const ROWS[] = {"\\N\na\n", "own\n\nc\n", "b\n"};
}

TEST(PartsLowCardinality, OfTheEngineAreRead)
{
    std::string expected;
    for (int i = 0; i < 10; ++i)
        expected += std::to_string(i) + "\tlc\n";
    for (const char * kind : {"wide_types", "compact_types"})
    {
        SCOPED_TRACE(kind);
        const std::string folder = (parts() / kind).string();
        EXPECT_EQ(rowsOf(readPart(folder, {"k", "lc"})), expected);
        EXPECT_TRUE(findName(openPart(folder)->getStructure(), "lc"));
        MergeTreePartReader reader(folder, std::vector<std::string>{"k", "lc"});
        EXPECT_EQ(rowsOf(readBackwards(reader)), expected);
        EXPECT_EQ(caught([&] { static_cast<void>(openPart(folder, structureOf("lc String"))); }).code, ErrorCodes::TYPE_MISMATCH);
    }
}

TEST(PartsLowCardinality, FindTheDictionaryOfEveryGranule)
{
    const TemporaryFolder folder;
    const std::string part = Part().write(folder);
    EXPECT_EQ(rowsOf(readPart(part)), std::string(ROWS[0]) + ROWS[1] + ROWS[2]);
    MergeTreePartReader reader(part, std::vector<std::string>());
    for (const size_t granule : {2, 1, 1, 2, 0, 2, 1, 0, 0, 1, 2})
        EXPECT_EQ(rowsOf({reader.readGranule(granule)}), ROWS[granule]) << granule;
    for (size_t granule = 0; granule < 3; ++granule)
    {
        PartSettings one;
        one.only_granule = granule;
        EXPECT_EQ(rowsOf(readPart(part, {}, one)), ROWS[granule]);
    }

    /// The same place has two names: the end of a frame and the begin of the next.
    Part names;
    names.marks = {{0, 8}, {0, 8}, {1, names.dictionaries[1].size()}};
    const TemporaryFolder other;
    EXPECT_EQ(rowsOf(readPart(names.write(other))), std::string(ROWS[0]) + ROWS[1] + ROWS[2]);

    /// The engine writes a dictionary for empty arrays that come last; nobody reads it.
    Part unread;
    unread.dictionaries.push_back(keysOf({"", ""}));
    const TemporaryFolder third;
    EXPECT_EQ(rowsOf(readPart(unread.write(third))), std::string(ROWS[0]) + ROWS[1] + ROWS[2]);
}

TEST(PartsLowCardinality, WithWrongBytesAreRefused)
{
    struct Damage
    {
        std::function<void(Part &)> make;
        int code;
        std::string text;
    };
    const auto first = [](const std::string & bytes) { return [bytes](Part & part) { part.indexes[0] = bytes; }; };
    const UInt64 shared = NEEDS_SHARED_KEYS;
    const std::vector<Damage> damages = {
        {[](Part & part) { part.dictionaries[0] = numbersLE({2}); }, ErrorCodes::INCORRECT_DATA, "of version 2, expected 1"},
        {[](Part & part) {
             part.dictionaries = {"1"}, part.marks = {{0, 0}, {0, 0}, {0, 0}};
         },
         ErrorCodes::CANNOT_READ_ALL_DATA,
         "k.dict.bin"},
        {[](Part & part) { part.dictionaries[1] = numbersLE({~UInt64{0}}); }, ErrorCodes::ATTEMPT_TO_READ_AFTER_EOF, "k.dict.bin"},
        {[](Part & part) { part.dictionaries[1] = numbersLE({1}) + "\xff\xff\xff\xff\x0f"; },
         ErrorCodes::TOO_LARGE_STRING_SIZE,
         "k.dict.bin"},
        {[](Part & part) { part.dictionaries[1] = numbersLE({0}); }, ErrorCodes::INCORRECT_DATA, "Index 0 in a LowCardinality"},
        {[](Part & part) {
             part.marks[0] = {0, 0};
         },
         ErrorCodes::INCORRECT_DATA,
         "where no dictionary begins"},
        {[](Part & part) {
             part.marks[2] = {2, 1};
         },
         ErrorCodes::INCORRECT_DATA,
         "where no dictionary begins"},
        {[](Part & part) {
             part.marks[0] = {1, 9999};
         },
         ErrorCodes::ARGUMENT_OUT_OF_BOUND,
         "k.dict.bin"},
        {[](Part & part) {
             part.dictionaries.push_back(keysOf({"", ""}) + "x");
         },
         ErrorCodes::INCORRECT_DATA,
         "goes on behind the last"},
        {[](Part & part) { part.dictionaries.push_back("x"); }, ErrorCodes::CANNOT_READ_ALL_DATA, "the last dictionary in the file"},
        {[](Part & part) {
             part.dictionaries.pop_back(), part.marks[2] = {1, 0};
         },
         ErrorCodes::CANNOT_READ_ALL_DATA,
         "k.dict.bin"},
        {first(numbersLE({shared}) + indexesOf({0, 3})),
         ErrorCodes::INCORRECT_DATA,
         "Index 3 in a LowCardinality(Nullable(String)) column, whose"},
        {first(numbersLE({shared | HAS_KEYS}) + keysOf({"x"}) + indexesOf({3, 4})), ErrorCodes::INCORRECT_DATA, "Index 4"},
        {first(numbersLE({HAS_KEYS}) + keysOf({"x"}) + indexesOf({0, 1})), ErrorCodes::INCORRECT_DATA, "Index 1"},
        {first(numbersLE({shared | 3, 2, 0, ~UInt64{0}})), ErrorCodes::INCORRECT_DATA, "Index 18446744073709551615"},
        {first(numbersLE({shared | 4}) + indexesOf({0, 2})), ErrorCodes::INCORRECT_DATA, "the flags 260"},
        {first(numbersLE({shared | 0x800}) + indexesOf({0, 2})), ErrorCodes::INCORRECT_DATA, "the flags 2304"},
        {first(numbersLE({0}) + indexesOf({0, 2})), ErrorCodes::INCORRECT_DATA, "the flags 0"},
        {first(numbersLE({shared}) + indexesOf({0, 2, 2})), ErrorCodes::INCORRECT_DATA, "has 3 rows, expected 1 to 2"},
        {first(numbersLE({shared}) + indexesOf({})), ErrorCodes::INCORRECT_DATA, "has 0 rows, expected 1 to 2"},
        {first(numbersLE({shared, ~UInt64{0}})), ErrorCodes::INCORRECT_DATA, "rows, expected 1 to 2"},
        {first(numbersLE({shared | HAS_KEYS, ~UInt64{0}})), ErrorCodes::CANNOT_READ_ALL_DATA, "k.bin"},
        {first(numbersLE({shared}) + indexesOf({0})), ErrorCodes::INCORRECT_DATA, ""},
        {first(numbersLE({shared}) + indexesOf({0, 2}) + "x"), ErrorCodes::INCORRECT_DATA, "but what lies before it ends"},
    };
    for (size_t i = 0; i < damages.size(); ++i)
    {
        SCOPED_TRACE(i);
        Part part;
        damages[i].make(part);
        const TemporaryFolder folder;
        const std::string path = part.write(folder);
        const AllocationCounter counter;
        const Caught error = caught([&] { readPart(path); });
        EXPECT_LT(counter.peakBytes(), size_t{16} << 20);
        EXPECT_EQ(error.code, damages[i].code) << error.text;
        EXPECT_NE(error.text.find(damages[i].text), std::string::npos) << error.text;
    }
}

/// Each byte of the engine's columns changed: an error with a code, or other rows.
TEST(PartsLowCardinality, SurviveEveryChangedByte)
{
    size_t errors = 0;
    for (const auto & [kind, file] : std::vector<std::pair<std::string, std::string>>{
             {"wide_types", "lc.bin"}, {"wide_types", "lc.dict.bin"}, {"compact_types", "data.bin"}})
    {
        const std::string bytes = readFile(parts() / kind / file);
        const PartCopy copy(parts() / kind);
        copy.remove("checksums.txt");
        ReadBufferFromMemory in(bytes);
        CompressedReadBuffer frames(in);
        std::vector<std::string> blocks;
        while (!frames.eof())
        {
            blocks.emplace_back(frames.position(), frames.available());
            frames.position() += frames.available();
        }
        for (size_t block = 0; block < blocks.size(); ++block)
            /// The others are other columns of the compact part.
            for (size_t i = 0; (kind == "wide_types" || blocks[block].starts_with(numbersLE({1}))) && i < blocks[block].size(); ++i)
                for (const char change : {'\x01', '\x80'})
                {
                    std::vector<std::string> changed = blocks;
                    changed[block][i] = static_cast<char>(changed[block][i] ^ change);
                    /// Without the wait for the disk that replace() has.
                    copy.remove(file);
                    writeWholeFile(copy.file(file), framesOf(changed));
                    errors += caught([&] { readPart(copy.path(), {"lc"}); }).code != 0;
                }
    }
    EXPECT_GT(errors, 0U);
}
