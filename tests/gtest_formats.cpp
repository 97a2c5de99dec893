#include "AllocationCounter.h"
#include "FormatTests.h"
#include "TornReadBuffer.h"
#include "Vectors.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/IO/VarInt.h>

#include <algorithm>

using namespace DB;
using namespace statewire_tests;

namespace
{
constexpr std::string_view FORMATS[]
    = {"TabSeparated",
       "TabSeparatedWithNames",
       "TabSeparatedWithNamesAndTypes",
       "CSV",
       "CSVWithNames",
       "CSVWithNamesAndTypes",
       "JSONEachRow",
       "Values",
       "RowBinary",
       "RowBinaryWithNames",
       "RowBinaryWithNamesAndTypes",
       "Native"};

constexpr std::string_view STRUCTURE = "k UInt8, s String, f Float64, a Array(UInt16), b AggregateFunction(groupBitmap, UInt32)";

/// Rows with every escape, an empty string, an empty array, an empty state, a small one and a bitmap.
std::string tableText()
{
    return std::string("1\tplain\t1.5\t[1,2]\t\\0\\x03\\0\\0\\0\\0\\x01\\0\\0\\0\\x02\\0\\0\\0\n") + "2\t\t-0\t[]\t\\0\\0\n"
        + "255\ttab\\tline\\nback\\\\slash\\0\\'\t1e100\t[65535]\t\\x01\\x0f;0\\0\\0\\x01\\0\\0 \\0\\x01\\0\\0\\0 \\0\n";
}

Block table() { return blockOf(STRUCTURE, tableText()); }

bool needsStructure(std::string_view format) { return format != "Native" && !format.ends_with("WithNamesAndTypes"); }

std::optional<NamesAndTypes> structureFor(std::string_view format)
{
    return needsStructure(format) ? std::optional(structureOf(STRUCTURE)) : std::nullopt;
}

std::string nativeHeader(UInt64 columns, UInt64 rows, std::string_view name, std::string_view type)
{
    std::string bytes;
    WriteBufferFromString out(bytes);
    writeVarUInt(columns, out);
    writeVarUInt(rows, out);
    for (const std::string_view text : {name, type})
    {
        writeVarUInt(text.size(), out);
        out.write(text.data(), text.size());
    }
    out.finalize();
    return bytes;
}
}

class EveryFormat : public testing::TestWithParam<std::string_view>
{
};

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat, testing::ValuesIn(FORMATS), [](const auto & info) { return std::string(info.param); });

TEST_P(EveryFormat, GivesBackWhatWasWritten)
{
    const Block block = table();
    const std::string bytes = writeBlocks(GetParam(), block.getNamesAndTypes(), {block});
    const std::vector<Block> blocks = readBlocks(GetParam(), bytes, structureFor(GetParam()));
    ASSERT_EQ(blocks.size(), 1U);
    EXPECT_TRUE(equalStructures(blocks[0].getNamesAndTypes(), block.getNamesAndTypes()));
    EXPECT_EQ(rowsOf(blocks), rowsOf({block}));
    EXPECT_EQ(writeBlocks(GetParam(), block.getNamesAndTypes(), blocks), bytes);
}

TEST_P(EveryFormat, ReadsTornInput)
{
    const Block block = table();
    const std::string bytes = writeBlocks(GetParam(), block.getNamesAndTypes(), {block, block});
    for (const size_t piece : TORN_SIZES)
    {
        TornReadBuffer in(bytes, piece);
        EXPECT_EQ(rowsOf(readBlocks(GetParam(), in, structureFor(GetParam()))), rowsOf({block, block})) << piece;
        EXPECT_EQ(in.count(), bytes.size());
    }
}

TEST_P(EveryFormat, RefusesEveryTruncationOrReadsWholeRows)
{
    const Block block = table();
    const std::string bytes = writeBlocks(GetParam(), block.getNamesAndTypes(), {block});
    const std::string whole = rowsOf({block});
    size_t accepted = 0;
    for (size_t size = 0; size < bytes.size(); ++size)
    {
        const std::string cut = bytes.substr(0, size);
        std::string rows;
        if (caught([&] { rows = rowsOf(readBlocks(GetParam(), cut, structureFor(GetParam()))); }).code != 0)
            continue;
        ++accepted;
        /// Text cannot tell a last field that was cut from a short one, nor CSV one from a default.
        if (!GetParam().starts_with("Tab") && !GetParam().starts_with("CSV"))
        {
            EXPECT_TRUE(whole.starts_with(rows)) << size;
        }
    }
    /// Nothing at all is an empty Native file; RowBinary has no mark between rows, so it may end behind each.
    if (GetParam() == "Native")
    {
        EXPECT_EQ(accepted, 1U);
    }
    else if (GetParam().starts_with("RowBinary"))
    {
        EXPECT_EQ(accepted, 3U);
    }
}

