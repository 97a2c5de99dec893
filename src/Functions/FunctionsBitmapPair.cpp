#include "../AggregateFunctions/RoaringBitmapFunctions.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/dispatchNumber.h"
#include "BitmapArguments.h"
#include "FunctionFactory.h"
#include "registerFunctions.h"

namespace DB::inline statewire
{

namespace
{

/// Two bitmaps of one element type, or ILLEGAL_TYPE_OF_ARGUMENT. Gives that type.
TypeIndex requireBitmapPair(std::string_view function, const DataTypes & types)
{
    requireArguments(function, types, 2);
    const TypeIndex element = requireBitmap(function, types, 0);
    if (element != requireBitmap(function, types, 1))
        throwError(
            ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
            concat("The two bitmaps of function ", function, " must have the same element type, not ", types[0]->getName(), " and ",
                   types[1]->getName()));
    return element;
}

/// f(bitmap, bitmap) -> a bitmap.
class FunctionBitmapCombine final : public IFunction
{
public:
    FunctionBitmapCombine(std::string_view name_, SetOperation operation_) : name(name_), operation(operation_) { }

    [[nodiscard]] std::string getName() const override { return std::string(name); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        return bitmapFunction(requireBitmapPair(name, argument_types))->getStateType();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchInteger(bitmapElementType(arguments[0]), [&]<typename T>() {
            const StatesArgument<RoaringBitmapState<T>> left(arguments[0]);
            const StatesArgument<RoaringBitmapState<T>> right(arguments[1]);
            result = makeBitmaps<T>(
                arguments, rows, [&](size_t row) { return RoaringBitmapState<T>::combine(operation, left[row], right[row]); });
        });
        return result;
    }

private:
    std::string_view name;
    SetOperation operation;
};

/// f(bitmap, bitmap) -> Result, computed by `apply.template operator()<T>(a, b)`.
template <typename Result, typename Apply>
class FunctionBitmapPairToNumber final : public IFunction
{
public:
    FunctionBitmapPairToNumber(std::string_view name_, Apply apply_) : name(name_), apply(std::move(apply_)) { }

    [[nodiscard]] std::string getName() const override { return std::string(name); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        static_cast<void>(requireBitmapPair(name, argument_types));
        return std::make_shared<DataTypeNumber<Result>>();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchInteger(bitmapElementType(arguments[0]), [&]<typename T>() {
            const StatesArgument<RoaringBitmapState<T>> left(arguments[0]);
            const StatesArgument<RoaringBitmapState<T>> right(arguments[1]);
            result = makeNumbers<Result>(
                arguments, rows, [&](size_t row) { return Result{apply.template operator()<T>(left[row], right[row])}; });
        });
        return result;
    }

private:
    std::string_view name;
    Apply apply;
};

template <typename Result, typename Apply>
void registerToNumber(FunctionFactory & factory, std::string_view name, Apply apply)
{
    factory.registerFunction(std::make_shared<FunctionBitmapPairToNumber<Result, Apply>>(name, std::move(apply)));
}

}

void registerFunctionsBitmapPair(FunctionFactory & factory)
{
    struct Combination
    {
        std::string_view name;
        std::string_view cardinality_name;
        SetOperation operation;
    };
    for (const Combination & combination : {
             Combination{"bitmapAnd", "bitmapAndCardinality", SetOperation::And},
             Combination{"bitmapOr", "bitmapOrCardinality", SetOperation::Or},
             Combination{"bitmapXor", "bitmapXorCardinality", SetOperation::Xor},
             Combination{"bitmapAndnot", "bitmapAndnotCardinality", SetOperation::AndNot},
         })
    {
        factory.registerFunction(std::make_shared<FunctionBitmapCombine>(combination.name, combination.operation));
        registerToNumber<UInt64>(
            factory, combination.cardinality_name,
            [operation = combination.operation]<typename T>(const RoaringBitmapState<T> & a, const RoaringBitmapState<T> & b) {
                return RoaringBitmapState<T>::combinedCardinality(operation, a, b);
            });
    }
    /// False for an empty bitmap on either side.
    registerToNumber<UInt8>(
        factory, "bitmapHasAny", []<typename T>(const RoaringBitmapState<T> & a, const RoaringBitmapState<T> & b) {
            return BitmapFunctions<T>::hasAny(a, b);
        });
    /// True for an empty second bitmap.
    registerToNumber<UInt8>(
        factory, "bitmapHasAll", []<typename T>(const RoaringBitmapState<T> & a, const RoaringBitmapState<T> & b) {
            return BitmapFunctions<T>::hasAll(a, b);
        });
    registerToNumber<Float64>(
        factory, "bitmapJaccard", []<typename T>(const RoaringBitmapState<T> & a, const RoaringBitmapState<T> & b) {
            return BitmapFunctions<T>::jaccard(a, b);
        });
}

}
