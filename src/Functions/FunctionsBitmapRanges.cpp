#include "../AggregateFunctions/RoaringBitmapFunctions.h"
#include "../Columns/ColumnArray.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeArray.h"
#include "BitmapArguments.h"
#include "FunctionFactory.h"
#include "registerFunctions.h"

#include <vector>

namespace DB::inline statewire
{

namespace
{

/// The number of an argument that is an unsigned integer.
UInt64 numberAt(const ColumnWithType & argument, size_t row)
{
    return integerAt(argument, row).bits;
}

/// A bitmap and two unsigned integers, or an error. Gives the element type.
TypeIndex requireBitmapAndTwoNumbers(std::string_view function, const DataTypes & types)
{
    requireArguments(function, types, 3);
    const TypeIndex element = requireBitmap(function, types, 0);
    requireInteger(function, types, 1, true);
    requireInteger(function, types, 2, true);
    return element;
}

/// f(bitmap, number, number) -> a bitmap, computed by `apply.template operator()<T>(bitmap, x, y)`.
template <typename Apply>
class FunctionBitmapCut final : public IFunction
{
public:
    FunctionBitmapCut(std::string_view name_, Apply apply_) : name(name_), apply(std::move(apply_)) { }

    [[nodiscard]] std::string getName() const override { return std::string(name); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        return bitmapFunction(requireBitmapAndTwoNumbers(name, argument_types))->getStateType();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchInteger(bitmapElementType(arguments[0]), [&]<typename T>() {
            const StatesArgument<RoaringBitmapState<T>> bitmaps(arguments[0]);
            result = makeBitmaps<T>(arguments, rows, [&](size_t row) {
                return apply.template operator()<T>(bitmaps[row], numberAt(arguments[1], row), numberAt(arguments[2], row));
            });
        });
        return result;
    }

private:
    std::string_view name;
    Apply apply;
};

/// bitmapRangeCardinality(bitmap, start, end) -> UInt64: how many values are in [start, end).
class FunctionBitmapRangeCardinality final : public IFunction
{
public:
    static constexpr std::string_view NAME = "bitmapRangeCardinality";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        static_cast<void>(requireBitmapAndTwoNumbers(NAME, argument_types));
        return std::make_shared<DataTypeUInt64>();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchInteger(bitmapElementType(arguments[0]), [&]<typename T>() {
            const StatesArgument<RoaringBitmapState<T>> bitmaps(arguments[0]);
            result = makeNumbers<UInt64>(arguments, rows, [&](size_t row) {
                return BitmapFunctions<T>::rangeCardinality(bitmaps[row], numberAt(arguments[1], row), numberAt(arguments[2], row));
            });
        });
        return result;
    }
};

/// bitmapShift(bitmap, distance) -> a bitmap, distance any integer: every value moved; what leaves the numbers of T is dropped.
class FunctionBitmapShift final : public IFunction
{
public:
    static constexpr std::string_view NAME = "bitmapShift";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 2);
        const TypeIndex element = requireBitmap(NAME, argument_types, 0);
        requireInteger(NAME, argument_types, 1, false);
        return bitmapFunction(element)->getStateType();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchInteger(bitmapElementType(arguments[0]), [&]<typename T>() {
            const StatesArgument<RoaringBitmapState<T>> bitmaps(arguments[0]);
            result = makeBitmaps<T>(arguments, rows, [&](size_t row) {
                const WideInteger distance = integerAt(arguments[1], row);
                return BitmapFunctions<T>::shift(
                    bitmaps[row], distance.is_negative ? UInt64{0} - distance.bits : distance.bits, distance.is_negative);
            });
        });
        return result;
    }
};

/** bitmapTransform(bitmap, from, to) -> a bitmap; from and to are arrays of integers of equal length. Replaces from[i] by to[i], one pair
  * after another, so that a later pair sees what an earlier one put in. Numbers are those of bitmapContains. What T cannot hold is in no
  * bitmap as `from`, and BAD_ARGUMENTS as `to`.
  */