TEST_P(EveryFormat, SaysWhatItsColumnsAreWithoutRows)
{
    const NamesAndTypes structure = structureOf(STRUCTURE);
    const std::string bytes = writeBlocks(GetParam(), structure, {});
    ReadBufferFromMemory in(bytes);
    const auto reader = createInputFormat(GetParam(), in, structureFor(GetParam()));
    EXPECT_TRUE(equalStructures(reader->getStructure(), structure));
    Block block;
    EXPECT_FALSE(reader->read(block));
    EXPECT_FALSE(reader->read(block));
    EXPECT_EQ(reader->rowsRead(), 0U);
}

TEST_P(EveryFormat, RefusesBlocksOfAnotherStructure)
{
    std::string bytes;
    WriteBufferFromString out(bytes);
    const auto writer = createOutputFormat(GetParam(), out, structureOf("x UInt8, y String"));
    EXPECT_EQ(caught([&] { writer->write(blockOf("x UInt8", "1\n")); }).code, ErrorCodes::INCORRECT_NUMBER_OF_COLUMNS);
    EXPECT_EQ(caught([&] { writer->write(blockOf("x UInt8, y UInt8", "1\t2\n")); }).code, ErrorCodes::TYPE_MISMATCH);
    writer->finalize();
    EXPECT_EQ(caught([&] { writer->write(blockOf("x UInt8, y String", "1\t2\n")); }).code, ErrorCodes::LOGICAL_ERROR);
    out.cancel();
}

TEST_P(EveryFormat, MatchesColumnsByNameWhereItHasNames)
{
    /// RowBinaryWithNames cannot pass over what it does not know.
    if (GetParam() != "Native" && GetParam() != "JSONEachRow"
        && (GetParam() == "RowBinaryWithNames" || GetParam().find("WithNames") == std::string_view::npos))
        return;
    const Block block = table();
    const std::string bytes = writeBlocks(GetParam(), block.getNamesAndTypes(), {block});
    const auto read = [&](std::string_view structure) { return rowsOf(readBlocks(GetParam(), bytes, structureOf(structure))); };
    EXPECT_EQ(read("a Array(UInt16), k UInt8"), "[1,2]\t1\n[]\t2\n[65535]\t255\n");
    if (GetParam() == "JSONEachRow")
    {
        EXPECT_EQ(read("k UInt8, nowhere UInt8"), "1\t0\n2\t0\n255\t0\n");
        return;
    }
    EXPECT_EQ(caught([&] { read("k UInt8, nowhere UInt8"); }).code, ErrorCodes::UNKNOWN_IDENTIFIER);
    if (!GetParam().ends_with("WithNames"))
    {
        EXPECT_EQ(caught([&] { read("k UInt16"); }).code, ErrorCodes::TYPE_MISMATCH);
    }
}

