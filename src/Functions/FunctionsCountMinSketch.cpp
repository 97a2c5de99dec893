#include "../AggregateFunctions/CountMinSketchState.h"
#include "../Columns/ColumnString.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/dispatchNumber.h"
#include "../base/unaligned.h"
#include "CountMinSketchArgument.h"
#include "FunctionArguments.h"
#include "FunctionFactory.h"
#include "registerFunctions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <limits>

namespace DB::inline statewire
{

namespace
{

bool isInteger(TypeIndex type)
{
    return dispatchInteger(type, []<typename T>() { });
}

bool isFloat(TypeIndex type)
{
    return type == TypeIndex::Float32 || type == TypeIndex::Float64;
}

/// The keys of some rows, ready to be asked together.
struct KeyBatch
{
    static constexpr size_t SIZE = 1024;
    std::string_view views[SIZE];
    char bytes[SIZE * sizeof(UInt64)];
};

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

    /// `count` <= KeyBatch::SIZE rows from `begin` on, which lie in `batch` until it is used again.
    [[nodiscard]] CountMinKeys read(size_t begin, size_t count, KeyBatch & batch) const
    {
        if (key_type.getTypeId() == TypeIndex::String)
        {
            for (size_t i = 0; i < count; ++i)
                batch.views[i] = static_cast<const ColumnString &>(*argument.column)[argument.at(begin + i)];
            return CountMinKeys::strings({batch.views, count});
        }
        UInt32 size = 0;
        dispatchNumber(key_type.getTypeId(), [&]<typename K>() {
            for (size_t i = 0; i < count; ++i)
                unalignedStoreLittleEndian<K>(batch.bytes + i * sizeof(K), convert<K>(begin + i));
            size = sizeof(K);
        });
        return CountMinKeys::fixed(batch.bytes, size, count);
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

CountMinSketchArguments requireSketchAndKey(std::string_view function, const DataTypes & types)
{
    requireArguments(function, types, 2);
    const CountMinSketchArguments sketch = requireSketch(function, types, 0);
    if (!KeyArgument::accepts(sketch.key->getTypeId(), types[1]->getTypeId()))
        throwIllegalArgument(function, 1, "convertible to the sketch's key type " + sketch.key->getName(), *types[1]);
    return sketch;
}

/// The estimate: at least the true weight of a key whose weights are not negative, and exact while the state is small.
struct Estimate
{
    static constexpr std::string_view NAME = "countMinSketchEstimate";
    static auto apply(const auto & sketch, std::string_view key) { return sketch.estimate(key); }
    template <typename W>
    static W ofEstimate(const CountMinSketchState<W> &, W estimate)
    {
        return estimate;
    }
};

/// The noise of other keys taken out, from 0 to the estimate: better for rare keys, and no bound.
struct CorrectedEstimate
{
    static constexpr std::string_view NAME = "countMinSketchCorrectedEstimate";
    static Float64 apply(const auto & sketch, std::string_view key) { return sketch.correctedEstimate(key); }
};

/// For weights that are not negative: what the key weighs at least, with the sketch's confidence.
struct LowerBound
{
    static constexpr std::string_view NAME = "countMinSketchLowerBound";
    static auto apply(const auto & sketch, std::string_view key) { return sketch.lowerBound(key); }
    template <typename W>
    static W ofEstimate(const CountMinSketchState<W> & sketch, W estimate)
    {
        return countMinLowerBound<W>(sketch.parameters(), estimate, sketch.total());
    }
};

/// For weights that are not negative: what the key weighs at most.
struct UpperBound
{
    static constexpr std::string_view NAME = "countMinSketchUpperBound";
    static auto apply(const auto & sketch, std::string_view key) { return sketch.upperBound(key); }
    template <typename W>
    static W ofEstimate(const CountMinSketchState<W> &, W estimate)
    {
        return estimate;
    }
};

/// f(sketch, key) -> a weight. Of one sketch a whole column of keys is asked together.
template <typename Operation>
class FunctionCountMinSketchOfKey final : public IFunction
{
public:
    [[nodiscard]] std::string getName() const override { return std::string(Operation::NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        return weightType(requireSketchAndKey(Operation::NAME, argument_types).weight);
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const CountMinSketchArguments sketch = sketchArgumentsOf(*arguments[0].type).value();
        KeyArgument keys(arguments[1], *sketch.key);
        ColumnPtr result;
        dispatchCountMinWeight(sketch.weight, [&]<typename W>() {
            const StatesArgument<CountMinSketchState<W>> sketches(arguments[0]);
            if (arguments[0].is_constant && !arguments[1].is_constant && rows != 0)
                result = askOne<W>(sketches[0], keys, rows);
            else
                result = makeNumbers<W>(arguments, rows, [&](size_t row) { return Operation::apply(sketches[row], keys[row]); });
        });
        return result;
    }

private:
    template <typename W>
    [[nodiscard]] static ColumnPtr askOne(const CountMinSketchState<W> & sketch, KeyArgument & keys, size_t rows)
    {
        auto column = std::make_shared<ColumnVector<W>>();
        auto & data = column->getData();
        data.resize(rows);
        KeyBatch batch;
        for (size_t begin = 0; begin < rows; begin += KeyBatch::SIZE)
            sketch.estimateMany(keys.read(begin, std::min(KeyBatch::SIZE, rows - begin), batch), data.data() + begin);
        for (W & answer : data)
            answer = Operation::ofEstimate(sketch, answer);
        return column;
    }
};

/// countMinSketchCorrectedEstimate(sketch, key).
class FunctionCountMinSketchCorrectedEstimate final : public IFunction
{
    using Operation = CorrectedEstimate;

public:
    [[nodiscard]] std::string getName() const override { return std::string(Operation::NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireSketchAndKey(Operation::NAME, argument_types);
        return std::make_shared<DataTypeNumber<Float64>>();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const CountMinSketchArguments sketch = sketchArgumentsOf(*arguments[0].type).value();
        KeyArgument keys(arguments[1], *sketch.key);
        ColumnPtr result;
        dispatchCountMinWeight(sketch.weight, [&]<typename W>() {
            const StatesArgument<CountMinSketchState<W>> sketches(arguments[0]);
            result = makeNumbers<Float64>(arguments, rows, [&](size_t row) { return Operation::apply(sketches[row], keys[row]); });
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
        return weightType(requireSketch(NAME, argument_types, 0).weight);
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
    factory.registerFunction(std::make_shared<FunctionCountMinSketchCorrectedEstimate>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchTotal>());
}

}
