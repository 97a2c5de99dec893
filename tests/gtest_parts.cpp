#include "AllocationCounter.h"
#include "PartTests.h"
#include "Vectors.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Storages/MergeTreeChecksums.h>
#include <statewire/Storages/PartFiles.h>
#include <statewire/Storages/SipHash.h>

#include <random>
#include <set>

using namespace DB;
using namespace statewire_tests;

namespace
{
const char * const KINDS[]
    = {"wide_none", "wide_lz4", "wide_lz4hc9", "wide_zstd1", "compact_none", "compact_lz4", "compact_lz4hc9", "compact_zstd1"};

std::string binaryRows(const std::vector<Block> & blocks)
{
    return blocks.empty() ? std::string() : writeBlocks("RowBinary", blocks[0].getNamesAndTypes(), blocks);
}

/// What the rows of the *_types parts are, by the query that made them.
std::string expectedTypes()
{
    std::string rows;
    for (int i = 0; i < 10; ++i)
    {
        const auto list = [](int n, const char * quote) {
            std::string text = "[";
            for (int j = 0; j < n; ++j)
                text += (j ? "," : "") + (quote + std::to_string(j)) + quote;
            return text + "]";
        };
        rows += std::to_string(i) + "\t" + std::to_string(i) + "\t" + list(i % 4, "") + "\t" + list(i % 3, "'") + "\t5\t0\t[[1],[]]\n";
    }
    return rows;
}

const std::vector<std::string> TYPE_COLUMNS = {"k", "t", "a", "at", "weird name/é", "z", "aa"};
}

TEST(Parts, OfEveryCodecAreRead)
{
    for (const char * kind : KINDS)
    {
        SCOPED_TRACE(kind);
        const std::string folder = (parts() / kind).string();
        EXPECT_TRUE(MergeTreePart::isPart(folder));
        EXPECT_EQ(binaryRows(readPart(folder, {"s"})), readFile(parts() / (std::string(kind) + ".s.raw")));
        EXPECT_EQ(rowsOf(readPart(folder, {"k"})), "0\n1\n2\n3\n4\n");
        const std::vector<Block> all = readPart(folder + "/");
        ASSERT_EQ(all.size(), 1U);
        EXPECT_TRUE(equalStructures(all[0].getNamesAndTypes(), structureOf("k UInt32, s AggregateFunction(groupBitmap, UInt32)")));

        MergeTreePartReader reader(folder, structureOf("s AggregateFunction(groupBitmap, UInt32), k UInt32"));
        EXPECT_EQ(reader.granules(), 3U);
        EXPECT_EQ(reader.getPart().rows(), 5U);
        std::string granules;
        for (const size_t granule : {2, 0, 1})
            granules += rowsOf({MergeTreePartReader(folder, {"k"}).readGranule(granule)});
        EXPECT_EQ(granules, "4\n0\n1\n2\n3\n");
        EXPECT_EQ(binaryRows({reader.readGranule(1)}).size(), 236U + 8U);
        Block rest;
        EXPECT_TRUE(reader.read(rest));
        EXPECT_EQ(rest.rows(), 1U);
        EXPECT_FALSE(reader.read(rest));
        EXPECT_EQ(caught([&] { static_cast<void>(reader.readGranule(3)); }).code, ErrorCodes::ARGUMENT_OUT_OF_BOUND);
    }
}

