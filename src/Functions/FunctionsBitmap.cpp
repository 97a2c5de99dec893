#include "../AggregateFunctions/AggregateFunctionFactory.h"
#include "../AggregateFunctions/RoaringBitmapFunctions.h"
#include "../Columns/ColumnArray.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeArray.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/dispatchNumber.h"
#include "FunctionArguments.h"
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

/** bitmapContains(bitmap, x) -> UInt8, x of any integer type. A number stands for the value of T with the same bits, as in ClickHouse: 255
  * finds Int8 -1; and a negative number for that value of T. What T cannot hold in either way is in no bitmap.
  */
class FunctionBitmapContains final : public IFunction
{
public:
    static constexpr std::string_view NAME = "bitmapContains";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 2);
        static_cast<void>(requireBitmap(NAME, argument_types, 0));
        if (!dispatchInteger(argument_types[1]->getTypeId(), []<typename T>() { }))
            throwIllegalArgument(NAME, 1, "an integer", *argument_types[1]);
        return std::make_shared<DataTypeUInt8>();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchInteger(bitmapElementType(arguments[0]), [&]<typename T>() {
            const StatesArgument<RoaringBitmapState<T>> bitmaps(arguments[0]);
            result = makeNumbers<UInt8>(arguments, rows, [&](size_t row) -> UInt8 {
                const WideInteger x = integerAt(arguments[1], row);
                if (!x.is_negative)
                    return BitmapFunctions<T>::contains(bitmaps[row], x.bits);
                const auto value = static_cast<T>(x.bits);
                return std::is_signed_v<T> && static_cast<UInt64>(value) == x.bits && bitmaps[row].contains(value);
            });
        });
        return result;
    }
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
        return resultFunction(element)->getStateType();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const DataTypePtr element = elementType(*arguments[0].type);
        const auto & arrays = static_cast<const ColumnArray &>(*arguments[0].column);
        auto result = std::make_shared<ColumnAggregateFunction>(resultFunction(element));
        dispatchInteger(element->getTypeId(), [&]<typename T>() {
            const T * values = static_cast<const ColumnVector<T> &>(arrays.getData()).getData().data();
            for (size_t row = 0; row < rows; ++row)
            {
                const size_t from = arguments[0].at(row);
                auto * bitmap = std::launder(reinterpret_cast<RoaringBitmapState<T> *>(result->insertDefault()));
                bitmap->addBatch(values + arrays.offsetAt(from), arrays.sizeAt(from));
            }
        });
        return result;
    }

private:
    [[nodiscard]] static DataTypePtr elementType(const IDataType & type)
    {
        return type.getTypeId() == TypeIndex::Array ? static_cast<const DataTypeArray &>(type).getNestedType() : nullptr;
    }
    [[nodiscard]] static AggregateFunctionPtr resultFunction(const DataTypePtr & element)
    {
        return defaultAggregateFunctionFactory().get("groupBitmap", {element});
    }
};

}

void registerFunctionsBitmap(FunctionFactory & factory, const FunctionLimits & limits)
{
    factory.registerFunction(std::make_shared<FunctionBitmapToNumber<Cardinality>>());
    factory.registerFunction(std::make_shared<FunctionBitmapToNumber<Minimum>>());
    factory.registerFunction(std::make_shared<FunctionBitmapToNumber<Maximum>>());
    factory.registerFunction(std::make_shared<FunctionBitmapContains>());
    factory.registerFunction(std::make_shared<FunctionBitmapToArray>(limits));
    factory.registerFunction(std::make_shared<FunctionBitmapBuild>());
}

}
