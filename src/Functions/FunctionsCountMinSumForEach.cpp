#include "../Columns/ColumnArray.h"
#include "../Columns/ColumnString.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../CountMin/CountMinSumForEach.h"
#include "../DataTypes/DataTypeArray.h"
#include "../DataTypes/DataTypeString.h"
#include "CountMinSketchArgument.h"
#include "FunctionArguments.h"
#include "FunctionFactory.h"
#include "registerFunctions.h"

#include <span>

/** Sketches as arrays that ClickHouse's sumForEach adds up (docs/count_min_sum_for_each.md). Only sketches of UInt64 weights are such sums. */
namespace DB::inline statewire
{

namespace
{

void requireUnsignedSketch(std::string_view function, const DataTypes & types, size_t index)
{
    if (requireSketch(function, types, index).weight != TypeIndex::UInt64)
        throwIllegalArgument(function, index, "a count-min sketch whose weights are UInt64", *types[index]);
}

std::string imageOf(const ColumnWithType & argument, size_t row)
{
    return StatesArgument<CountMinSketchState<UInt64>>(argument)[row].toImage();
}

const CountMinParameters & parametersOf(const ColumnWithType & argument)
{
    return StatesArgument<CountMinSketchState<UInt64>>(argument)[0].parameters();
}

/// countMinSketchToSumForEach(sketch) -> Array(UInt64). MEMORY_LIMIT_EXCEEDED before a column beyond FunctionLimits::max_array_elements is made.
class FunctionCountMinSketchToSumForEach final : public IFunction
{
public:
    static constexpr std::string_view NAME = "countMinSketchToSumForEach";

    explicit FunctionCountMinSketchToSumForEach(const FunctionLimits & limits_) : limits(limits_) { }

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 1);
        requireUnsignedSketch(NAME, argument_types, 0);
        return std::make_shared<DataTypeArray>(std::make_shared<DataTypeUInt64>());
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        auto arrays = std::make_shared<ColumnArray>(std::make_unique<ColumnVector<UInt64>>());
        if (rows == 0)
            return arrays;
        const CountMinParameters & parameters = parametersOf(arguments[0]);
        const UInt64 length = countMinSumForEachLength(parameters);
        if (rows > limits.max_array_elements / length)
            throwError(
                ErrorCodes::MEMORY_LIMIT_EXCEEDED,
                concat(
                    "Function ",
                    NAME,
                    " would make more than ",
                    limits.max_array_elements,
                    " array elements: ",
                    rows,
                    " rows of ",
                    length));
        auto & numbers = static_cast<ColumnVector<UInt64> &>(arrays->getData()).getData();
        for (size_t row = 0; row < rows; ++row)
        {
            const std::string image = imageOf(arguments[0], row);
            const size_t begin = numbers.size();
            numbers.resize(begin + length);
            MemorySink sink(reinterpret_cast<char *>(&numbers[begin]));
            writeCountMinSumForEach(CountMinView<UInt64>::fromValidated(image, parameters), sink);
            for (UInt64 & number : std::span(numbers).subspan(begin))
                number = unalignedLoadLittleEndian<UInt64>(&number);
            arrays->closeRow();
        }
        return arrays;
    }

private:
    FunctionLimits limits;
};

/// countMinSketchToSumForEachState(sketch) -> String: the bytes of AggregateFunction(sumForEach, Array(UInt64)), of which the library has no
/// type of its own.
class FunctionCountMinSketchToSumForEachState final : public IFunction
{
public:
    static constexpr std::string_view NAME = "countMinSketchToSumForEachState";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 1);
        requireUnsignedSketch(NAME, argument_types, 0);
        return std::make_shared<DataTypeString>();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        auto states = std::make_shared<ColumnString>();
        std::string state;
        for (size_t row = 0; row < rows; ++row)
        {
            const CountMinParameters & parameters = parametersOf(arguments[0]);
            const UInt64 length = countMinSumForEachLength(parameters);
            const std::string image = imageOf(arguments[0], row);
            state.resize((1 + length) * sizeof(UInt64));
            unalignedStoreLittleEndian<UInt64>(state.data(), length);
            MemorySink sink(state.data() + sizeof(UInt64));
            writeCountMinSumForEach(CountMinView<UInt64>::fromValidated(image, parameters), sink);
            states->insert(state);
        }
        return states;
    }
};

/** countMinSketchFromSumForEach(sum, sketch): what sumForEach gave, an Array(UInt64) or the bytes of its state, as a state of the second
  * argument's type, whose value does not matter. Checked as countMinImageFromSumForEach says.
  */
class FunctionCountMinSketchFromSumForEach final : public IFunction
{
public:
    static constexpr std::string_view NAME = "countMinSketchFromSumForEach";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 2);
        const IDataType & sum = *argument_types[0];
        if (sum.getTypeId() != TypeIndex::String
            && !(
                sum.getTypeId() == TypeIndex::Array
                && static_cast<const DataTypeArray &>(sum).getNestedType()->getTypeId() == TypeIndex::UInt64))
            throwIllegalArgument(NAME, 0, "Array(UInt64), or String, a state of sumForEach", sum);
        requireUnsignedSketch(NAME, argument_types, 1);
        return sketchFunctionOf(*argument_types[1]).getStateType();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const ColumnWithType & sum = arguments[0];
        std::string numbers;
        return makeSketches<UInt64>(*arguments[1].type, arguments, rows, [&](auto & sketch, size_t row) {
            if (sum.type->getTypeId() == TypeIndex::String)
            {
                const std::string_view state = static_cast<const ColumnString &>(*sum.column)[sum.at(row)];
                sketch.mergeImage(countMinImageFromSumForEachState(state, sketch.parameters()));
                return;
            }
            const auto & arrays = static_cast<const ColumnArray &>(*sum.column);
            const size_t array = sum.at(row);
            const UInt64 * elements = static_cast<const ColumnVector<UInt64> &>(arrays.getData()).getData().data() + arrays.offsetAt(array);
            numbers.resize(arrays.sizeAt(array) * sizeof(UInt64));
            for (size_t i = 0; i < arrays.sizeAt(array); ++i)
                unalignedStoreLittleEndian<UInt64>(numbers.data() + i * sizeof(UInt64), elements[i]);
            sketch.mergeImage(countMinImageFromSumForEach(numbers, sketch.parameters()));
        });
    }
};

}

void registerFunctionsCountMinSumForEach(FunctionFactory & factory, const FunctionLimits & limits)
{
    factory.registerFunction(std::make_shared<FunctionCountMinSketchToSumForEach>(limits));
    factory.registerFunction(std::make_shared<FunctionCountMinSketchToSumForEachState>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchFromSumForEach>());
}

}
