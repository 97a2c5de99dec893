#include "ColumnBuilders.h"

#include <statewire/AggregateFunctions/IAggregateFunctionHelper.h>
#include <statewire/Columns/ColumnNullable.h>

#include <cmath>
#include <limits>
#include <memory>

using namespace DB;
using namespace statewire_tests;

namespace
{

/** A function whose states are numbers on the heap: it counts those alive and throws where a test asks it to. */
class CountedFunction final : public IAggregateFunctionHelper<CountedFunction>
{
public:
    CountedFunction() : IAggregateFunctionHelper({}, {}, nullptr) { }

    [[nodiscard]] std::string getName() const override { return "counted"; }
    [[nodiscard]] size_t sizeOfData() const noexcept override { return sizeof(int *); }
    [[nodiscard]] size_t alignOfData() const noexcept override { return alignof(int *); }
    void create(AggregateDataPtr place) const override
    {
        throwWhenAsked("create");
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % alignof(int *), 0U);
        *reinterpret_cast<int **>(place) = new int(0);
        ++alive;
    }
    void destroy(AggregateDataPtr place) const noexcept override
    {
        delete *reinterpret_cast<int **>(place);
        --alive;
    }
    void add(AggregateDataPtr place, const IColumn **, size_t, Arena *) const override { ++**reinterpret_cast<int **>(place); }
    void merge(AggregateDataPtr place, ConstAggregateDataPtr rhs, Arena *) const override
    {
        throwWhenAsked("merge");
        **reinterpret_cast<int **>(place) += value(rhs);
    }
    void serialize(ConstAggregateDataPtr place, WriteBuffer & out, std::optional<size_t>) const override
    {
        out.write(static_cast<char>(value(place)));
    }
    void deserialize(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t>, Arena *) const override
    {
        char byte = 0;
        in.readStrict(byte);
        **reinterpret_cast<int **>(place) = byte;
        throwWhenAsked("deserialize");
    }
    void deserializeAndMerge(AggregateDataPtr, ReadBuffer &, std::optional<size_t>) const override { }
    void insertResultInto(AggregateDataPtr, IColumn &, Arena *) const override { }
    [[nodiscard]] size_t heldBytes(ConstAggregateDataPtr) const noexcept override { return 1000; }

    static int value(ConstAggregateDataPtr place) { return **reinterpret_cast<int * const *>(place); }

    mutable int alive = 0;
    std::string throw_in;

private:
    void throwWhenAsked(std::string_view where) const
    {
        if (throw_in == where)
            throw Exception(1, "asked to");
    }
};

template <typename T>
int compare(T left, T right)
{
    return numbers<T>({left})->compareAt(0, *numbers<T>({right}), 0);
}

}

TEST(ColumnVector, OrdersIntegersByValue)
{
    EXPECT_EQ(compare<UInt64>(1, 2), -1);
    EXPECT_EQ(compare<UInt64>(std::numeric_limits<UInt64>::max(), 1), 1);
    EXPECT_EQ(compare<Int8>(-1, 1), -1);
    EXPECT_EQ(compare<Int64>(7, 7), 0);
}

TEST(ColumnVector, OrdersFloatsTotally)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    const std::vector<double> ascending = {-inf, -1.5, -0.0, 0.0, 1e-300, 2, inf, nan};
    for (size_t i = 0; i < ascending.size(); ++i)
        for (size_t j = 0; j < ascending.size(); ++j)
            EXPECT_EQ(compare(ascending[i], ascending[j]), i < j ? -1 : (i > j ? 1 : 0)) << ascending[i] << " and " << ascending[j];
    EXPECT_EQ(compare<Float32>(-0.0F, 0.0F), -1);
}

TEST(ColumnVector, ComparesAsZeroExactlyWhereTheBytesAreEqual)
{
    const std::vector<Float64> values = {0.0, -0.0, 1.0, std::nan(""), -std::nan(""), std::numeric_limits<double>::infinity()};
    const auto column = numbers<Float64>(values);
    for (size_t i = 0; i < values.size(); ++i)
        for (size_t j = 0; j < values.size(); ++j)
        {
            EXPECT_EQ(column->compareAt(i, *column, j) == 0, column->getDataAt(i) == column->getDataAt(j)) << i << " " << j;
            EXPECT_EQ(column->compareAt(i, *column, j), -column->compareAt(j, *column, i)) << i << " " << j;
        }
}

TEST(ColumnVector, InsertsFromItselfAndTakesBack)
{
    const auto column = numbers<UInt16>({1, 2, 3});
    for (int i = 0; i < 100; ++i)
        column->insertFrom(*column, 1);
    EXPECT_EQ(column->size(), 103U);
    EXPECT_EQ(column->getData().back(), 2);
    column->popBack(102);
    EXPECT_EQ(column->getData(), (std::vector<UInt16>{1}));
    EXPECT_EQ(column->cloneEmpty()->size(), 0U);
}

