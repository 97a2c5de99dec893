#include "PartTests.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Storages/MergeTreePart.h>

using namespace DB;
using namespace statewire_tests;

/// Parts as tables in use have them: with projections, with rows that were deleted, and with columns of any codec.

/// What is read is checked, in every file of it; the rest of a part may be large, damaged, or of codecs that are not read here.
TEST(Parts, AreCheckedWhereTheyAreRead)
{
    for (const char * file : {"s.bin", "s.cmrk2", "count.txt", "serialization.json"})
    {
        const PartCopy copy(parts() / "wide_lz4");
        std::string changed = readFile(copy.file(file));
        changed[changed.size() / 2] ^= 1;
        copy.replace(file, changed);
        const Caught error = caught([&] { readPart(copy.path(), {"s"}); });
        EXPECT_EQ(error.code, ErrorCodes::CHECKSUM_DOESNT_MATCH) << error.text;
        EXPECT_NE(error.text.find(std::string("part/") + file), std::string::npos) << error.text;
        if (file[0] == 's' && file[1] == '.')
        {
            EXPECT_EQ(rowsOf(readPart(copy.path(), {"k"})), "0\n1\n2\n3\n4\n");
        }
    }
}

TEST(Parts, WithProjectionsAreReadAndChecked)
{
    for (const char * kind : {"wide_projection", "compact_projection"})
    {
        SCOPED_TRACE(kind);
        const std::string folder = (parts() / kind).string();
        for (const PartVerification verification : {PartVerification::Sizes, PartVerification::Hashes, PartVerification::AllHashes})
            EXPECT_EQ(rowsOf(readPart(folder, {"k", "t"}, settingsOf(verification))).substr(0, 12), "0\t0\n1\t1\n2\t2\n");
        const PartCopy copy(parts() / kind);
        const auto verify
            = [&](PartVerification verification) { return caught([&] { MergeTreePart(copy.path(), settingsOf(verification)); }); };
        const std::string file = std::string("by_t.proj/") + (kind[0] == 'w' ? "t.bin" : "data.bin");
        std::string changed = readFile(copy.file(file));
        changed[changed.size() / 2] ^= 1;
        copy.replace(file, changed);
        EXPECT_EQ(verify(PartVerification::Hashes).code, 0);
        EXPECT_EQ(verify(PartVerification::AllHashes).code, ErrorCodes::CHECKSUM_DOESNT_MATCH);
        copy.replace(file, changed + "x");
        const Caught size = verify(PartVerification::Sizes);
        EXPECT_EQ(size.code, ErrorCodes::CORRUPTED_DATA);
        EXPECT_NE(size.text.find("part/" + file), std::string::npos) << size.text;
        /// Another projection's list, right in itself.
        copy.replace(file, readFile(parts() / kind / file));
        copy.replace("by_t.proj/checksums.txt", "checksums format version: 2\n0 files:\n");
        EXPECT_EQ(verify(PartVerification::Sizes).code, ErrorCodes::CORRUPTED_DATA);
        copy.remove("by_t.proj/checksums.txt");
        EXPECT_EQ(verify(PartVerification::Sizes).code, ErrorCodes::FILE_DOESNT_EXIST);
    }
}

TEST(Parts, PassOverDeletedRows)
{
    for (const char * kind : {"wide_deleted", "compact_deleted"})
    {
        SCOPED_TRACE(kind);
        const std::string folder = (parts() / kind).string();
        const std::vector<std::string> columns = {"k", "t"};
        const std::string rows = "0\t0\n2\t2\n3\t3\n8\t8\n";
        EXPECT_EQ(rowsOf(readPart(folder, columns)), rows);
        PartSettings small;
        small.max_block_rows = 1;
        small.max_block_bytes = 1;
        EXPECT_EQ(rowsOf(readPart(folder, columns, small)), rows) << "a granule without rows is no end";
        const auto part = openPart(folder);
        EXPECT_TRUE(equalStructures(part->getStructure(), structureOf("k UInt32, s AggregateFunction(groupBitmap, UInt32), t String")));
        Block block;
        ASSERT_TRUE(part->read(block));
        EXPECT_EQ(part->rowsRead(), 4U);
        MergeTreePartReader reader(folder, columns);
        EXPECT_EQ(reader.rowsOf(1), 4U);
        EXPECT_EQ(rowsOf({reader.readGranule(1)}), "");
        EXPECT_EQ(rowsOf({reader.readGranule(2)}), "8\t8\n");
        EXPECT_EQ(rowsOf(readPart(folder, {"_row_exists", "k"})), "1\t0\n1\t2\n1\t3\n1\t8\n");
    }
}

TEST(Parts, LeaveOutColumnsOfOtherCodecs)
{
    for (const char * kind : {"wide_codecs", "compact_codecs"})
    {
        SCOPED_TRACE(kind);
        const std::string folder = (parts() / kind).string();
        EXPECT_EQ(rowsOf(readPart(folder, {"t"}, settingsOf(PartVerification::AllHashes))).substr(0, 4), "0\n1\n");
        EXPECT_TRUE(equalStructures(openPart(folder)->getStructure(), structureOf("s AggregateFunction(groupBitmap, UInt32), t String")));
        EXPECT_EQ(caught([&] { readPart(folder, {"k"}); }).code, ErrorCodes::UNKNOWN_CODEC);
    }
}
