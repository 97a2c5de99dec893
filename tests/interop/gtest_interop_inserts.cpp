#include "RandomSeed.h"
#include "RequireEngine.h"
#include "ScratchDirectory.h"
#include "Vectors.h"

#include <statewire/base/types.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

/** A pipeline beside a server, there and back: files of states that the program wrote, in every format and compression that both have, are inserted
  * into AggregatingMergeTree, merged by OPTIMIZE and asked; what the engine then writes into files is merged and asked by the program.
  */

using namespace DB;
using namespace statewire_tests;

namespace
{

constexpr const char * FORMATS[]
    = {"RowBinary",
       "RowBinaryWithNames",
       "RowBinaryWithNamesAndTypes",
       "Native",
       "TabSeparated",
       "TSVWithNames",
       "TSVWithNamesAndTypes",
       "CSV",
       "CSVWithNames",
       "JSONEachRow",
       "Values"};
constexpr const char * COMPRESSIONS[] = {"", ".zst", ".lz4"};
constexpr const char * ELEMENTS[] = {"UInt8", "UInt16", "UInt32", "UInt64", "Int8", "Int16", "Int32", "Int64"};

/// Runs the program and gives what it printed.
std::string output(const ScratchDirectory & scratch, const std::string & arguments)
{
    const std::string command
        = "'" STATEWIRE_PROGRAM "' " + arguments + " > '" + scratch.file("stdout") + "' 2> '" + scratch.file("stderr") + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command << "\n" << readFile(scratch.file("stderr"));
    return readFile(scratch.file("stdout"));
}

/// Values of the type as text, several times the same ones.
std::string someRows(std::mt19937_64 & random, const std::string & element)
{
    const bool is_signed = element[0] == 'I';
    const int bits = std::atoi(element.c_str() + (is_signed ? 3 : 4));
    std::string rows;
    for (int key = 0; key < 5; ++key)
    {
        static constexpr size_t SIZES[] = {1, 5, 31, 32, 33, 100, 5000};
        const int shift = 64 - static_cast<int>(random() % static_cast<UInt64>(bits)) - 1;
        for (size_t n = SIZES[random() % std::size(SIZES)]; n != 0; --n)
        {
            const auto number = static_cast<Int64>(random() << (64 - bits));
            rows += std::to_string(key) + '\t'
                + (is_signed ? std::to_string(number >> shift) : std::to_string(static_cast<UInt64>(number) >> shift)) + '\n';
        }
    }
    return rows;
}

}

TEST(InteropInserts, FilesOfTheProgramAreMergedInATableAndBack)
{
    REQUIRE_ENGINE(engine);
    std::mt19937_64 random(chosenSeed());
    const ScratchDirectory scratch;
    size_t files = 0;
    size_t first = 0;
    for (const std::string element : ELEMENTS)
    {
        SCOPED_TRACE(element);
        const std::string state = "AggregateFunction(groupBitmap, " + element + ")";
        engine->query("CREATE TABLE inserted (k UInt32, s " + state + ") ENGINE = AggregatingMergeTree ORDER BY k");
        engine->query("CREATE TABLE raw (k UInt32, v " + element + ") ENGINE = Memory");
        std::string all;
        /// Every third format, each with a compression of its own; others for the next type.
        for (size_t format = first; format < std::size(FORMATS); format += 3)
        {
            const std::string compression = COMPRESSIONS[(format + files) % std::size(COMPRESSIONS)];
            const std::string rows = someRows(random, element);
            all += rows;
            writeWholeFile(scratch.file("rows.tsv"), rows);
            const std::string path = scratch.file("states" + std::to_string(format) + element + compression);
            static_cast<void>(output(
                scratch,
                "aggregate -S 'k UInt32, v " + element + "' --keys k --aggregates 'groupBitmap(v) AS s' -f " + FORMATS[format] + " -o '"
                    + path + "' '" + scratch.file("rows.tsv") + "'"));
            EXPECT_NO_THROW(engine->query("INSERT INTO inserted FROM INFILE '" + path + "' FORMAT " + FORMATS[format]))
                << FORMATS[format] << compression;
            ++files;
        }
        engine->query("INSERT INTO raw FORMAT TSV\n" + all);
        const std::string expected = engine->query("SELECT k, uniqExact(v), arraySort(groupUniqArray(v)) FROM raw GROUP BY k ORDER BY k");
        const std::string question
            = "SELECT k, bitmapCardinality(groupBitmapMergeState(s)), arraySort(bitmapToArray(groupBitmapMergeState(s))) "
              "FROM inserted GROUP BY k ORDER BY k";
        EXPECT_EQ(engine->query(question), expected);
        EXPECT_EQ(
            engine->query("SELECT k, groupBitmapMerge(s) FROM inserted GROUP BY k ORDER BY k"),
            engine->query("SELECT k, CAST(uniqExact(v) AS " + element + ") FROM raw GROUP BY k ORDER BY k"));
        engine->query("OPTIMIZE TABLE inserted FINAL");
        EXPECT_EQ(engine->query("SELECT count() FROM inserted"), "5\n");
        EXPECT_EQ(engine->query(question), expected);

        /// Back: each file whole, and all of them merged, which changes nothing. Large states have our bytes.
        std::string all_files;
        for (size_t format = first; format + 1 < std::size(FORMATS); format += 3)
        {
            const std::string compression = COMPRESSIONS[(format + files) % std::size(COMPRESSIONS)];
            const std::string path = scratch.file("back" + std::to_string(format) + element + compression);
            engine->query("SELECT * FROM inserted ORDER BY k INTO OUTFILE '" + path + "' FORMAT " + FORMATS[format]);
            const std::string merged = output(
                scratch,
                "merge --input-format " + std::string(FORMATS[format]) + " -S 'k UInt32, s " + state + "' --keys k -f RowBinary -o '"
                    + scratch.file("merged") + "' '" + path + "'; '" STATEWIRE_PROGRAM "' query --input-format RowBinary -S 'k UInt32, s "
                    + state + "' -f TSV -q 'k, bitmapCardinality(s)' '" + scratch.file("merged") + "'");
            EXPECT_EQ(merged, engine->query("SELECT k, uniqExact(v) FROM raw GROUP BY k ORDER BY k")) << FORMATS[format] << compression;
            EXPECT_EQ(
                engine->query(
                    "SELECT count() FROM inserted AS t JOIN file('" + scratch.file("merged") + "', RowBinary, 'k UInt32, s " + state
                    + "') AS m USING k WHERE bitmapCardinality(t.s) <= 32 OR hex(t.s) = hex(m.s)"),
                "5\n")
                << FORMATS[format];
            ++files;
        }
        first = (first + 1) % 3;
        engine->query("DROP TABLE inserted");
        engine->query("DROP TABLE raw");
    }
    std::printf("%zu files\n", files);
}