TEST(Formats, HaveClickHousesBytes)
{
    const Block block
        = blockOf("k UInt8, b AggregateFunction(groupBitmap, UInt32)", "1\t\\0\\x03\\0\\0\\0\\0\\x01\\0\\0\\0\\x02\\0\\0\\0\n");
    const NamesAndTypes structure = block.getNamesAndTypes();
    const std::string state = fromHex("0003000000000100000002000000");
    const std::string type = "AggregateFunction(groupBitmap, UInt32)";
    /// The dump of a real server.
    EXPECT_EQ(writeBlocks("Native", structure, {block}), fromHex("0201016b05") + "UInt8" + fromHex("01016226") + type + state);
    EXPECT_EQ(writeBlocks("RowBinary", structure, {block}), "\x01" + state);
    EXPECT_EQ(
        writeBlocks("RowBinaryWithNamesAndTypes", structure, {block}),
        std::string("\x02\x01k\x01"
                    "b\x05UInt8\x26")
            + type + "\x01" + state);
    const std::string text_state = "\\0\x03\\0\\0\\0\\0\x01\\0\\0\\0\x02\\0\\0\\0";
    EXPECT_EQ(writeBlocks("TSV", structure, {block}), "1\t" + text_state + "\n");
    EXPECT_EQ(writeBlocks("TSVWithNames", structure, {block}), "k\tb\n1\t" + text_state + "\n");
    EXPECT_EQ(writeBlocks("TSVWithNamesAndTypes", structure, {block}), "k\tb\nUInt8\t" + type + "\n1\t" + text_state + "\n");
    EXPECT_EQ(writeBlocks("Raw", structure, {block}), "1\t" + state + "\n");
    EXPECT_EQ(
        writeBlocks("RowBinaryWithNames", structure, {block}),
        std::string("\x02\x01k\x01"
                    "b\x01")
            + state);
    EXPECT_EQ(writeBlocks("CSV", structure, {block}), "1,\"" + state + "\"\n");
    EXPECT_EQ(writeBlocks("CSVWithNamesAndTypes", structure, {block}), "\"k\",\"b\"\n\"UInt8\",\"" + type + "\"\n1,\"" + state + "\"\n");
    EXPECT_EQ(writeBlocks("Values", structure, {block, block}), "(1,'" + text_state + "'),(1,'" + text_state + "')");
    const std::string zero = "\\u0000";
    EXPECT_EQ(
        writeBlocks("JSONEachRow", structure, {block}),
        "{\"k\":1,\"b\":\"" + zero + "\\u0003" + zero + zero + zero + zero + "\\u0001" + zero + zero + zero + "\\u0002" + zero + zero + zero
            + "\"}\n");
}

TEST(Formats, AreFoundByClickHousesNamesAndByExtensions)
{
    EXPECT_EQ(caught([] { requireFormat("native"); }).code, ErrorCodes::UNKNOWN_FORMAT);
    EXPECT_EQ(caught([] { requireFormat(""); }).code, ErrorCodes::UNKNOWN_FORMAT);
    EXPECT_EQ(formatOfFileName("dir.native/a.Native"), "Native");
    EXPECT_EQ(formatOfFileName("a.b.tsv"), "TSV");
    EXPECT_EQ(formatOfFileName("x.rowbinarywithnamesandtypes"), "RowBinaryWithNamesAndTypes");
    EXPECT_EQ(formatOfFileName("dir.native/a"), std::nullopt);
    EXPECT_EQ(formatOfFileName("a.lz4"), std::nullopt);
    EXPECT_EQ(formatOfFileName("a.csv.zst"), "CSV");
    EXPECT_EQ(formatOfFileName("a.CSVWithNames.lz4"), "CSVWithNames");
    EXPECT_EQ(formatOfFileName("a.ndjson"), "NDJSON");
    EXPECT_EQ(formatOfFileName("a.json"), "JSONEachRow");
    EXPECT_EQ(formatOfFileName("a.zst"), std::nullopt);
    for (const std::string_view name : inputFormatNames())
        requireFormat(name);
    EXPECT_EQ(caught([] { readBlocks("Pretty", "", structureOf("k UInt8")); }).code, ErrorCodes::UNKNOWN_FORMAT);
    EXPECT_EQ(formatOfFileName("native"), std::nullopt);
}