TEST(Parts, OfManyTypesAreRead)
{
    for (const char * kind : {"wide_types", "compact_types"})
    {
        SCOPED_TRACE(kind);
        const std::string folder = (parts() / kind).string();
        EXPECT_EQ(rowsOf(readPart(folder, TYPE_COLUMNS)), expectedTypes());
        PartSettings small;
        small.max_block_rows = 1;
        EXPECT_EQ(readPart(folder, TYPE_COLUMNS, small).size(), 3U);
        EXPECT_EQ(rowsOf(readPart(folder, TYPE_COLUMNS, small)), expectedTypes());
        EXPECT_EQ(rowsOf({MergeTreePartReader(folder, std::vector<std::string>{"z", "t"}).readGranule(2)}), "0\t8\n0\t9\n");
        for (const char * bitmaps : {"s", "sa", "va"})
        {
            const std::vector<Block> blocks = readPart(folder, {bitmaps});
            ASSERT_EQ(blocks.size(), 1U);
            EXPECT_EQ(blocks[0].rows(), 10U);
        }
        EXPECT_EQ(rowsOf(readPart(folder, {"sa"})).substr(0, 19), "['\\0\x01\\0']\n['\\0\x01\x01']\n");
        const auto opened = openPart(folder);
        EXPECT_TRUE(findName(opened->getStructure(), "va"));
        EXPECT_EQ(openPart(folder, structureOf("t String"))->getStructure().size(), 1U);
        EXPECT_EQ(caught([&] { readPart(folder, {"nowhere"}); }).code, ErrorCodes::UNKNOWN_IDENTIFIER);
        EXPECT_EQ(caught([&] { MergeTreePartReader(folder, structureOf("k UInt64")); }).code, ErrorCodes::TYPE_MISMATCH);
    }
}

/// Nullable, tuples, arrays of them and in them, the columns of a Nested, sparse elements and sparse Nullable columns: with all names of streams, and
/// without columns_substreams.txt, where serialization.json says which there are.
TEST(Parts, OfNestedTypesAreRead)
{
    const std::string rows = readFile(parts() / "nested.RowBinaryWithNamesAndTypes");
    ReadBufferFromMemory in(rows);
    const auto expected_rows = createInputFormat("RowBinaryWithNamesAndTypes", in);
    const NamesAndTypes structure = expected_rows->getStructure();
    Block expected;
    ASSERT_TRUE(expected_rows->read(expected));
    ASSERT_EQ(expected.rows(), 10U);
    for (const char * kind : {"wide_nested", "wide_nested_sparse", "wide_nested_inline", "compact_nested", "compact_nested_mrk3"})
        for (const bool with_list : {true, false})
        {
            SCOPED_TRACE(std::string(kind) + (with_list ? "" : " without columns_substreams.txt"));
            const PartCopy copy(parts() / kind);
            if (!with_list)
            {
                if (std::string(kind) == "compact_nested")
                    continue;
                copy.remove("columns_substreams.txt");
            }
            const auto reader = openPart(copy.path());
            EXPECT_TRUE(equalStructures(reader->getStructure(), structure));
            EXPECT_EQ(rowsOf(readPart(copy.path())), rowsOf({expected}));
            std::string backwards;
            for (const size_t granule : {2, 1, 0})
                backwards = rowsOf({reader->readGranule(granule)}) + backwards;
            EXPECT_EQ(backwards, rowsOf({expected}));
            for (const NameAndType & column : structure)
                EXPECT_EQ(readPart(copy.path(), {column.name}).at(0).rows(), 10U) << column.name;
        }
}

TEST(Parts, WithStreamsThatTheirTypesDoNotHaveAreRefused)
{
    const PartCopy copy(parts() / "wide_nested");
    std::string list = readFile(copy.file("columns_substreams.txt"));
    list.replace(list.find("\tn.null"), 7, "\tn.nulls");
    copy.replace("columns_substreams.txt", list);
    const Caught error = caught([&] { readPart(copy.path(), {"n"}); });
    EXPECT_EQ(error.code, ErrorCodes::INCORRECT_DATA);
    EXPECT_NE(error.text.find("lists the streams 'n.nulls, n', expected 'n.null, n'"), std::string::npos) << error.text;
    EXPECT_EQ(readPart(copy.path(), {"k"}).at(0).rows(), 10U);
    EXPECT_FALSE(findName(openPart(copy.path())->getStructure(), "n")) << "it is left out, and hinders no other";

    const PartCopy flags(parts() / "wide_nested");
    flags.remove("checksums.txt");
    flags.replace("n.null.bin", framesOf({std::string("\1\0\0\1", 4), std::string("\0\2\1\0", 4), std::string("\0\1", 2)}));
    EXPECT_EQ(caught([&] { readPart(flags.path(), {"n"}); }).code, ErrorCodes::INCORRECT_DATA);
}