class FunctionBitmapTransform final : public IFunction
{
public:
    static constexpr std::string_view NAME = "bitmapTransform";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 3);
        const TypeIndex element = requireBitmap(NAME, argument_types, 0);
        for (const size_t i : {1, 2})
            if (!dispatchInteger(nestedType(*argument_types[i]), []<typename T>() { }))
                throwIllegalArgument(NAME, i, "an array of integers", *argument_types[i]);
        return bitmapFunction(element)->getStateType();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchInteger(bitmapElementType(arguments[0]), [&]<typename T>() {
            const StatesArgument<RoaringBitmapState<T>> bitmaps(arguments[0]);
            result = makeBitmaps<T>(arguments, rows, [&](size_t row) {
                const std::vector<WideInteger> from = integersAt(arguments[1], row);
                const std::vector<WideInteger> to = integersAt(arguments[2], row);
                if (from.size() != to.size())
                    detail::throwTransformSizesDiffer(from.size(), to.size());
                std::vector<T> replaced;
                std::vector<T> by;
                for (size_t i = 0; i < from.size(); ++i)
                {
                    const auto old_number = bitmapNumber<T>(from[i]);
                    const auto new_number = bitmapNumber<T>(to[i]);
                    if (!new_number)
                        throwOutside(to[i], DataTypeNumber<T>(), row);
                    if (!old_number)
                        continue;
                    replaced.push_back(static_cast<T>(*old_number));
                    by.push_back(static_cast<T>(*new_number));
                }
                return BitmapFunctions<T>::transform(bitmaps[row], replaced, by);
            });
        });
        return result;
    }

private:
    /// TypeIndex of an array's elements; the array's own, which is no integer, for other types.
    [[nodiscard]] static TypeIndex nestedType(const IDataType & type)
    {
        return type.getTypeId() == TypeIndex::Array ? static_cast<const DataTypeArray &>(type).getNestedType()->getTypeId() : TypeIndex::Array;
    }

    [[nodiscard]] static std::vector<WideInteger> integersAt(const ColumnWithType & argument, size_t row)
    {
        const auto & arrays = static_cast<const ColumnArray &>(*argument.column);
        const size_t at = argument.at(row);
        std::vector<WideInteger> result;
        dispatchInteger(nestedType(*argument.type), [&]<typename T>() {
            const T * values = static_cast<const ColumnVector<T> &>(arrays.getData()).getData().data() + arrays.offsetAt(at);
            for (size_t i = 0; i < arrays.sizeAt(at); ++i)
                result.push_back({static_cast<UInt64>(values[i]), values[i] < T{0}});
        });
        return result;
    }

    [[noreturn]] static void throwOutside(WideInteger x, const IDataType & element, size_t row)
    {
        const std::string number = x.is_negative ? concat(static_cast<Int64>(x.bits)) : concat(x.bits);
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat("Function ", NAME, " would put ", number, " into a bitmap of ", element.getName(), ", which cannot hold it, in row ", row));
    }
};

template <typename Apply>
void registerCut(FunctionFactory & factory, std::string_view name, Apply apply)
{
    factory.registerFunction(std::make_shared<FunctionBitmapCut<Apply>>(name, std::move(apply)));
}

}

void registerFunctionsBitmapRanges(FunctionFactory & factory)
{
    /// (bitmap, start, end): the values in [start, end).
    registerCut(factory, "bitmapSubsetInRange", []<typename T>(const RoaringBitmapState<T> & bitmap, UInt64 start, UInt64 end) {
        return BitmapFunctions<T>::subsetInRange(bitmap, start, end);
    });
    /// (bitmap, start, n): the n smallest values that are at least start.
    registerCut(factory, "bitmapSubsetLimit", []<typename T>(const RoaringBitmapState<T> & bitmap, UInt64 start, UInt64 limit) {
        return BitmapFunctions<T>::subsetLimit(bitmap, start, limit);
    });
    /// (bitmap, offset, n): n values from the one that has `offset` smaller ones on.
    registerCut(factory, "subBitmap", []<typename T>(const RoaringBitmapState<T> & bitmap, UInt64 offset, UInt64 limit) {
        return BitmapFunctions<T>::subBitmap(bitmap, offset, limit);
    });
    /// (bitmap, start, end): the numbers of [start, end) that are not in the bitmap, and its values outside of that range.
    registerCut(factory, "bitmapFlip", []<typename T>(const RoaringBitmapState<T> & bitmap, UInt64 start, UInt64 end) {
        return BitmapFunctions<T>::flip(bitmap, start, end);
    });
    factory.registerFunction(std::make_shared<FunctionBitmapRangeCardinality>());
    factory.registerFunction(std::make_shared<FunctionBitmapShift>());
    factory.registerFunction(std::make_shared<FunctionBitmapTransform>());
}

}