TEST(Formats, NameRowColumnAndByteOfAnError)
{
    const NamesAndTypes structure = structureOf("a UInt8, b String, c AggregateFunction(groupBitmap, UInt8)");
    const std::string good = std::string("\x05\x01x\x00\x01\x07", 6);

    const std::string bad_row = good + good + std::string("\x05\x01x\x02", 4);
    const Caught in_row = caught([&] { readBlocks("RowBinary", bad_row, structure); });
    EXPECT_EQ(in_row.code, ErrorCodes::INCORRECT_DATA);
    EXPECT_NE(in_row.text.find(": (while reading row 3, column 'c', at byte 15). (INCORRECT_DATA)"), std::string::npos) << in_row.text;

    const Caught in_text = caught([&] { readBlocks("TSV", "1\tx\t\\0\\0\n300\tx\t\\0\\0\n", structure); });
    EXPECT_EQ(in_text.code, ErrorCodes::CANNOT_PARSE_NUMBER);
    EXPECT_NE(in_text.text.find("while reading row 2, column 'a', at byte 9)"), std::string::npos) << in_text.text;

    /// Two blocks of two rows; the second state of the second block is of no kind.
    const std::string block = nativeHeader(1, 2, "c", "AggregateFunction(groupBitmap, UInt8)") + std::string("\x00\x00\x00\x00", 4);
    std::string native = block + block;
    native[native.size() - 2] = 9;
    const Caught in_native = caught([&] { readBlocks("Native", native); });
    EXPECT_EQ(in_native.code, ErrorCodes::INCORRECT_DATA);
    EXPECT_NE(in_native.text.find("while reading row 4, column 'c', at byte"), std::string::npos) << in_native.text;

    const Caught in_numbers = caught([&] { readBlocks("Native", nativeHeader(1, 3, "n", "UInt32") + "12345678901"); });
    EXPECT_NE(in_numbers.text.find("while reading row 3, column 'n', at byte"), std::string::npos) << in_numbers.text;

    /// Names come from files, so they are not printed as they are.
    const Caught escaped = caught([&] { readBlocks("Native", nativeHeader(1, 1, "a\x1b[31m", "UInt32")); });
    EXPECT_NE(escaped.text.find("column 'a\\x1B[31m'"), std::string::npos) << escaped.text;
}

TEST(Native, TakesSeveralBlocksEmptyBlocksAndOtherOrders)
{
    const std::string empty("\0\0", 2);
    const std::string no_rows = nativeHeader(1, 0, "n", "UInt8");
    const std::string one = nativeHeader(1, 1, "n", "UInt8") + "\x05";
    EXPECT_EQ(rowsOf(readBlocks("Native", empty + no_rows + one + empty + one + no_rows + empty)), "5\n5\n");
    EXPECT_TRUE(readBlocks("Native", "").empty());
    EXPECT_TRUE(readBlocks("Native", empty).empty());

    const Block xy = blockOf("x UInt8, y String", "1\ta\n");
    const Block yx = blockOf("y String, x UInt8", "b\t2\n");
    const std::string bytes = writeBlocks("Native", xy.getNamesAndTypes(), {xy}) + writeBlocks("Native", yx.getNamesAndTypes(), {yx});
    EXPECT_EQ(rowsOf(readBlocks("Native", bytes)), "1\ta\n2\tb\n");

    const std::string other_type = one + nativeHeader(1, 1, "n", "UInt16") + "\x05";
    EXPECT_EQ(caught([&] { readBlocks("Native", other_type + "\x05"); }).code, ErrorCodes::TYPE_MISMATCH);
    const std::string other_name = one + nativeHeader(1, 1, "m", "UInt8") + "\x05";
    EXPECT_EQ(caught([&] { readBlocks("Native", other_name); }).code, ErrorCodes::UNKNOWN_IDENTIFIER);
}

TEST(Native, ATornColumnOfAnyTypeIsAnError)
{
    for (const char * type :
         {"Nothing",
          "Nullable(Nothing)",
          "UInt8",
          "Date",
          "UUID",
          "FixedString(3)",
          "LowCardinality(String)",
          "Array(Nothing)",
          "Tuple(Nothing)",
          "Nullable(Enum8('a' = 1))",
          "Array(LowCardinality(String))"})
        EXPECT_EQ(caught([&] { readBlocks("Native", nativeHeader(1, 5, "x", type)); }).code, ErrorCodes::CANNOT_READ_ALL_DATA) << type;
}

