#pragma once

#include <gtest/gtest.h>

#include <statewire/AggregateFunctions/AggregateFunctionFactory.h>
#include <statewire/Columns/ColumnAggregateFunction.h>
#include <statewire/Columns/ColumnArray.h>
#include <statewire/Columns/ColumnString.h>
#include <statewire/Columns/ColumnVector.h>
#include <statewire/Common/Exception.h>
#include <statewire/DataTypes/parseDataType.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>

#include <string>
#include <string_view>
#include <vector>

/// Passes when `statement` throws DB::Exception with this code and the text holds `part`.
#define EXPECT_ERROR(expected_code, part, statement) \
    try \
    { \
        static_cast<void>(statement); \
        ADD_FAILURE() << "expected an error " << (expected_code) << " from " #statement; \
    } \
    catch (const DB::Exception & exception) \
    { \
        EXPECT_EQ(exception.code(), expected_code) << exception.displayText(); \
        EXPECT_NE(exception.message().find(part), std::string::npos) << exception.displayText(); \
    }

namespace statewire_tests
{

template <typename T>
std::unique_ptr<DB::ColumnVector<T>> numbers(std::vector<T> values)
{
    return std::make_unique<DB::ColumnVector<T>>(std::move(values));
}

inline std::unique_ptr<DB::ColumnString> strings(const std::vector<std::string> & values)
{
    auto column = std::make_unique<DB::ColumnString>();
    for (const std::string & value : values)
        column->insert(value);
    return column;
}

/// What `write(out)` writes.
template <typename Write>
std::string written(Write && write)
{
    std::string bytes;
    DB::WriteBufferFromString out(bytes);
    write(out);
    out.finalize();
    return bytes;
}

inline std::string binaryOf(const DB::IDataType & type, const DB::IColumn & column, size_t row)
{
    return written([&](DB::WriteBuffer & out) { type.serializeBinary(column, row, out); });
}

inline std::string textOf(const DB::IDataType & type, const DB::IColumn & column, size_t row)
{
    return written([&](DB::WriteBuffer & out) { type.serializeTextEscaped(column, row, out); });
}

/// A column of the type with one value for each serialized one.
inline DB::MutableColumnPtr columnFromBinary(const DB::IDataType & type, const std::vector<std::string> & values)
{
    DB::MutableColumnPtr column = type.createColumn();
    for (const std::string & value : values)
    {
        DB::ReadBufferFromMemory in(value);
        type.deserializeBinary(*column, in);
        EXPECT_TRUE(in.eof());
    }
    return column;
}

inline DB::MutableColumnPtr columnFromText(const DB::IDataType & type, const std::vector<std::string> & values)
{
    DB::MutableColumnPtr column = type.createColumn();
    for (const std::string & value : values)
        type.deserializeTextEscaped(*column, value);
    return column;
}

/// Memory for one group of a function.
class Place
{
public:
    explicit Place(const DB::IAggregateFunction & function_) : function(function_)
    {
        place = arena.alignedAlloc(function.sizeOfData(), function.alignOfData());
        function.create(place);
    }
    ~Place() { function.destroy(place); }
    Place(const Place &) = delete;
    Place & operator=(const Place &) = delete;

    [[nodiscard]] DB::AggregateDataPtr get() const noexcept { return place; }
    [[nodiscard]] std::string bytes() const
    {
        return written([&](DB::WriteBuffer & out) { function.serialize(place, out); });
    }

private:
    const DB::IAggregateFunction & function;
    DB::Arena arena;
    DB::AggregateDataPtr place = nullptr;
};

using Columns = std::vector<const DB::IColumn *>;

inline void addRows(const DB::IAggregateFunction & function, const Place & place, Columns columns, size_t rows)
{
    DB::Arena arena;
    function.addBatchSinglePlace(0, rows, place.get(), columns.data(), &arena);
}

/// The bytes of the state that all rows of the columns give.
inline std::string stateBytes(const DB::IAggregateFunction & function, Columns columns)
{
    const Place place(function);
    addRows(function, place, columns, columns[0]->size());
    return place.bytes();
}

}