/// The same of groupBitmapAnd, Or and Xor: versions 1 in the table, and what Native files say.
TEST(InteropInserts, CombinedStatesAreMergedInATableAndBack)
{
    REQUIRE_ENGINE(engine);
    std::mt19937_64 random(chosenSeed());
    const ScratchDirectory scratch;
    for (const std::string element : {"UInt8", "UInt64", "Int16"})
        for (const std::string function : {"groupBitmapAnd", "groupBitmapOr", "groupBitmapXor"})
        {
            SCOPED_TRACE(function + " " + element);
            const std::string bitmap = "AggregateFunction(groupBitmap, " + element + ")";
            const std::string state = "AggregateFunction(1, " + function + ", " + bitmap + ")";
            engine->query("CREATE TABLE inserted (k UInt32, s " + state + ") ENGINE = AggregatingMergeTree ORDER BY k");
            engine->query("CREATE TABLE raw (k UInt32, b " + bitmap + ") ENGINE = Memory");
            for (const std::string format : {"RowBinary", "TabSeparated"})
            {
                writeWholeFile(scratch.file("rows.tsv"), someRows(random, element));
                const std::string bitmaps = scratch.file("bitmaps" + format + element + function);
                const std::string states = scratch.file("states" + format + element + function);
                static_cast<void>(output(
                    scratch,
                    "aggregate -S 'k UInt32, v " + element + "' --keys k --aggregates 'groupBitmap(v) AS b' -f RowBinary -o '" + bitmaps
                        + "' '" + scratch.file("rows.tsv") + "'"));
                static_cast<void>(output(
                    scratch,
                    "aggregate --input-format RowBinary -S 'k UInt32, b " + bitmap + "' --keys k --aggregates '" + function
                        + "State(b) AS s' -f " + format + " -o '" + states + "' '" + bitmaps + "'"));
                engine->query("INSERT INTO raw FROM INFILE '" + bitmaps + "' FORMAT RowBinary");
                engine->query("INSERT INTO inserted FROM INFILE '" + states + "' FORMAT " + format);
            }
            const std::string expected = engine->query(
                "SELECT k, bitmapCardinality(s), arraySort(bitmapToArray(s)) FROM (SELECT k, " + function
                + "State(b) AS s FROM raw GROUP BY k) ORDER BY k");
            const std::string question = "SELECT k, bitmapCardinality(m), arraySort(bitmapToArray(m)) FROM (SELECT k, " + function
                + "MergeState(s) AS m FROM inserted GROUP BY k) ORDER BY k";
            EXPECT_EQ(engine->query(question), expected);
            engine->query("OPTIMIZE TABLE inserted FINAL");
            EXPECT_EQ(engine->query("SELECT count() FROM inserted"), "5\n");
            EXPECT_EQ(engine->query(question), expected);
            const std::string back = scratch.file("back" + element + function);
            engine->query("SELECT * FROM inserted ORDER BY k INTO OUTFILE '" + back + "' FORMAT RowBinary");
            EXPECT_EQ(
                output(
                    scratch,
                    "query --input-format RowBinary -S 'k UInt32, s " + state + "' -f TSV -q 'k, bitmapCardinality(s)' '" + back + "'"),
                engine->query("SELECT k, bitmapCardinality(" + function + "MergeState(s)) FROM inserted GROUP BY k ORDER BY k"));
            engine->query("DROP TABLE inserted");
            engine->query("DROP TABLE raw");
        }
}