/// SimpleAggregateFunction is the type in it, with a dictionary only where that has one.
TEST(Native, AnErrorNamesItsRow)
{
    struct Torn
    {
        const char * type;
        std::string bytes;
        const char * where;
    };
    for (const Torn & torn : std::vector<Torn>{
             {"UInt64", std::string(12, '\0'), "while reading row 2,"},
             {"SimpleAggregateFunction(sum, UInt64)", std::string(12, '\0'), "while reading row 2,"},
             {"String", "\x01x\x01y\x05z", "while reading row 3,"},
             {"SimpleAggregateFunction(any, String)", "\x01x\x01y\x05z", "while reading row 3,"},
             {"LowCardinality(String)", "\x01", "while reading rows 1 to 5,"},
             {"SimpleAggregateFunction(any, LowCardinality(String))", "\x01", "while reading rows 1 to 5,"}})
    {
        const Caught error = caught([&] { readBlocks("Native", nativeHeader(1, 5, "x", torn.type) + torn.bytes); });
        EXPECT_NE(error.text.find(torn.where), std::string::npos) << torn.type << ' ' << error.text;
    }
    const Caught unknown = caught([] { readBlocks("Native", nativeHeader(1, 5, "x", "Map(String, UInt8)")); });
    EXPECT_NE(unknown.text.find("behind row 0, column 'x', at byte"), std::string::npos) << unknown.text;
}

TEST(Native, HasAByteForTheSerializationWhereItIsAsked)
{
    FormatSettings network;
    network.native_custom_serialization = true;
    const Block block = blockOf("n UInt8, s String", "5\tx\n");
    std::string bytes;
    WriteBufferFromString out(bytes);
    const auto writer = createOutputFormat("Native", out, block.getNamesAndTypes(), network);
    writer->write(block);
    writer->finalize();
    out.finalize();
    EXPECT_EQ(bytes, std::string("\x02\x01\x01n\x05UInt8\0\x05\x01s\x06String\0\x01x", 24));
    ReadBufferFromMemory in(bytes);
    EXPECT_EQ(rowsOf(readBlocks("Native", in, std::nullopt, network)), "5\tx\n");
    bytes[10] = 1;
    ReadBufferFromMemory sparse(bytes);
    const Caught error = caught([&] { readBlocks("Native", sparse, std::nullopt, network); });
    EXPECT_EQ(error.code, ErrorCodes::NOT_IMPLEMENTED);
    EXPECT_NE(error.text.find("Column 'n'"), std::string::npos) << error.text;
}

TEST(Native, BelievesNoCount)
{
    const UInt64 huge = UInt64{1} << 39;
    for (const std::string_view type :
         {"UInt64", "String", "Array(UInt64)", "AggregateFunction(groupBitmap, UInt64)", "Array(Array(String))"})
        for (const UInt64 rows : {huge, ~UInt64{0}, UInt64{1} << 62})
        {
            const std::string bytes = nativeHeader(1, rows, "c", type) + std::string(100, '\0');
            const AllocationCounter counter;
            EXPECT_NE(caught([&] { readBlocks("Native", bytes); }).code, 0) << type << ' ' << rows;
            EXPECT_LT(counter.peakBytes(), size_t{1} << 20) << type << ' ' << rows;
        }
    const AllocationCounter counter;
    EXPECT_EQ(caught([&] { readBlocks("Native", nativeHeader(~UInt64{0}, 1, "c", "UInt8")); }).code, ErrorCodes::INCORRECT_DATA);
    EXPECT_EQ(caught([&] { readBlocks("Native", nativeHeader(2, 1, "c", "UInt8") + "\x01"); }).code, ErrorCodes::ATTEMPT_TO_READ_AFTER_EOF);
    EXPECT_EQ(caught([&] { readBlocks("Native", std::string("\0\x05", 2)); }).code, ErrorCodes::INCORRECT_DATA);
    EXPECT_LT(counter.peakBytes(), size_t{1} << 20);
}

TEST(Native, BelievesNoStringLength)
{
    std::string length(VAR_UINT_MAX_SIZE, '\0');
    for (const UInt64 size : {UInt64{1} << 29, UInt64{1} << 40, ~UInt64{0}})
    {
        const std::string varint(length.data(), static_cast<size_t>(writeVarUInt(size, length.data()) - length.data()));
        const AllocationCounter counter;
        EXPECT_NE(caught([&] { readBlocks("Native", nativeHeader(1, 1, "s", "String") + varint + "abc"); }).code, 0) << size;
        EXPECT_NE(caught([&] { readBlocks("Native", "\x01\x01" + varint + "abc"); }).code, 0) << size;
        EXPECT_NE(
            caught([&] {
                readBlocks(
                    "RowBinaryWithNamesAndTypes",
                    varint
                        + "\x01"
                          "a");
            }).code,
            0)
            << size;
        EXPECT_LT(counter.peakBytes(), size_t{1} << 20) << size;
    }
}