TEST(Parts, WithOldMarksAreRead)
{
    std::string expected;
    for (int i = 0; i < 10; ++i)
        expected += std::to_string(i) + "\tx\t\\0\x01"
            + (i == 0       ? "\\0"
                   : i == 8 ? "\\b"
                   : i == 9 ? "\\t"
                            : std::string(1, static_cast<char>(i)))
            + "\\0\\0\\0\n";
    const std::string old = (parts() / "wide_mrk").string();
    EXPECT_EQ(rowsOf(readPart(old, {}, settingsOf(PartVerification::Hashes, 4))), expected);
    EXPECT_EQ(rowsOf({MergeTreePartReader(old, {"k"}, settingsOf(PartVerification::Sizes, 4)).readGranule(1)}), "4\n5\n6\n7\n");
    const Caught granularity = caught([&] { readPart(old); });
    EXPECT_NE(granularity.text.find("index_granularity"), std::string::npos) << granularity.text;
    EXPECT_EQ(rowsOf(readPart((parts() / "compact_mrk3").string(), {"k", "t", "s"})), expected);
    EXPECT_EQ(rowsOf({MergeTreePartReader((parts() / "compact_mrk3").string(), {"a"}).readGranule(2)}), "[1,2]\n[1,2]\n");
    /// Written by hand and attached by the engine: plain marks, no checksums.txt, frames of several methods that end within states.
    EXPECT_GT(readPart((parts() / "handmade_ok").string()).at(0).rows(), 0U);
}

/// What the engine's sipHash128 gives, whose bytes are the low half first.
TEST(Parts, HashLongNamesAsTheEngineDoes)
{
    std::string bytes;
    for (int i = 0; i < 17; ++i)
        bytes += std::string("\x07\x01\xc8")[static_cast<size_t>(i % 3)];
    const auto hashOf = [&](size_t size) { return toHex(sipHash128(std::string_view(bytes).substr(0, size))); };
    EXPECT_EQ(hashOf(0), "f711edcba8b6b5e5e983a656dbc1b532");
    EXPECT_EQ(hashOf(7), "9e4cdc5cdde6af1296f835ca56e9e017");
    EXPECT_EQ(hashOf(8), "d56838fb6deb8563b7ffcd1615668a21");
    EXPECT_EQ(hashOf(15), "15af24751488b495a4d1120ef9e7da67");
    EXPECT_EQ(hashOf(16), "23d1fc751f11dfaa0e20217602443169");
    EXPECT_EQ(hashOf(17), "be70f236124657f4eb9f7d14490ba838");
}

TEST(Parts, WithHashedNamesOfFilesAreRead)
{
    const std::string name(140, 'l');
    const TemporaryFolder folder;
    const std::filesystem::path part = folder.path("part");
    std::filesystem::create_directory(part);
    writeFile(part / "columns.txt", "columns format version: 1\n1 columns:\n`" + name + "` UInt64\n");
    writeFile(part / "count.txt", "2");
    EXPECT_EQ(caught([&] { readPart(part.string()); }).code, ErrorCodes::FILE_DOESNT_EXIST);
    for (const std::string & file : {toHex(sipHash128(name)), name})
    {
        writeFile(part / (file + ".bin"), framesOf({numbersLE({file.size(), 2})}));
        writeFile(part / (file + ".mrk2"), numbersLE({0, 0, 2}));
        EXPECT_EQ(rowsOf(readPart(part.string())), std::to_string(file.size()) + "\n2\n") << "the plain name comes first";
    }
}

