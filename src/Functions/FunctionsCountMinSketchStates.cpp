#include "../Columns/ColumnArray.h"
#include "../Columns/ColumnString.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeArray.h"
#include "../DataTypes/DataTypeString.h"
#include "../DataTypes/dispatchNumber.h"
#include "CountMinSketchArgument.h"
#include "FunctionArguments.h"
#include "FunctionFactory.h"
#include "registerFunctions.h"

namespace DB::inline statewire
{

namespace
{

/// Cells that are not 0; for a small state, of the table it would become.
struct FilledCells
{
    using Result = UInt64;
    static constexpr std::string_view NAME = "countMinSketchFilledCells";
    static Result apply(const auto & sketch) { return sketch.filledCells(); }
};

/// The part of the cells that are not 0. Near 1 every key shares all its cells with others.
struct Load
{
    using Result = Float64;
    static constexpr std::string_view NAME = "countMinSketchLoad";
    static Result apply(const auto & sketch)
    {
        return static_cast<Float64>(sketch.filledCells()) / static_cast<Float64>(sketch.parameters().cells());
    }
};

/// e / num_buckets: an estimate is above the truth by at most this part of the total, with the confidence that the rows give.
struct RelativeError
{
    using Result = Float64;
    static constexpr std::string_view NAME = "countMinSketchRelativeError";
    static Result apply(const auto & sketch) { return sketch.parameters().relativeError(); }
};

/// The sum of the squared weights of all keys, at least the truth for weights that are not negative.
struct SelfJoinSize
{
    using Result = Float64;
    static constexpr std::string_view NAME = "countMinSketchSelfJoinSize";
    static Result apply(const auto & sketch) { return sketch.innerProduct(sketch, sketch); }
};

/// f(sketch) -> a number.
template <typename Operation>
class FunctionCountMinSketchToNumber final : public IFunction
{
public:
    [[nodiscard]] std::string getName() const override { return std::string(Operation::NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(Operation::NAME, argument_types, 1);
        static_cast<void>(requireSketch(Operation::NAME, argument_types, 0));
        return std::make_shared<DataTypeNumber<typename Operation::Result>>();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchCountMinWeight(sketchArgumentsOf(*arguments[0].type).value().weight, [&]<typename W>() {
            const StatesArgument<CountMinSketchState<W>> sketches(arguments[0]);
            result = makeNumbers<typename Operation::Result>(
                arguments, rows, [&](size_t row) { return Operation::apply(sketches[row]); });
        });
        return result;
    }
};

/// countMinSketchInnerProduct(a, b): the sum over all keys of both weights' product, at least the truth for weights that are not negative.
class FunctionCountMinSketchInnerProduct final : public IFunction
{
public:
    static constexpr std::string_view NAME = "countMinSketchInnerProduct";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 2);
        static_cast<void>(requireSketch(NAME, argument_types, 0));
        static_cast<void>(requireSketch(NAME, argument_types, 1));
        if (!argument_types[0]->equals(*argument_types[1]))
            throwIllegalArgument(NAME, 1, "a sketch of the first one's type, " + argument_types[0]->getName(), *argument_types[1]);
        return std::make_shared<DataTypeNumber<Float64>>();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchCountMinWeight(sketchArgumentsOf(*arguments[0].type).value().weight, [&]<typename W>() {
            const StatesArgument<CountMinSketchState<W>> left(arguments[0]);
            const StatesArgument<CountMinSketchState<W>> right(arguments[1]);
            result = makeNumbers<Float64>(
                arguments, rows, [&](size_t row) { return CountMinSketchState<W>::innerProduct(left[row], right[row]); });
        });
        return result;
    }
};

/// countMinSketchToImage(sketch): the Apache DataSketches image, a String. An image does not say its seed's scheme nor its weight type.
class FunctionCountMinSketchToImage final : public IFunction
{
public:
    static constexpr std::string_view NAME = "countMinSketchToImage";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 1);
        static_cast<void>(requireSketch(NAME, argument_types, 0));
        return std::make_shared<DataTypeString>();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        auto images = std::make_shared<ColumnString>();
        dispatchCountMinWeight(sketchArgumentsOf(*arguments[0].type).value().weight, [&]<typename W>() {
            const StatesArgument<CountMinSketchState<W>> sketches(arguments[0]);
            const size_t distinct = distinctRows(arguments, rows);
            for (size_t row = 0; row < distinct; ++row)
                images->insert(sketches[row].toImage());
            for (size_t row = distinct; row < rows; ++row)
                images->insertFrom(*images, 0);
        });
        return images;
    }
};

