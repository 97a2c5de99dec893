#include "../AggregateFunctions/RoaringBitmapFunctions.h"
#include "../Columns/ColumnArray.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeArray.h"
#include "BitmapArguments.h"
#include "FunctionFactory.h"
#include "registerFunctions.h"

namespace DB::inline statewire
{

namespace
{

struct Cardinality
{
    static constexpr std::string_view NAME = "bitmapCardinality";
    template <typename T>
    static UInt64 apply(const RoaringBitmapState<T> & bitmap)
    {
        return bitmap.cardinality();
    }
};

/// The smallest value, of T read as unsigned: 253 for the Int8 values -1, -2, -3.
struct Minimum
{
    static constexpr std::string_view NAME = "bitmapMin";
    template <typename T>
    static UInt64 apply(const RoaringBitmapState<T> & bitmap)
    {
        return BitmapFunctions<T>::minimum(bitmap);
    }
};

/// The largest value, of T read as unsigned.
struct Maximum
{
    static constexpr std::string_view NAME = "bitmapMax";
    template <typename T>
    static UInt64 apply(const RoaringBitmapState<T> & bitmap)
    {
        return BitmapFunctions<T>::maximum(bitmap);
    }
};

/// f(bitmap) -> UInt64.
template <typename Operation>
class FunctionBitmapToNumber final : public IFunction
{
public:
    [[nodiscard]] std::string getName() const override { return std::string(Operation::NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(Operation::NAME, argument_types, 1);
        static_cast<void>(requireBitmap(Operation::NAME, argument_types, 0));
        return std::make_shared<DataTypeUInt64>();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchInteger(bitmapElementType(arguments[0]), [&]<typename T>() {
            const StatesArgument<RoaringBitmapState<T>> bitmaps(arguments[0]);
            result = makeNumbers<UInt64>(arguments, rows, [&](size_t row) { return Operation::apply(bitmaps[row]); });
        });
        return result;
    }
};

/** f(bitmap, number) -> Result: a look into the bitmap. A constant bitmap that is looked into often gets a directory first. */
template <typename Question>
class FunctionBitmapProbe final : public IFunction
{
public:
    [[nodiscard]] std::string getName() const override { return std::string(Question::NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(Question::NAME, argument_types, 2);
        static_cast<void>(requireBitmap(Question::NAME, argument_types, 0));
        requireInteger(Question::NAME, argument_types, 1, Question::IS_UNSIGNED);
        return std::make_shared<DataTypeNumber<typename Question::Result>>();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        using Result = typename Question::Result;
        ColumnPtr result;
        dispatchInteger(bitmapElementType(arguments[0]), [&]<typename T>() {
            const StatesArgument<RoaringBitmapState<T>> bitmaps(arguments[0]);
            if (arguments[0].is_constant && distinctRows(arguments, rows) > 1)
            {
                const RoaringBitmapProbe<T> probe(bitmaps[0]);
                result = makeNumbers<Result>(
                    arguments, rows, [&](size_t row) { return Question::ask(probe, integerAt(arguments[1], row)); });
            }
            else
                result = makeNumbers<Result>(arguments, rows, [&](size_t row) {
                    return Question::ask(RoaringBitmapProbe<T>(bitmaps[row], false), integerAt(arguments[1], row));
                });
        });
        return result;
    }
};

/** bitmapContains(bitmap, x), x of any integer type. A number stands for the value of T with the same bits, as in ClickHouse: 255 finds
  * Int8 -1; and a negative number for that value of T. What T cannot hold in either way is in no bitmap.
  */
struct Contains
{
    static constexpr std::string_view NAME = "bitmapContains";
    static constexpr bool IS_UNSIGNED = false;
    using Result = UInt8;
    template <typename T>
    static UInt8 ask(const RoaringBitmapProbe<T> & bitmap, WideInteger x)
    {
        const std::optional<UInt64> number = bitmapNumber<T>(x);
        return number && bitmap.contains(*number);
    }
};

/// bitmapRank(bitmap, x): values that are at most x.
struct Rank
{
    static constexpr std::string_view NAME = "bitmapRank";
    static constexpr bool IS_UNSIGNED = true;
    using Result = UInt64;
    static UInt64 ask(const auto & bitmap, WideInteger x) { return bitmap.rank(x.bits); }
};

/// bitmapSelect(bitmap, index): the value that has `index` smaller ones, as bitmapMin gives values; ARGUMENT_OUT_OF_BOUND without one.
struct Select
{
    static constexpr std::string_view NAME = "bitmapSelect";
    static constexpr bool IS_UNSIGNED = true;
    using Result = UInt64;
    static UInt64 ask(const auto & bitmap, WideInteger x) { return bitmap.select(x.bits); }
};

/** bitmapToArray(bitmap) -> Array(T), in ascending order of T read as unsigned, whatever the bitmap's size. More elements than
  * FunctionLimits::max_array_elements in one result are MEMORY_LIMIT_EXCEEDED, before any of that row is made.
  */
class FunctionBitmapToArray final : public IFunction
{
public:
    static constexpr std::string_view NAME = "bitmapToArray";