TEST(Parts, AreReadByOneGranuleWithoutTheRest)
{
    constexpr UInt64 GRANULES = 100;
    constexpr UInt64 ROWS = 8192;
    const TemporaryFolder folder;
    const std::filesystem::path part = folder.path("part");
    std::filesystem::create_directory(part);
    std::vector<std::string> pieces;
    std::string marks;
    UInt64 offset = 0;
    for (UInt64 granule = 0; granule < GRANULES; ++granule)
    {
        std::string piece;
        for (UInt64 row = 0; row < ROWS; ++row)
            piece += numbersLE({granule * ROWS + row});
        marks += numbersLE({offset, 0, ROWS});
        offset += 25 + piece.size();
        pieces.push_back(std::move(piece));
    }
    writeFile(part / "k.bin", framesOf(pieces, "NONE"));
    writeFile(part / "k.mrk2", marks + numbersLE({offset, 0, 0}));
    writeFile(part / "columns.txt", "columns format version: 1\n1 columns:\n`k` UInt64\n");
    writeFile(part / "count.txt", std::to_string(GRANULES * ROWS));
    ASSERT_EQ(fileSize((part / "k.bin").string()), offset);

    const auto bytesRead = [] {
        const std::string io = readFile("/proc/self/io");
        return std::stoull(io.substr(io.find("rchar: ") + 7));
    };
    const UInt64 before = bytesRead();
    const Block block = MergeTreePartReader(part.string(), {"k"}, settingsOf(PartVerification::Sizes)).readGranule(50);
    const UInt64 read = bytesRead() - before;
    EXPECT_EQ(rowsOf({block}).substr(0, 14), "409600\n409601\n");
    EXPECT_EQ(block.rows(), ROWS);
    EXPECT_LT(read, 4 * ROWS * 8) << "of a file of " << offset;
    EXPECT_GE(read, ROWS * 8);
}

