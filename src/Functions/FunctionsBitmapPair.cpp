#include "../AggregateFunctions/RoaringBitmapFunctions.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/dispatchNumber.h"
#include "FunctionArguments.h"
#include "FunctionFactory.h"
#include "registerFunctions.h"

namespace DB::inline statewire
{

namespace
{

/// Two bitmaps of one element type, or ILLEGAL_TYPE_OF_ARGUMENT.
void requireBitmapPair(std::string_view function, const DataTypes & types)
{
    requireArguments(function, types, 2);
    if (requireBitmap(function, types, 0) != requireBitmap(function, types, 1))
        throwError(
            ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
            concat("The two bitmaps of function ", function, " must have the same element type, not ", types[0]->getName(), " and ",
                   types[1]->getName()));
}

struct And
{
    static constexpr std::string_view NAME = "bitmapAnd";
    template <typename T>
    static RoaringBitmapState<T> apply(const RoaringBitmapState<T> & a, const RoaringBitmapState<T> & b)
    {
        return RoaringBitmapState<T>::bitmapAnd(a, b);
    }
};

struct Or
{
    static constexpr std::string_view NAME = "bitmapOr";
    template <typename T>
    static RoaringBitmapState<T> apply(const RoaringBitmapState<T> & a, const RoaringBitmapState<T> & b)
    {
        return RoaringBitmapState<T>::bitmapOr(a, b);
    }
};

struct Xor
{
    static constexpr std::string_view NAME = "bitmapXor";
    template <typename T>
    static RoaringBitmapState<T> apply(const RoaringBitmapState<T> & a, const RoaringBitmapState<T> & b)
    {
        return RoaringBitmapState<T>::bitmapXor(a, b);
    }
};

struct AndNot
{
    static constexpr std::string_view NAME = "bitmapAndnot";
    template <typename T>
    static RoaringBitmapState<T> apply(const RoaringBitmapState<T> & a, const RoaringBitmapState<T> & b)
    {
        return RoaringBitmapState<T>::bitmapAndNot(a, b);
    }
};

struct AndCardinality
{
    using Result = UInt64;
    static constexpr std::string_view NAME = "bitmapAndCardinality";
    static UInt64 apply(const auto & a, const auto & b) { return a.andCardinality(b); }
};

struct OrCardinality
{
    using Result = UInt64;
    static constexpr std::string_view NAME = "bitmapOrCardinality";
    static UInt64 apply(const auto & a, const auto & b) { return a.orCardinality(b); }
};

struct XorCardinality
{
    using Result = UInt64;
    static constexpr std::string_view NAME = "bitmapXorCardinality";
    static UInt64 apply(const auto & a, const auto & b) { return a.xorCardinality(b); }
};

struct AndNotCardinality
{
    using Result = UInt64;
    static constexpr std::string_view NAME = "bitmapAndnotCardinality";
    static UInt64 apply(const auto & a, const auto & b) { return a.andNotCardinality(b); }
};

/// False for an empty bitmap on either side.
struct HasAny
{
    using Result = UInt8;
    static constexpr std::string_view NAME = "bitmapHasAny";
    template <typename T>
    static UInt8 apply(const RoaringBitmapState<T> & a, const RoaringBitmapState<T> & b)
    {
        return BitmapFunctions<T>::hasAny(a, b);
    }
};

/// True for an empty second bitmap.
struct HasAll
{
    using Result = UInt8;
    static constexpr std::string_view NAME = "bitmapHasAll";
    template <typename T>
    static UInt8 apply(const RoaringBitmapState<T> & a, const RoaringBitmapState<T> & b)
    {
        return BitmapFunctions<T>::hasAll(a, b);
    }
};

/// f(bitmap, bitmap) -> a number.
template <typename Operation>
class FunctionBitmapPairToNumber final : public IFunction
{
public:
    [[nodiscard]] std::string getName() const override { return std::string(Operation::NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireBitmapPair(Operation::NAME, argument_types);
        return std::make_shared<DataTypeNumber<typename Operation::Result>>();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchInteger(bitmapElementType(arguments[0]), [&]<typename T>() {
            const StatesArgument<RoaringBitmapState<T>> left(arguments[0]);
            const StatesArgument<RoaringBitmapState<T>> right(arguments[1]);
            result = makeNumbers<typename Operation::Result>(
                arguments, rows, [&](size_t row) { return Operation::apply(left[row], right[row]); });
        });
        return result;
    }
};

/// f(bitmap, bitmap) -> a bitmap, always as AggregateFunction(groupBitmap, T).
template <typename Operation>
class FunctionBitmapPairToBitmap final : public IFunction
{
public:
    [[nodiscard]] std::string getName() const override { return std::string(Operation::NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireBitmapPair(Operation::NAME, argument_types);
        return resultFunction(*argument_types[0]).getStateType();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        auto result = std::make_shared<ColumnAggregateFunction>(resultFunction(*arguments[0].type).shared_from_this());
        dispatchInteger(bitmapElementType(arguments[0]), [&]<typename T>() {
            const StatesArgument<RoaringBitmapState<T>> left(arguments[0]);
            const StatesArgument<RoaringBitmapState<T>> right(arguments[1]);
            const size_t distinct = distinctRows(arguments, rows);
            for (size_t row = 0; row < distinct; ++row)
            {
                RoaringBitmapState<T> combined = Operation::apply(left[row], right[row]);
                *std::launder(reinterpret_cast<RoaringBitmapState<T> *>(result->insertDefault())) = std::move(combined);
            }
            for (size_t row = distinct; row < rows; ++row)
                result->insertFrom(*result, 0);
        });
        return result;
    }

private:
    [[nodiscard]] static const IAggregateFunction & resultFunction(const IDataType & type)
    {
        return static_cast<const DataTypeAggregateFunction &>(type).getFunction()->getBaseAggregateFunctionWithSameStateRepresentation();
    }
};

}

void registerFunctionsBitmapPair(FunctionFactory & factory)
{
    factory.registerFunction(std::make_shared<FunctionBitmapPairToBitmap<And>>());
    factory.registerFunction(std::make_shared<FunctionBitmapPairToBitmap<Or>>());
    factory.registerFunction(std::make_shared<FunctionBitmapPairToBitmap<Xor>>());
    factory.registerFunction(std::make_shared<FunctionBitmapPairToBitmap<AndNot>>());
    factory.registerFunction(std::make_shared<FunctionBitmapPairToNumber<AndCardinality>>());
    factory.registerFunction(std::make_shared<FunctionBitmapPairToNumber<OrCardinality>>());
    factory.registerFunction(std::make_shared<FunctionBitmapPairToNumber<XorCardinality>>());
    factory.registerFunction(std::make_shared<FunctionBitmapPairToNumber<AndNotCardinality>>());
    factory.registerFunction(std::make_shared<FunctionBitmapPairToNumber<HasAny>>());
    factory.registerFunction(std::make_shared<FunctionBitmapPairToNumber<HasAll>>());
}

}
