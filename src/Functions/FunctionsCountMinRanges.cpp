#include "../AggregateFunctions/AggregateFunctionCountMinRanges.h"
#include "../AggregateFunctions/CountMinRangesState.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/dispatchNumber.h"
#include "FunctionArguments.h"
#include "FunctionFactory.h"
#include "registerFunctions.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace DB::inline statewire
{

namespace
{

std::optional<TypeIndex> rangesValueTypeOf(const IDataType & type)
{
    if (type.getTypeId() != TypeIndex::AggregateFunction)
        return std::nullopt;
    return countMinRangesValueType(*static_cast<const DataTypeAggregateFunction &>(type).getFunction());
}

TypeIndex requireRanges(std::string_view function, const DataTypes & types)
{
    const std::optional<TypeIndex> value = rangesValueTypeOf(*types[0]);
    if (!value)
        throwIllegalArgument(function, 0, "count-min ranges, AggregateFunction(countMinRanges(...), T)", *types[0]);
    return *value;
}

/// An end of a range, moved into the domain of T: the nearest value, and whether it was outside and on which side (-1, 0, 1).
struct RangeEnd
{
    UInt64 value;
    int outside;
};

template <typename T>
RangeEnd rangeEnd(WideInteger given)
{
    if (given.is_negative)
    {
        if constexpr (std::is_signed_v<T>)
            if (static_cast<Int64>(given.bits) >= std::numeric_limits<T>::min())
                return {toRangesValue(static_cast<T>(given.bits)), 0};
        return {toRangesValue(std::numeric_limits<T>::min()), -1};
    }
    if (given.bits > static_cast<UInt64>(std::numeric_limits<T>::max()))
        return {toRangesValue(std::numeric_limits<T>::max()), 1};
    return {toRangesValue(static_cast<T>(given.bits)), 0};
}

/// The weight of the values in the closed range [first, last]: at least the truth.
struct Count
{
    static constexpr std::string_view NAME = "countMinRangesCount";
    static UInt64 apply(const CountMinRangesState & ranges, UInt64 first, UInt64 last) { return ranges.count(first, last); }
};

/// At most the truth, with the confidence that the sketches' rows give for each interval of the range.
struct LowerBound
{
    static constexpr std::string_view NAME = "countMinRangesLowerBound";
    static UInt64 apply(const CountMinRangesState & ranges, UInt64 first, UInt64 last) { return ranges.lowerBound(first, last); }
};

/// f(ranges, first, last) -> UInt64. The ends are integers of any type; what is outside the values' type is empty.
template <typename Operation>
class FunctionCountMinRangesOfRange final : public IFunction
{
public:
    [[nodiscard]] std::string getName() const override { return std::string(Operation::NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(Operation::NAME, argument_types, 3);
        static_cast<void>(requireRanges(Operation::NAME, argument_types));
        for (size_t i = 1; i < 3; ++i)
            if (!dispatchInteger(argument_types[i]->getTypeId(), []<typename T>() {}))
                throwIllegalArgument(Operation::NAME, i, "an integer", *argument_types[i]);
        return std::make_shared<DataTypeUInt64>();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const StatesArgument<CountMinRangesState> states(arguments[0]);
        ColumnPtr result;
        dispatchInteger(rangesValueTypeOf(*arguments[0].type).value(), [&]<typename T>() {
            result = makeNumbers<UInt64>(arguments, rows, [&](size_t row) -> UInt64 {
                const RangeEnd first = rangeEnd<T>(integerAt(arguments[1], row));
                const RangeEnd last = rangeEnd<T>(integerAt(arguments[2], row));
                return first.outside > 0 || last.outside < 0 ? 0 : Operation::apply(states[row], first.value, last.value);
            });
        });
        return result;
    }
};

/// countMinRangesQuantile(ranges, level): a value of the values' type whose count from the smallest one reaches the level-th part of the total.
class FunctionCountMinRangesQuantile final : public IFunction
{
public:
    static constexpr std::string_view NAME = "countMinRangesQuantile";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 2);
        const TypeIndex value = requireRanges(NAME, argument_types);
        if (sizeOfNumber(argument_types[1]->getTypeId()) == 0)
            throwIllegalArgument(NAME, 1, "a number, the level", *argument_types[1]);
        DataTypePtr type;
        dispatchInteger(value, [&]<typename T>() { type = std::make_shared<DataTypeNumber<T>>(); });
        return type;
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const StatesArgument<CountMinRangesState> states(arguments[0]);
        ColumnPtr result;
        dispatchInteger(rangesValueTypeOf(*arguments[0].type).value(), [&]<typename T>() {
            result = makeNumbers<T>(arguments, rows, [&](size_t row) {
                /// Nothing has no quantile: the type's 0, as for any number without a value.
                if (states[row].total() == 0)
                    return T{0};
                return fromRangesValue<T>(states[row].quantile(numberAsFloat(arguments[1], row)));
            });
        });
        return result;
    }
};

}

void registerFunctionsCountMinRanges(FunctionFactory & factory)
{
    factory.registerFunction(std::make_shared<FunctionCountMinRangesOfRange<Count>>());
    factory.registerFunction(std::make_shared<FunctionCountMinRangesOfRange<LowerBound>>());
    factory.registerFunction(std::make_shared<FunctionCountMinRangesQuantile>());
}

}