TEST(Parts, SayWhichFileIsDamaged)
{
    struct Damage
    {
        const char * part;
        const char * file;
        std::string bytes;
        int code;
        std::string text;
    };
    const auto name = [](const char * file) { return std::string("part/") + file; };
    const std::string marks = numbersLE({0, 0, 4, 0, 248, 4, 0, 316, 2, 0, 350, 0});
    const auto frame = [](const std::string & bytes) { return framesOf({bytes}); };
    const std::vector<Damage> damages = {
        {"wide_types", "count.txt", "11", ErrorCodes::INCORRECT_DATA, "part/count.txt says 11"},
        {"wide_types", "count.txt", "", ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, "expected a number at byte 0"},
        {"wide_types", "count.txt", "10x", ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, "at byte 2"},
        {"wide_types", "columns.txt", "columns format version: 2\n", ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, "at byte 0"},
        {"wide_types", "columns.txt", "columns format version: 1\n2 columns:\n`s` UInt8\n`s` UInt8\n", ErrorCodes::INCORRECT_DATA, "twice"},
        {"wide_types", "s.cmrk2", frame(marks).substr(0, 50), ErrorCodes::CANNOT_READ_ALL_DATA, ""},
        {"wide_types", "s.cmrk2", frame(marks.substr(0, 90)), ErrorCodes::INCORRECT_DATA, "the mark at byte 72 is cut off"},
        {"wide_types", "s.cmrk2", frame(marks.substr(0, 48)), ErrorCodes::INCORRECT_DATA, "has marks for 8 rows"},
        {"wide_types", "s.cmrk2", frame(numbersLE({0, 0, 4, 0, 0, 0, 0, 0, 6})), ErrorCodes::INCORRECT_DATA, "mark at byte 24"},
        {"wide_types",
         "s.cmrk2",
         frame(numbersLE({0, 0, 4, 0, 248, 4, 1000, 0, 2})),
         ErrorCodes::INCORRECT_DATA,
         "points to byte 1000, behind the end"},
        {"wide_types",
         "s.cmrk2",
         frame(numbersLE({0, 0, 4, 0, 247, 4, 0, 316, 2})),
         ErrorCodes::INCORRECT_DATA,
         "but what lies before it ends at byte 248"},
        {"wide_types", "s.cmrk2", frame(numbersLE({0, 9999, 4, 0, 247, 4, 0, 316, 2})), ErrorCodes::ARGUMENT_OUT_OF_BOUND, "byte 9999"},
        {"wide_types", "s.cmrk2", frame(numbersLE({0, 0, 5, 0, 248, 3, 0, 316, 2})), ErrorCodes::INCORRECT_DATA, ""},
        {"wide_types", "s.cmrk2", frame(numbersLE({0, 0, ~UInt64{0}, 0, 248, 11})), ErrorCodes::INCORRECT_DATA, "rows before it"},
        {"wide_types", "s.bin", "", ErrorCodes::CANNOT_READ_ALL_DATA, "granule 0, column 's'"},
        {"wide_types", "s.bin", "rubbish", ErrorCodes::CANNOT_READ_ALL_DATA, "granule 0, column 's'"},
        {"compact_types", "data.bin", "", ErrorCodes::INCORRECT_DATA, "points to byte 368, behind the end"},
        {"compact_types", "data.cmrk4", frame(marks), ErrorCodes::INCORRECT_DATA, "cut off"},
        {"compact_types",
         "columns_substreams.txt",
         "columns substreams version: 1\n1 columns:\n",
         ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
         "16 columns"},
        {"compact_types", "serialization.json", "{\"columns\":[", ErrorCodes::CANNOT_READ_ALL_DATA, ""},
    };
    for (const Damage & damage : damages)
    {
        SCOPED_TRACE(std::string(damage.file) + " " + damage.text);
        const PartCopy copy(parts() / damage.part);
        copy.remove("checksums.txt");
        copy.replace(damage.file, damage.bytes);
        const Caught error = caught([&] { readPart(copy.path(), {"s"}); });
        EXPECT_EQ(error.code, damage.code) << error.text;
        EXPECT_NE(error.text.find(damage.text), std::string::npos) << error.text;
        EXPECT_NE(error.text.find(name(damage.file)), std::string::npos) << error.text;
    }
    for (const char * missing : {"columns.txt", "count.txt", "s.bin", "s.cmrk2"})
    {
        const PartCopy copy(parts() / "wide_types");
        copy.remove("checksums.txt");
        copy.remove(missing);
        const Caught error = caught([&] { readPart(copy.path(), {"s"}); });
        EXPECT_EQ(error.code, ErrorCodes::FILE_DOESNT_EXIST) << error.text;
        EXPECT_NE(error.text.find(missing[0] == 's' ? "part/s" : missing), std::string::npos) << error.text;
    }
}

TEST(Parts, AreCheckedAgainstTheirChecksums)
{
    for (const char * kind : {"wide_lz4", "compact_zstd1", "wide_mrk"})
        for (const auto & entry : std::filesystem::directory_iterator(parts() / kind))
        {
            const std::string name = entry.path().filename().string();
            SCOPED_TRACE(std::string(kind) + "/" + name);
            const std::string bytes = readFile(entry.path());
            const MergeTreeChecksums checksums = MergeTreeChecksums::parse(readFile(parts() / kind / "checksums.txt"), "checksums.txt");
            if (!checksums.find(name) || bytes.empty())
                continue;
            const PartCopy copy(parts() / kind);
            const auto verify
                = [&](PartVerification verification) { return caught([&] { MergeTreePart(copy.path(), settingsOf(verification)); }); };
            std::string changed = bytes;
            changed[changed.size() / 2] ^= 1;
            copy.replace(name, changed);
            const Caught flipped = verify(PartVerification::AllHashes);
            EXPECT_EQ(flipped.code, ErrorCodes::CHECKSUM_DOESNT_MATCH) << flipped.text;
            EXPECT_NE(flipped.text.find("part/" + name), std::string::npos) << flipped.text;
            copy.replace(name, bytes.substr(1));
            EXPECT_EQ(verify(PartVerification::Sizes).code, ErrorCodes::CORRUPTED_DATA);
            copy.remove(name);
            EXPECT_EQ(verify(PartVerification::Sizes).code, ErrorCodes::FILE_DOESNT_EXIST);
        }
}

