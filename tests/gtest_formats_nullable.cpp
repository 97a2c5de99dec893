#include "FormatTests.h"

using namespace DB;
using namespace statewire_tests;

/** Nullable columns in every format, both ways; the texts are what the real engine writes. */

namespace
{
constexpr const char * STRUCTURE = "n Nullable(UInt16), s Nullable(String), a Array(Nullable(Int8))";
const std::string ROWS = "1\tx\\ty\t[1,NULL]\n\\N\t\\N\t[]\n0\t\\\\N\t[NULL,-1]\n";
}

TEST(NullableFormats, AreWrittenAsTheEngineWritesThem)
{
    const Block block = blockOf(STRUCTURE, ROWS);
    const auto bytes = [&](std::string_view format) { return writeBlocks(format, structureOf(STRUCTURE), {block}); };
    EXPECT_EQ(bytes("TabSeparated"), ROWS);
    EXPECT_EQ(bytes("CSV"), "1,\"x\ty\",\"[1,NULL]\"\n\\N,\\N,\"[]\"\n0,\"\\N\",\"[NULL,-1]\"\n");
    EXPECT_EQ(
        bytes("JSONEachRow"),
        "{\"n\":1,\"s\":\"x\\ty\",\"a\":[1,null]}\n{\"n\":null,\"s\":null,\"a\":[]}\n{\"n\":0,\"s\":\"\\\\N\",\"a\":[null,-1]}\n");
    using namespace std::string_literals;
    EXPECT_EQ(bytes("RowBinary"), "\0\1\0\0\3x\ty\2\0\1\1\1\1\0\0\0\0\0\2\\N\2\1\0\xff"s);
    const std::string native = bytes("Native");
    EXPECT_NE(native.find("Nullable(UInt16)\0\1\0\1\0\0\0\0\0"s), std::string::npos);
    EXPECT_NE(native.find("Nullable(String)\0\1\0\3x\ty\0\2\\N"s), std::string::npos);
    EXPECT_NE(native.find("\2\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\0\1\1\0\1\0\0\xff"s), std::string::npos);
}

TEST(NullableFormats, AreReadBack)
{
    const Block block = blockOf(STRUCTURE, ROWS);
    for (const char * format : {"TabSeparated", "CSV", "JSONEachRow", "RowBinary", "Native"})
    {
        const std::string bytes = writeBlocks(format, structureOf(STRUCTURE), {block});
        EXPECT_EQ(rowsOf(readBlocks(format, bytes, structureOf(STRUCTURE))), ROWS) << format;
    }
}

TEST(NullableFormats, RefuseBytesThatAreNoFlags)
{
    using namespace std::string_literals;
    const NamesAndTypes structure = structureOf("n Nullable(UInt16)");
    EXPECT_EQ(caught([&] { readBlocks("RowBinary", "\2\1\0"s, structure); }).code, 117);
    EXPECT_EQ(caught([&] { readBlocks("RowBinary", "\0\1"s, structure); }).code, 33);
    const std::string header = "\1\2\1n\x10Nullable(UInt16)"s;
    EXPECT_EQ(caught([&] { readBlocks("Native", header + "\0\2\0\0\0\0"s, structure); }).code, 117);
    EXPECT_EQ(caught([&] { readBlocks("Native", header + "\0\1\0\0\0"s, structure); }).code, 33);
    EXPECT_EQ(caught([&] { readBlocks("Native", header + "\0"s, structure); }).code, 33);
}

/// The type of a literal NULL: in Native each row has a byte '0' behind those that say NULL.
TEST(NullableFormats, OfNothingAreAsTheEngineWritesThem)
{
    using namespace std::string_literals;
    const std::string native = "\2\3\1n\x11Nullable(Nothing)\1\1\1\x30\x30\x30\1k\5UInt8\1\1\1"s;
    const std::vector<Block> blocks = readBlocks("Native", native);
    EXPECT_EQ(rowsOf(blocks), "\\N\t1\n\\N\t1\n\\N\t1\n");
    const NamesAndTypes structure = blocks.at(0).getNamesAndTypes();
    EXPECT_EQ(writeBlocks("Native", structure, blocks), native);
    EXPECT_EQ(writeBlocks("JSONEachRow", structure, blocks), "{\"n\":null,\"k\":1}\n{\"n\":null,\"k\":1}\n{\"n\":null,\"k\":1}\n");
    EXPECT_EQ(writeBlocks("RowBinary", structure, blocks), "\1\1\1\1\1\1");
    /// There is no value that is not NULL.
    EXPECT_EQ(caught([&] { readBlocks("RowBinary", "\0\1"s, structure); }).code, 48);
    EXPECT_EQ(caught([&] { readBlocks("TabSeparated", "0\t1\n", structure); }).code, 48);
}