/// countMinSketchFromImage(image, sketch): a DataSketches image as a state of the second argument's type, whose value does not matter. The
/// image must have the type's shape and seed, and nothing behind it: INCORRECT_DATA, CANNOT_READ_ALL_DATA.
class FunctionCountMinSketchFromImage final : public IFunction
{
public:
    static constexpr std::string_view NAME = "countMinSketchFromImage";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 2);
        if (argument_types[0]->getTypeId() != TypeIndex::String)
            throwIllegalArgument(NAME, 0, "a String, the image", *argument_types[0]);
        static_cast<void>(requireSketch(NAME, argument_types, 1));
        return sketchFunctionOf(*argument_types[1]).getStateType();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const auto & images = static_cast<const ColumnString &>(*arguments[0].column);
        ColumnPtr result;
        dispatchCountMinWeight(sketchArgumentsOf(*arguments[1].type).value().weight, [&]<typename W>() {
            result = makeSketches<W>(
                *arguments[1].type, arguments, rows,
                [&](auto & sketch, size_t row) { sketch.mergeImage(images[arguments[0].at(row)]); });
        });
        return result;
    }
};

const IDataType & elementOf(const IDataType & array)
{
    return *static_cast<const DataTypeArray &>(array).getNestedType();
}

/// The element type of the first argument; ILLEGAL_TYPE_OF_ARGUMENT unless it is an array of sketches.
const IDataType & requireSketches(std::string_view function, const DataTypes & types)
{
    if (types[0]->getTypeId() != TypeIndex::Array || !sketchArgumentsOf(elementOf(*types[0])))
        throwIllegalArgument(function, 0, "an array of count-min sketches", *types[0]);
    return elementOf(*types[0]);
}

/// countMinSketchMerge(sketches): an array of sketches as one.
class FunctionCountMinSketchMerge final : public IFunction
{
public:
    static constexpr std::string_view NAME = "countMinSketchMerge";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 1);
        return sketchFunctionOf(requireSketches(NAME, argument_types)).getStateType();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const auto & arrays = static_cast<const ColumnArray &>(*arguments[0].column);
        const auto & states = static_cast<const ColumnAggregateFunction &>(arrays.getData());
        const IDataType & element = elementOf(*arguments[0].type);
        ColumnPtr result;
        dispatchCountMinWeight(sketchArgumentsOf(element).value().weight, [&]<typename W>() {
            result = makeSketches<W>(element, arguments, rows, [&](auto & sketch, size_t row) {
                const size_t array = arguments[0].at(row);
                for (UInt64 i = arrays.offsetAt(array); i < arrays.getOffsets()[array]; ++i)
                    sketch.merge(*std::launder(reinterpret_cast<const CountMinSketchState<W> *>(states[i])));
            });
        });
        return result;
    }
};