TEST(Parts, ReadChecksumsStrictly)
{
    const std::string bytes = readFile(parts() / "wide_types" / "checksums.txt");
    const MergeTreeChecksums checksums = MergeTreeChecksums::parse(bytes, "checksums.txt");
    ASSERT_NE(checksums.find("s.bin"), nullptr);
    EXPECT_EQ(checksums.find("s.bin")->size, 221U);
    EXPECT_EQ(checksums.find("s.bin")->uncompressed_size, 350U);
    EXPECT_EQ(checksums.find("columns.txt"), nullptr);
    for (size_t size = 0; size < bytes.size(); ++size)
    {
        const Caught error = caught([&] { static_cast<void>(MergeTreeChecksums::parse(bytes.substr(0, size), "a/checksums.txt")); });
        EXPECT_NE(error.code, 0) << size;
        EXPECT_NE(error.text.find("a/checksums.txt"), std::string::npos) << error.text;
    }
    const std::string title = "checksums format version: 3\n";
    const std::string hash(16, 'h');
    const auto parse = [&](const std::string & list) {
        const AllocationCounter counter;
        const int code = caught([&] { static_cast<void>(MergeTreeChecksums::parse(title + list, "checksums.txt")); }).code;
        EXPECT_LT(counter.peakBytes(), size_t{1} << 20);
        return code;
    };
    EXPECT_EQ(
        parse(
            "\x02\x01"
            "a\x05"
            + hash + std::string(1, '\0')
            + "\x01"
              "b\x05"
            + hash + "\x01\x06" + hash),
        0);
    EXPECT_EQ(
        parse(
            "\x02\x01"
            "b\x05"
            + hash + std::string(1, '\0')
            + "\x01"
              "a\x05"
            + hash + "\x01\x06" + hash),
        ErrorCodes::INCORRECT_DATA);
    EXPECT_EQ(
        parse(
            "\x01\x01"
            "a\x05"
            + hash + "\x02"),
        ErrorCodes::INCORRECT_DATA);
    EXPECT_EQ(
        parse(
            "\x01\x01"
            "a\x05"
            + hash + std::string(2, '\0')),
        ErrorCodes::INCORRECT_DATA);
    EXPECT_EQ(parse("\x01\x04../a\x05" + hash + std::string(1, '\0')), ErrorCodes::INCORRECT_DATA);
    EXPECT_EQ(parse("\x01\x02/a\x05" + hash + std::string(1, '\0')), ErrorCodes::INCORRECT_DATA);
    EXPECT_EQ(parse("\xff\xff\xff\xff\x0f"), ErrorCodes::ATTEMPT_TO_READ_AFTER_EOF);
    EXPECT_EQ(parse("\x01\xff\xff\xff\xff\x0f"), ErrorCodes::TOO_LARGE_STRING_SIZE);
    const auto codeOf = [](const std::string & text) {
        return caught([&] { static_cast<void>(MergeTreeChecksums::parse(text, "checksums.txt")); });
    };
    for (const char * version : {"1", "5", "6"})
        EXPECT_EQ(codeOf(std::string("checksums format version: ") + version + "\n0 files:\n").code, ErrorCodes::NOT_IMPLEMENTED);
    EXPECT_NE(codeOf("checksums format version: 5\n").text.find("keeps it outside of parts"), std::string::npos);
    const std::string text = "checksums format version: 2\n2 files:\na b\n\tsize: 5\n\thash: 1 18446744073709551615\n\tcompressed: 0\n"
                             "c.bin\n\tsize: 44\n\thash: 2 3\n\tcompressed: 1\n\tuncompressed size: 20\n\tuncompressed hash: 4 5\n";
    const MergeTreeChecksums of_text = MergeTreeChecksums::parse(text, "checksums.txt");
    ASSERT_NE(of_text.find("c.bin"), nullptr);
    EXPECT_EQ(of_text.find("a b")->hash.high, ~UInt64{0});
    EXPECT_EQ(of_text.find("c.bin")->size, 44U);
    EXPECT_EQ(of_text.find("c.bin")->uncompressed_hash.low, 4U);
    for (size_t size = 0; size < text.size(); ++size)
        EXPECT_NE(codeOf(text.substr(0, size)).code, 0) << size;
    EXPECT_EQ(codeOf(text + "x").code, ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED);
    EXPECT_EQ(codeOf("checksums format version: 2\n1 files:\n../a\n\tsize: 5\n\thash: 1 1\n\tcompressed: 0\n").code, ErrorCodes::INCORRECT_DATA);
}