TEST(ColumnString, KeepsAnyBytes)
{
    const std::string zeros(3, '\0');
    const auto column = strings({"", "abc", zeros, "", std::string(100000, 'x')});
    EXPECT_EQ((*column)[0], "");
    EXPECT_EQ((*column)[1], "abc");
    EXPECT_EQ((*column)[2], zeros);
    EXPECT_EQ((*column)[3], "");
    EXPECT_EQ(column->getDataAt(4).size(), 100000U);
    column->popBack(2);
    EXPECT_EQ(column->size(), 3U);
    column->insertFrom(*column, 1);
    EXPECT_EQ((*column)[3], "abc");
}

TEST(ColumnString, DropsAnOpenRow)
{
    const auto column = strings({"kept"});
    column->getChars() += "half a row";
    column->dropOpenRow();
    EXPECT_EQ(column->getChars(), "kept");
    column->getChars() += "whole";
    column->closeRow();
    EXPECT_EQ((*column)[1], "whole");
}

TEST(ColumnString, OrdersByBytes)
{
    const auto column = strings({"", "a", "ab", "b", "\xff"});
    for (size_t i = 0; i < column->size(); ++i)
        for (size_t j = 0; j < column->size(); ++j)
            EXPECT_EQ(column->compareAt(i, *column, j), i < j ? -1 : (i > j ? 1 : 0));
}

TEST(ColumnArray, InsertsComparesAndTakesBack)
{
    ColumnArray column(numbers<Int32>({}));
    auto & values = static_cast<ColumnVector<Int32> &>(column.getData()).getData();
    column.closeRow();
    for (const std::vector<Int32> & row : std::vector<std::vector<Int32>>{{1}, {1, 2}, {2}})
    {
        values.insert(values.end(), row.begin(), row.end());
        column.closeRow();
    }
    for (size_t i = 0; i < column.size(); ++i)
        for (size_t j = 0; j < column.size(); ++j)
            EXPECT_EQ(column.compareAt(i, column, j), i < j ? -1 : (i > j ? 1 : 0));

    const MutableColumnPtr other = column.cloneEmpty();
    other->insertFrom(column, 2);
    other->insertFrom(column, 0);
    other->insertFrom(column, 3);
    EXPECT_EQ(other->compareAt(0, column, 2), 0);
    EXPECT_EQ(static_cast<const ColumnArray &>(*other).sizeAt(1), 0U);
    other->popBack(2);
    EXPECT_EQ(static_cast<const ColumnArray &>(*other).getData().size(), 2U);
    EXPECT_ERROR(48, "key", column.getDataAt(0));
}

TEST(ColumnAggregateFunction, OwnsItsStates)
{
    const auto function = std::make_shared<CountedFunction>();
    {
        ColumnAggregateFunction column(function);
        for (int i = 0; i < 1000; ++i)
            function->add(column.insertState(), nullptr, 0, nullptr);
        EXPECT_EQ(function->alive, 1000);
        EXPECT_GE(column.byteSize(), 1000 * 1000U);
        column.popBack(300);
        EXPECT_EQ(function->alive, 700);
        EXPECT_EQ(column.size(), 700U);
        EXPECT_EQ(CountedFunction::value(column[699]), 1);
    }
    EXPECT_EQ(function->alive, 0);
}

TEST(ColumnAggregateFunction, AdoptsWhatAnAggregatorMade)
{
    const auto function = std::make_shared<CountedFunction>();
    std::weak_ptr<Arena> watched;
    MutableColumnPtr copy;
    {
        ColumnAggregateFunction column(function);
        {
            auto arena = std::make_shared<Arena>();
            watched = arena;
            AggregateDataPtr place = arena->alignedAlloc(function->sizeOfData(), function->alignOfData());
            function->create(place);
            function->add(place, nullptr, 0, nullptr);
            column.keepAlive(arena);
            column.keepAlive(arena);
            column.keepAlive(nullptr);
            column.adopt(place);
        }
        EXPECT_FALSE(watched.expired());
        copy = column.cloneEmpty();
        copy->insertFrom(column, 0);
        EXPECT_EQ(watched.use_count(), 1);
        EXPECT_EQ(function->alive, 2);
    }
    EXPECT_TRUE(watched.expired());
    EXPECT_EQ(CountedFunction::value(static_cast<const ColumnAggregateFunction &>(*copy)[0]), 1);
    EXPECT_EQ(function->alive, 1);
    copy.reset();
    EXPECT_EQ(function->alive, 0);
}