/// countMinSketchMergeWeighted(sketches, weights): as countMinSketchMerge, each sketch as many times as its weight says. Weights are of the kind of
/// the sketches' own: unsigned integers, integers, or any numbers. BAD_ARGUMENTS unless there are as many weights as sketches; DECIMAL_OVERFLOW.
class FunctionCountMinSketchMergeWeighted final : public IFunction
{
public:
    static constexpr std::string_view NAME = "countMinSketchMergeWeighted";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 2);
        const IDataType & element = requireSketches(NAME, argument_types);
        const TypeIndex sketch_weight = sketchArgumentsOf(element).value().weight;
        bool fits = false;
        if (argument_types[1]->getTypeId() == TypeIndex::Array)
            dispatchNumber(elementOf(*argument_types[1]).getTypeId(), [&]<typename T>() {
                dispatchCountMinWeight(sketch_weight, [&]<typename W>() { fits = isFactor<T, W>; });
            });
        if (!fits)
            throwIllegalArgument(NAME, 1, "an array of weights that " + weightType(sketch_weight)->getName() + " holds", *argument_types[1]);
        return sketchFunctionOf(element).getStateType();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const auto & arrays = static_cast<const ColumnArray &>(*arguments[0].column);
        const auto & states = static_cast<const ColumnAggregateFunction &>(arrays.getData());
        const auto & factors = static_cast<const ColumnArray &>(*arguments[1].column);
        const IDataType & element = elementOf(*arguments[0].type);
        ColumnPtr result;
        dispatchCountMinWeight(sketchArgumentsOf(element).value().weight, [&]<typename W>() {
            dispatchNumber(elementOf(*arguments[1].type).getTypeId(), [&]<typename T>() {
                if constexpr (isFactor<T, W>)
                {
                    const auto & numbers = static_cast<const ColumnVector<T> &>(factors.getData()).getData();
                    result = makeSketches<W>(element, arguments, rows, [&](auto & sketch, size_t row) {
                        const size_t array = arguments[0].at(row);
                        const size_t weights = arguments[1].at(row);
                        const UInt64 count = arrays.sizeAt(array);
                        if (factors.sizeAt(weights) != count)
                            throwError(
                                ErrorCodes::BAD_ARGUMENTS,
                                concat("Function ", NAME, ": found ", factors.sizeAt(weights), " weights for ", count, " sketches"));
                        for (UInt64 i = 0; i < count; ++i)
                            sketch.mergeWeighted(
                                *std::launder(reinterpret_cast<const CountMinSketchState<W> *>(states[arrays.offsetAt(array) + i])),
                                static_cast<W>(numbers[factors.offsetAt(weights) + i]));
                    });
                }
            });
        });
        return result;
    }

private:
    /// Every T is a W: what is multiplied is what was given.
    template <typename T, typename W>
    static constexpr bool isFactor = std::is_floating_point_v<W>
        || (std::is_integral_v<T> && (std::is_signed_v<W> ? std::is_signed_v<T> || sizeof(T) < sizeof(W) : std::is_unsigned_v<T>));
};

/// What decays answer: countMinSketchDecay(sketch, factor), and countMinSketchHalve(sketch), which is a factor of 1/2. The result has the option
/// 'decayed' in its type and merges with its like only; its total is multiplied too. BAD_ARGUMENTS for a factor that is not from 0 to 1.
template <bool halve>
class FunctionCountMinSketchDecay final : public IFunction
{
public:
    static constexpr std::string_view NAME = halve ? "countMinSketchHalve" : "countMinSketchDecay";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, halve ? 1 : 2);
        static_cast<void>(requireSketch(NAME, argument_types, 0));
        if (!halve && sizeOfNumber(argument_types[1]->getTypeId()) == 0)
            throwIllegalArgument(NAME, 1, "a number from 0 to 1, the factor", *argument_types[1]);
        return decayedCountMinSketch(sketchFunctionOf(*argument_types[0]))->getStateType();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchCountMinWeight(sketchArgumentsOf(*arguments[0].type).value().weight, [&]<typename W>() {
            const StatesArgument<CountMinSketchState<W>> sketches(arguments[0]);
            const DataTypePtr type = decayedCountMinSketch(sketchFunctionOf(*arguments[0].type))->getStateType();
            result = makeSketches<W>(
                *type, arguments, rows, [&](auto & sketch, size_t row) {
                    sketch.mergeDecayed(sketches[row], CountMinDecay(halve ? 0.5 : numberAsFloat(arguments.back(), row)));
                });
        });
        return result;
    }
};

}

void registerFunctionsCountMinSketchStates(FunctionFactory & factory)
{
    factory.registerFunction(std::make_shared<FunctionCountMinSketchToNumber<FilledCells>>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchToNumber<Load>>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchToNumber<RelativeError>>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchToNumber<SelfJoinSize>>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchInnerProduct>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchToImage>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchFromImage>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchMerge>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchMergeWeighted>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchDecay<false>>());
    factory.registerFunction(std::make_shared<FunctionCountMinSketchDecay<true>>());
}

}