/// What the engine lists in version 4, as versions 2 and 3 say it.
TEST(Parts, AreCheckedAgainstChecksumsOfOlderVersions)
{
    const MergeTreeChecksums checksums = MergeTreeChecksums::parse(readFile(parts() / "wide_types" / "checksums.txt"), "checksums.txt");
    std::string text = "checksums format version: 2\n" + std::to_string(checksums.files().size()) + " files:\n";
    for (const MergeTreeChecksums::File & file : checksums.files())
    {
        const auto hash = [](const UInt128Hash & of) { return std::to_string(of.low) + " " + std::to_string(of.high); };
        text += file.name + "\n\tsize: " + std::to_string(file.size) + "\n\thash: " + hash(file.hash) + "\n\tcompressed: "
            + (file.compressed ? "1\n\tuncompressed size: " + std::to_string(file.uncompressed_size) + "\n\tuncompressed hash: "
                       + hash(file.uncompressed_hash)
                               : "0")
            + "\n";
    }
    const PartCopy copy(parts() / "wide_types");
    copy.replace("checksums.txt", text);
    EXPECT_EQ(rowsOf(readPart(copy.path(), TYPE_COLUMNS)), expectedTypes());
    copy.replace("s.bin", framesOf({"x"}));
    EXPECT_EQ(caught([&] { readPart(copy.path(), {"k"}); }).code, ErrorCodes::CORRUPTED_DATA);
}

TEST(Parts, NeverBelieveWhatFilesSay)
{
    std::mt19937_64 random(4242);
    RecordProperty("seed", 4242);
    const std::filesystem::path source = parts() / "wide_types";
    const std::set<std::string> wanted = {"columns.txt", "count.txt", "serialization.json", "columns_substreams.txt", "checksums.txt"};
    /// Every text file mutated, and plain streams and marks of every kind, in frames whose checksums are right.
    for (int i = 0; i < 60; ++i)
    {
        const PartCopy copy(source);
        copy.remove("checksums.txt");
        const char * const streams[] = {"t.size", "t", "a.size0", "a", "at.size", "z.sparse.idx", "s", "k"};
        const std::string stream = streams[random() % 8];
        const std::string file = random() % 3 == 0 ? stream + ".cmrk2"
            : random() % 4 == 0                    ? *std::next(wanted.begin(), static_cast<int>(random() % 4))
                                                   : stream + ".bin";
        std::string bytes = readFile(source / file);
        const bool frames = file.ends_with(".bin") || file.ends_with(".cmrk2");
        if (frames)
        {
            ReadBufferFromMemory in(bytes);
            CompressedReadBuffer decompressed(in);
            bytes = readAll(decompressed);
        }
        for (UInt64 changes = 1 + random() % 3; changes != 0 && !bytes.empty(); --changes)
            bytes[random() % bytes.size()] = static_cast<char>(random() % 2 ? random() : 255);
        if (random() % 4 == 0)
            bytes.resize(random() % (bytes.size() + 1));
        copy.replace(file, frames ? framesOf({bytes}) : bytes);
        const AllocationCounter counter;
        static_cast<void>(caught([&] { readPart(copy.path(), TYPE_COLUMNS); }));
        EXPECT_LT(counter.peakBytes(), size_t{64} << 20) << file;
    }
}
