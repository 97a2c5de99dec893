#pragma once

#include <statewire/AggregateFunctions/AggregateFunctionFactory.h>
#include <statewire/Columns/ColumnVector.h>
#include <statewire/DataTypes/DataTypeNumber.h>
#include <statewire/Interpreters/AggregatingTransform.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

/** The tables of the aggregation benchmarks: columns by formulas that an SQL engine computes as well, so that both have the same values. */
namespace statewire_benchmarks
{

using namespace DB;

/// Row numbers to numbers that look random; in SQL: hashSQL("number").
inline UInt64 hashOfRow(UInt64 row)
{
    UInt64 x = row * 11400714819323198485ULL;
    x = (x ^ x >> 32) * 15485863000000000003ULL;
    return x ^ x >> 32;
}

inline std::string hashSQL(const std::string & row)
{
    const std::string mixed = "(" + row + " * 11400714819323198485)";
    const std::string x = "(bitXor(" + mixed + ", bitShiftRight(" + mixed + ", 32)) * 15485863000000000003)";
    return "bitXor(" + x + ", bitShiftRight(" + x + ", 32))";
}

struct Table
{
    const char * name;
    /// 4 or 8.
    size_t value_size;
    bool has_key;
    UInt64 (*value)(UInt64 row);
    std::string (*value_sql)(const std::string & row);
    UInt64 (*key)(UInt64 row);
    const char * key_sql;
};

inline UInt64 noKey(UInt64) { return 0; }
inline UInt64 keyOfThousand(UInt64 row) { return hashOfRow(row) % 1000; }
inline UInt64 keyOfMillion(UInt64 row) { return hashOfRow(row) % 1'000'000; }
inline UInt64 keyOfTen(UInt64 row) { return hashOfRow(row / 10); }
inline UInt64 random32(UInt64 row) { return hashOfRow(row) >> 32; }
inline UInt64 random64(UInt64 row) { return hashOfRow(row); }
inline UInt64 clustered(UInt64 row) { return 4 * row + hashOfRow(row) % 4; }
inline UInt64 sequential(UInt64 row) { return row; }
inline std::string random32SQL(const std::string & row) { return "toUInt32(bitShiftRight(" + hashSQL(row) + ", 32))"; }
inline std::string random64SQL(const std::string & row) { return hashSQL(row); }
inline std::string clusteredSQL(const std::string & row) { return "toUInt32(4 * " + row + " + " + hashSQL(row) + " % 4)"; }
inline std::string sequentialSQL(const std::string & row) { return "toUInt32(" + row + ")"; }

inline constexpr Table TABLES[] = {
    {"random32", 4, false, random32, random32SQL, noKey, ""},
    {"random64", 8, false, random64, random64SQL, noKey, ""},
    {"clustered", 4, false, clustered, clusteredSQL, noKey, ""},
    {"sequential", 4, false, sequential, sequentialSQL, noKey, ""},
    {"grouped", 4, true, random32, random32SQL, keyOfThousand, "% 1000"},
    {"grouped_clustered", 4, true, clustered, clusteredSQL, keyOfThousand, "% 1000"},
    {"million_groups", 4, true, random32, random32SQL, keyOfMillion, "% 1000000"},
};

template <typename T>
inline ColumnPtr makeColumn(UInt64 begin, UInt64 end, UInt64 (*value)(UInt64))
{
    std::vector<T> values(end - begin);
    for (UInt64 row = begin; row < end; ++row)
        values[row - begin] = static_cast<T>(value(row));
    return std::make_shared<ColumnVector<T>>(std::move(values));
}

/// Columns k UInt32 and v, in blocks of the size that a reader gives.
inline std::vector<Block> makeBlocks(const Table & table, UInt64 rows, UInt64 block_rows = 65536)
{
    std::vector<Block> blocks;
    for (UInt64 begin = 0; begin < rows; begin += block_rows)
    {
        const UInt64 end = std::min(rows, begin + block_rows);
        Block & block = blocks.emplace_back();
        if (table.has_key)
            block.insert({makeColumn<UInt32>(begin, end, table.key), std::make_shared<DataTypeNumber<UInt32>>(), "k"});
        if (table.value_size == 4)
            block.insert({makeColumn<UInt32>(begin, end, table.value), std::make_shared<DataTypeNumber<UInt32>>(), "v"});
        else
            block.insert({makeColumn<UInt64>(begin, end, table.value), std::make_shared<DataTypeNumber<UInt64>>(), "v"});
    }
    return blocks;
}

/// groupBitmap(v) AS b, by k where there is one.
inline Aggregator makeAggregator(const Table & table)
{
    DataTypePtr type = std::make_shared<DataTypeNumber<UInt32>>();
    NamesAndTypes keys;
    if (table.has_key)
        keys.push_back({"k", type});
    if (table.value_size == 8)
        type = std::make_shared<DataTypeNumber<UInt64>>();
    return Aggregator(std::move(keys), {{defaultAggregateFunctionFactory().get("groupBitmap", {type}, {}), {"v"}, "b"}});
}

}