TEST(ColumnAggregateFunction, AppendsNothingWhenTheFunctionThrows)
{
    const auto function = std::make_shared<CountedFunction>();
    ColumnAggregateFunction column(function);
    column.insertState();
    for (const char * where : {"create", "merge", "deserialize"})
    {
        function->throw_in = where;
        if (function->throw_in == "create")
            EXPECT_ERROR(1, "asked", column.insertState());
        if (function->throw_in != "deserialize")
            EXPECT_ERROR(1, "asked", column.insertFrom(column, 0));
        if (function->throw_in != "merge")
        {
            ReadBufferFromMemory in("x");
            EXPECT_ERROR(1, "asked", column.insertSerialized(in, 0));
        }
        EXPECT_EQ(column.size(), 1U) << where;
        EXPECT_EQ(function->alive, 1) << where;
    }
    ReadBufferFromMemory nothing("");
    function->throw_in = "";
    EXPECT_ERROR(33, "", column.insertSerialized(nothing, 0));
    EXPECT_EQ(function->alive, 1);
}

TEST(ColumnAggregateFunction, IsNoKeyAndHasNoOrder)
{
    ColumnAggregateFunction column(std::make_shared<CountedFunction>());
    column.insertState();
    EXPECT_ERROR(48, "counted", column.getDataAt(0));
    EXPECT_ERROR(48, "counted", column.compareAt(0, column, 0));
}

TEST(ColumnAggregateFunction, CopiesOutliveTheColumnAndTheBytesTheyWereReadFrom)
{
    const DataTypePtr type = parseDataType("AggregateFunction(groupBitmap, UInt64)");
    std::vector<UInt64> values(5000);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = i * 7919;
    const auto & function = *static_cast<const ColumnAggregateFunction &>(*type->createColumn()).getFunction();
    const auto argument = numbers<UInt64>(values);
    const std::string bytes = stateBytes(function, {argument.get()});

    MutableColumnPtr copy = type->createColumn();
    {
        auto source = std::make_unique<std::string>(bytes);
        const MutableColumnPtr column = columnFromBinary(*type, {*source});
        source->assign(source->size(), '\xdb');
        source.reset();
        copy->insertFrom(*column, 0);
    }
    EXPECT_EQ(binaryOf(*type, *copy, 0), bytes);
}

TEST(ColumnNullable, OrdersNullLastAndCopiesIt)
{
    const DataTypePtr type = parseDataType("Nullable(Int8)");
    const MutableColumnPtr column = columnFromText(*type, {"5", "\\N", "-1"});
    const MutableColumnPtr other = column->cloneEmpty();
    for (const size_t row : {1, 0, 2, 1})
        other->insertFrom(*column, row);
    EXPECT_EQ(column->compareAt(0, *other, 1), 0);
    EXPECT_EQ(column->compareAt(0, *other, 2), 1);
    EXPECT_EQ(column->compareAt(0, *other, 0), -1);
    EXPECT_EQ(column->compareAt(1, *other, 0), 0);
    EXPECT_EQ(column->compareAt(1, *other, 2), 1);
    other->popBack(3);
    other->insertDefault();
    EXPECT_EQ(other->size(), 2U);
    const auto & nullable = static_cast<const ColumnNullable &>(*other);
    EXPECT_TRUE(nullable.isNullAt(0));
    EXPECT_TRUE(nullable.isNullAt(1));
    EXPECT_EQ(nullable.getNestedColumn().size(), 2U);
    EXPECT_ERROR(48, "Nullable", other->getDataAt(0));
}

TEST(ColumnNullable, AppendsNothingWhenTheValueCannotBeRead)
{
    const DataTypePtr type = parseDataType("Nullable(Int8)");
    const MutableColumnPtr column = columnFromText(*type, {"5"});
    EXPECT_ERROR(72, "out of range", type->deserializeTextEscaped(*column, "128"));
    EXPECT_ERROR(72, "NUL", type->deserializeTextEscaped(*column, "NUL"));
    for (const std::string_view bytes : {std::string_view(""), std::string_view("\0", 1), std::string_view("\2", 1)})
    {
        ReadBufferFromMemory in(bytes);
        EXPECT_THROW(type->deserializeBinary(*column, in), Exception);
        ReadBufferFromMemory again(bytes);
        EXPECT_THROW(type->deserializeBinaryBulk(*column, again, 1), Exception);
    }
    EXPECT_EQ(column->size(), 1U);
    EXPECT_EQ(static_cast<const ColumnNullable &>(*column).getNestedColumn().size(), 1U);
}

TEST(Columns, AppendTheirTypesDefaults)
{
    for (const auto & [name, text] : std::vector<std::pair<std::string, std::string>>{
             {"UInt64", "0"}, {"Float64", "0"}, {"String", ""}, {"Array(UInt8)", "[]"}, {"Nullable(String)", "\\N"}})
    {
        const DataTypePtr type = parseDataType(name);
        const MutableColumnPtr column = type->createColumn();
        column->insertDefault();
        EXPECT_EQ(textOf(*type, *column, 0), text) << name;
    }
    const DataTypePtr type = parseDataType("AggregateFunction(groupBitmap, UInt8)");
    const MutableColumnPtr column = type->createColumn();
    column->insertDefault();
    EXPECT_EQ(binaryOf(*type, *column, 0), std::string("\0\0", 2));
}
