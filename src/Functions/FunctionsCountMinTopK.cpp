#include "../AggregateFunctions/AggregateFunctionCountMinTopK.h"
#include "../AggregateFunctions/CountMinTopKState.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "../DataTypes/dispatchNumber.h"
#include "FunctionArguments.h"
#include "FunctionFactory.h"
#include "registerFunctions.h"

#include <limits>

namespace DB::inline statewire
{

namespace
{

std::optional<CountMinTopKArguments> topKArgumentsOf(const IDataType & type)
{
    if (type.getTypeId() != TypeIndex::AggregateFunction)
        return std::nullopt;
    return countMinTopKArguments(*static_cast<const DataTypeAggregateFunction &>(type).getFunction());
}

/// countMinTopKResult(state[, n]): what the aggregate function answers, its k keys that weigh most, or another number of them: of at most as many
/// as the state keeps candidates.
class FunctionCountMinTopKResult final : public IFunction
{
public:
    static constexpr std::string_view NAME = "countMinTopKResult";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        if (argument_types.empty() || argument_types.size() > 2)
            throwError(
                ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                concat("Function ", NAME, " takes one or two arguments (state[, n]), not ", argument_types.size()));
        const std::optional<CountMinTopKArguments> top = topKArgumentsOf(*argument_types[0]);
        if (!top)
            throwIllegalArgument(NAME, 0, "top keys, AggregateFunction(countMinTopK(...), K)", *argument_types[0]);
        if (argument_types.size() == 2 && !dispatchInteger(argument_types[1]->getTypeId(), []<typename T>() {}))
            throwIllegalArgument(NAME, 1, "an integer, the number of keys", *argument_types[1]);
        return top->result;
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const CountMinTopKArguments top = topKArgumentsOf(*arguments[0].type).value();
        const StatesArgument<CountMinTopKState> states(arguments[0]);
        MutableColumnPtr result = top.result->createColumn();
        const size_t distinct = distinctRows(arguments, rows);
        for (size_t row = 0; row < distinct; ++row)
        {
            UInt64 n = top.k;
            if (arguments.size() == 2)
            {
                const WideInteger given = integerAt(arguments[1], row);
                n = given.is_negative ? 0 : given.bits;
            }
            insertCountMinTopK(states[row].top(static_cast<size_t>(n)), *top.key, *result);
        }
        for (size_t row = distinct; row < rows; ++row)
            result->insertFrom(*result, 0);
        return result;
    }
};

}

void registerFunctionsCountMinTopK(FunctionFactory & factory) { factory.registerFunction(std::make_shared<FunctionCountMinTopKResult>()); }

}