TEST(Headers, AreRefusedWhenTheyMakeNoSense)
{
    const std::string twice = nativeHeader(2, 1, "c", "UInt8")
        + "\x01\x01"
          "c\x05UInt8\x02";
    EXPECT_EQ(caught([&] { readBlocks("Native", twice); }).code, ErrorCodes::INCORRECT_DATA);
    EXPECT_EQ(caught([&] { readBlocks("RowBinaryWithNamesAndTypes", std::string("\0", 1)); }).code, ErrorCodes::INCORRECT_DATA);
    EXPECT_EQ(caught([&] { readBlocks("RowBinaryWithNamesAndTypes", ""); }).code, ErrorCodes::ATTEMPT_TO_READ_AFTER_EOF);
    EXPECT_EQ(caught([&] { readBlocks("Native", nativeHeader(1, 1, "c", "Unheard(UInt8)")); }).code, ErrorCodes::UNKNOWN_TYPE);
    EXPECT_EQ(caught([&] { readBlocks("TSVWithNamesAndTypes", "a\tb\nUInt8\n"); }).code, ErrorCodes::INCORRECT_NUMBER_OF_COLUMNS);
    EXPECT_EQ(caught([&] { readBlocks("TSVWithNamesAndTypes", "a\n"); }).code, ErrorCodes::CANNOT_READ_ALL_DATA);
    for (const std::string_view format : {"TabSeparated", "TabSeparatedWithNames", "RowBinary"})
        EXPECT_EQ(caught([&] { readBlocks(format, "a\n"); }).code, ErrorCodes::BAD_ARGUMENTS) << format;
}

TEST(TabSeparated, TakesWhatClickHouseTakes)
{
    const auto read = [](std::string_view structure, std::string_view text) { return rowsOf({blockOf(structure, text)}); };
    /// The last line feed may be missing.
    EXPECT_EQ(read("a UInt8, b String", "1\tx\n2\ty"), "1\tx\n2\ty\n");
    EXPECT_EQ(read("s String", "\n\nx\n"), "\n\nx\n");
    EXPECT_EQ(read("s String", "\\b\\f\\r\\n\\t\\0\\'\\\\ \\x41\n"), "\\b\\f\\r\\n\\t\\0\\'\\\\ A\n");
    EXPECT_EQ(read("a Array(String)", "['x\\'y','']\n"), "['x\\'y','']\n");
}

TEST(TabSeparated, RefusesRowsOfAnotherLength)
{
    const NamesAndTypes structure = structureOf("a UInt8, b UInt8");
    for (const std::string_view text : {"1\n", "1\t2\t3\n", "1\t2\n\n", "1", "1\t2\n3\n"})
    {
        const Caught error = caught([&] { readBlocks("TSV", text, structure); });
        EXPECT_TRUE(error.code == ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED || error.code == ErrorCodes::CANNOT_PARSE_NUMBER)
            << text << error.text;
        EXPECT_NE(error.text.find("while reading row"), std::string::npos);
    }
}

TEST(TabSeparated, LimitsFields)
{
    FormatSettings settings;
    settings.max_field_bytes = 100;
    for (const size_t piece : {size_t{7}, size_t{4096}})
    {
        const std::string bytes = std::string(101, 'x') + '\n';
        TornReadBuffer in(bytes, piece);
        EXPECT_EQ(caught([&] { readBlocks("TSV", in, structureOf("s String"), settings); }).code, ErrorCodes::TOO_LARGE_STRING_SIZE);
    }
}

TEST(RowFormats, EndBlocksAtTheirLimits)
{
    FormatSettings settings;
    settings.max_block_rows = 2;
    ReadBufferFromMemory by_rows("1\n2\n3\n");
    const std::vector<Block> three = readBlocks("TSV", by_rows, structureOf("a UInt8"), settings);
    ASSERT_EQ(three.size(), 2U);
    EXPECT_EQ(three[0].rows(), 2U);
    EXPECT_EQ(rowsOf(three), "1\n2\n3\n");

    settings.max_block_rows = 1000;
    settings.max_block_bytes = 1;
    ReadBufferFromMemory by_bytes("1\n2\n3\n");
    EXPECT_EQ(readBlocks("TSV", by_bytes, structureOf("a UInt8"), settings).size(), 3U);
}
