#include "../AggregateFunctions/AggregateFunctionCountMinSketch.h"
#include "../AggregateFunctions/CountMinSketchState.h"
#include "../Columns/ColumnString.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/dispatchNumber.h"
#include "../base/unaligned.h"
#include "FunctionArguments.h"
#include "FunctionFactory.h"
#include "registerFunctions.h"

#include <bit>
#include <cmath>
#include <concepts>
#include <limits>

namespace DB::inline statewire
{

namespace
{

std::optional<CountMinSketchArguments> sketchArgumentsOf(const IDataType & type)
{
    if (type.getTypeId() != TypeIndex::AggregateFunction)
        return std::nullopt;
    return countMinSketchArguments(*static_cast<const DataTypeAggregateFunction &>(type).getFunction());
}

CountMinSketchArguments requireSketch(std::string_view function, const DataTypes & types)
{
    const std::optional<CountMinSketchArguments> sketch = sketchArgumentsOf(*types[0]);
    if (!sketch)
        throwIllegalArgument(function, 0, "a count-min sketch, AggregateFunction(countMinSketch(...), ...)", *types[0]);
    return *sketch;
}

DataTypePtr weightType(TypeIndex weight)
{
    DataTypePtr type;
    dispatchCountMinWeight(weight, [&]<typename W>() { type = std::make_shared<DataTypeNumber<W>>(); });
    return type;
}

bool isInteger(TypeIndex type)
{
    return dispatchInteger(type, []<typename T>() { });
}

bool isFloat(TypeIndex type)
{
    return type == TypeIndex::Float32 || type == TypeIndex::Float64;
}

/** Turns the key argument of a function into the bytes by which the sketch knows the key: the key type's raw little-endian bytes, or the
  * string. Integers of any type go to number keys, floats to float keys, strings to string keys. A number that the key type does not hold
  * exactly is CANNOT_CONVERT_TYPE: rounded, it would be another key.
  */
class KeyArgument
{
public:
    KeyArgument(const ColumnWithType & argument_, const IDataType & key_type_) : argument(argument_), key_type(key_type_) { }

    [[nodiscard]] static bool accepts(TypeIndex key, TypeIndex given)
    {
        if (key == TypeIndex::String || given == TypeIndex::String)
            return key == given;
        return isInteger(given) || (isFloat(given) && isFloat(key));
    }

    /// Valid until the next call.
    [[nodiscard]] std::string_view operator[](size_t row)
    {
        if (key_type.getTypeId() == TypeIndex::String)
            return static_cast<const ColumnString &>(*argument.column)[argument.at(row)];
        size_t size = 0;
        dispatchNumber(key_type.getTypeId(), [&]<typename K>() {
            unalignedStoreLittleEndian<K>(bytes, convert<K>(row));
            size = sizeof(K);
        });
        return {bytes, size};
    }

private:
    template <typename K>
    [[nodiscard]] K convert(size_t row) const
    {
        if (isFloat(argument.type->getTypeId()))
        {
            const Float64 value = argument.type->getTypeId() == TypeIndex::Float32 ? floatAt<Float32>(row) : floatAt<Float64>(row);
            if constexpr (std::floating_point<K>)
                if (value != value || (std::abs(value) <= std::numeric_limits<K>::max() && static_cast<K>(value) == value)
                    || std::abs(value) == std::numeric_limits<Float64>::infinity())
                    return static_cast<K>(value);
            throwNotExact();
        }
        const WideInteger value = integerAt(argument, row);
        const UInt64 magnitude = value.is_negative ? UInt64{0} - value.bits : value.bits;
        if constexpr (std::floating_point<K>)
        {
            if (magnitude != 0 && std::bit_width(magnitude) - std::countr_zero(magnitude) > std::numeric_limits<K>::digits)
                throwNotExact();
            return value.is_negative ? -static_cast<K>(magnitude) : static_cast<K>(magnitude);
        }
        else
        {
            const auto converted = static_cast<K>(value.bits);
            if (static_cast<UInt64>(converted) != value.bits || (converted < K{0}) != value.is_negative)
                throwNotExact();
            return converted;
        }
    }

    template <typename T>
    [[nodiscard]] T floatAt(size_t row) const
    {
        return static_cast<const ColumnVector<T> &>(*argument.column).getData()[argument.at(row)];
    }

    [[noreturn]] void throwNotExact() const
    {
        throwError(
            ErrorCodes::CANNOT_CONVERT_TYPE,
            concat("A key of type ", argument.type->getName(), " has a value that ", key_type.getName(),
                   ", the key type of the sketch, does not hold exactly"));
    }

    const ColumnWithType & argument;
    const IDataType & key_type;
    char bytes[sizeof(UInt64)];
};

/// The estimate: at least the true weight of a key whose weights are not negative, and exact while the state is small.
struct Estimate
{
    static constexpr std::string_view NAME = "countMinSketchEstimate";
    static auto apply(const auto & sketch, std::string_view key) { return sketch.estimate(key); }
};

/// For weights that are not negative: what the key weighs at least, with the sketch's confidence.
struct LowerBound
{
    static constexpr std::string_view NAME = "countMinSketchLowerBound";
    static auto apply(const auto & sketch, std::string_view key) { return sketch.lowerBound(key); }
};

/// For weights that are not negative: what the key weighs at most.
struct UpperBound
{
    static constexpr std::string_view NAME = "countMinSketchUpperBound";
    static auto apply(const auto & sketch, std::string_view key) { return sketch.upperBound(key); }
};

/// f(sketch, key) -> a weight.
template <typename Operation>
class FunctionCountMinSketchOfKey final : public IFunction
{
public:
    [[nodiscard]] std::string getName() const override { return std::string(Operation::NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(Operation::NAME, argument_types, 2);
        const CountMinSketchArguments sketch = requireSketch(Operation::NAME, argument_types);
        if (!KeyArgument::accepts(sketch.key->getTypeId(), argument_types[1]->getTypeId()))
            throwIllegalArgument(Operation::NAME, 1, "convertible to the sketch's key type " + sketch.key->getName(), *argument_types[1]);
        return weightType(sketch.weight);
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const CountMinSketchArguments sketch = sketchArgumentsOf(*arguments[0].type).value();
        KeyArgument keys(arguments[1], *sketch.key);
        ColumnPtr result;
        dispatchCountMinWeight(sketch.weight, [&]<typename W>() {
            const StatesArgument<CountMinSketchState<W>> sketches(arguments[0]);
            result = makeNumbers<W>(arguments, rows, [&](size_t row) { return Operation::apply(sketches[row], keys[row]); });
        });
        return result;
    }
};

/// countMinSketchTotal(sketch): the sum of the weights' magnitudes.
class FunctionCountMinSketchTotal final : public IFunction
{
public:
    static constexpr std::string_view NAME = "countMinSketchTotal";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 1);
        return weightType(requireSketch(NAME, argument_types).weight);
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchCountMinWeight(sketchArgumentsOf(*arguments[0].type).value().weight, [&]<typename W>() {
            const StatesArgument<CountMinSketchState<W>> sketches(arguments[0]);
            result = makeNumbers<W>(arguments, rows, [&](size_t row) { return sketches[row].total(); });
        });
        return result;
    }
};

}

void registerFunctionsCountMinSketch(FunctionFactory & factory)
{
    factory.registerFunction(std::make_shared<FunctionCountMinSketchOfKey<Estimate>>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchOfKey<LowerBound>>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchOfKey<UpperBound>>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchTotal>());
}

}