    explicit FunctionBitmapToArray(const FunctionLimits & limits_) : limits(limits_) { }

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 1);
        DataTypePtr element;
        const TypeIndex element_type = requireBitmap(NAME, argument_types, 0);
        dispatchInteger(element_type, [&]<typename T>() { element = std::make_shared<DataTypeNumber<T>>(); });
        return std::make_shared<DataTypeArray>(element);
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchInteger(bitmapElementType(arguments[0]), [&]<typename T>() {
            const StatesArgument<RoaringBitmapState<T>> bitmaps(arguments[0]);
            auto arrays = std::make_shared<ColumnArray>(std::make_unique<ColumnVector<T>>());
            auto & values = static_cast<ColumnVector<T> &>(arrays->getData()).getData();
            for (size_t row = 0; row < rows; ++row)
            {
                const UInt64 cardinality = bitmaps[row].cardinality();
                if (cardinality > limits.max_array_elements - values.size())
                    throwError(
                        ErrorCodes::MEMORY_LIMIT_EXCEEDED,
                        concat(
                            "Function ", NAME, " would make more than ", limits.max_array_elements, " array elements: row ", row, " has ",
                            cardinality, " behind ", values.size(), " of earlier rows"));
                bitmaps[row].appendTo(values);
                arrays->closeRow();
            }
            result = std::move(arrays);
        });
        return result;
    }

private:
    FunctionLimits limits;
};

/// bitmapBuild(Array(T)) -> AggregateFunction(groupBitmap, T), T an integer type.
class FunctionBitmapBuild final : public IFunction
{
public:
    static constexpr std::string_view NAME = "bitmapBuild";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 1);
        const DataTypePtr element = elementType(*argument_types[0]);
        if (!element || !dispatchInteger(element->getTypeId(), []<typename T>() { }))
            throwIllegalArgument(NAME, 0, "an array of integers", *argument_types[0]);
        return bitmapFunction(element)->getStateType();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const auto & arrays = static_cast<const ColumnArray &>(*arguments[0].column);
        ColumnPtr result;
        dispatchInteger(elementType(*arguments[0].type)->getTypeId(), [&]<typename T>() {
            const T * values = static_cast<const ColumnVector<T> &>(arrays.getData()).getData().data();
            result = makeBitmaps<T>(arguments, rows, [&](size_t row) {
                const size_t from = arguments[0].at(row);
                return BitmapFunctions<T>::build({values + arrays.offsetAt(from), arrays.sizeAt(from)});
            });
        });
        return result;
    }

private:
    [[nodiscard]] static DataTypePtr elementType(const IDataType & type)
    {
        return type.getTypeId() == TypeIndex::Array ? static_cast<const DataTypeArray &>(type).getNestedType() : nullptr;
    }
};

}

void registerFunctionsBitmap(FunctionFactory & factory, const FunctionLimits & limits)
{
    factory.registerFunction(std::make_shared<FunctionBitmapToNumber<Cardinality>>());
    factory.registerFunction(std::make_shared<FunctionBitmapToNumber<Minimum>>());
    factory.registerFunction(std::make_shared<FunctionBitmapToNumber<Maximum>>());
    factory.registerFunction(std::make_shared<FunctionBitmapProbe<Contains>>());
    factory.registerFunction(std::make_shared<FunctionBitmapProbe<Rank>>());
    factory.registerFunction(std::make_shared<FunctionBitmapProbe<Select>>());
    factory.registerFunction(std::make_shared<FunctionBitmapToArray>(limits));
    factory.registerFunction(std::make_shared<FunctionBitmapBuild>());
}

}
