#include "Operators.h"

#include "../Columns/ColumnNullable.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeNothing.h"
#include "../DataTypes/DataTypeNullable.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/StoredDataType.h"
#include "../DataTypes/dispatchNumber.h"
#include "../Functions/FunctionArguments.h"
#include "../Functions/FunctionOverNulls.h"
#include "ValueComparison.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace DB::inline statewire
{

namespace
{
ValueComparison requireComparison(std::string_view function, const IDataType & left, const IDataType & right)
{
    const auto comparison = ValueComparison::tryMake(left, right);
    if (!comparison)
        throwError(
            ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
            concat("Function ", function, " cannot compare ", left.getName(), " with ", right.getName()));
    return *comparison;
}

DataTypePtr truthType() { return std::make_shared<DataTypeUInt8>(); }

/// Gives 1 for some of the outcomes of a comparison.
class FunctionComparison final : public IFunction
{
public:
    FunctionComparison(std::string_view name_, bool less, bool equal, bool greater, bool unordered)
        : name(name_), answers{less, equal, greater, unordered}
    {
    }

    [[nodiscard]] std::string getName() const override { return std::string(name); }
    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & types) const override
    {
        requireArguments(name, types, 2);
        static_cast<void>(requireComparison(name, *types[0], *types[1]));
        return truthType();
    }
    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const ColumnWithType & left = arguments[0];
        const ColumnWithType & right = arguments[1];
        const ValueComparison comparison = requireComparison(name, *left.type, *right.type);
        return makeNumbers<UInt8>(arguments, rows, [&](size_t row) {
            return UInt8{answers[static_cast<size_t>(comparison(*left.column, left.at(row), *right.column, right.at(row)))]};
        });
    }

private:
    std::string_view name;
    /// By Comparison.
    std::array<bool, 4> answers;
};

/// 1 where the value equals a constant of the list (or, negated, none).
class FunctionIn final : public IFunction
{
public:
    explicit FunctionIn(bool negated_) : negated(negated_) { }

    [[nodiscard]] std::string getName() const override { return negated ? "notIn" : "in"; }
    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & types) const override
    {
        if (types.empty())
            throwError(ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, concat("Function ", getName(), " takes a value and elements"));
        for (size_t i = 1; i < types.size(); ++i)
            static_cast<void>(requireComparison(getName(), *types[0], *types[i]));
        return truthType();
    }
    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const ColumnWithType & value = arguments[0];
        std::vector<ValueComparison> comparisons;
        for (size_t i = 1; i < arguments.size(); ++i)
            comparisons.push_back(requireComparison(getName(), *value.type, *arguments[i].type));
        return makeNumbers<UInt8>(arguments, rows, [&](size_t row) {
            bool found = false;
            for (size_t i = 0; i < comparisons.size() && !found; ++i)
            {
                const ColumnWithType & element = arguments[i + 1];
                found = comparisons[i](*value.column, value.at(row), *element.column, element.at(row)) == Comparison::Equal;
            }
            return UInt8{found != negated};
        });
    }

private:
    bool negated;
};

/// Sums, differences and products. Integers give the next larger type, signed where an argument or a difference is, and wrap around; with a float it
/// is Float64.
class FunctionArithmetic final : public IFunction
{
public:
    enum class Kind
    {
        Plus,
        Minus,
        Multiply
    };

    FunctionArithmetic(std::string_view name_, Kind kind_) : name(name_), kind(kind_) { }

    [[nodiscard]] std::string getName() const override { return std::string(name); }
    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & types) const override
    {
        requireArguments(name, types, 2);
        size_t size = 0;
        bool is_signed = kind == Kind::Minus;
        bool is_float = false;
        for (size_t i = 0; i < types.size(); ++i)
        {
            const bool is_number = dispatchNumber(types[i]->getTypeId(), [&]<typename T>() {
                size = std::max(size, sizeof(T));
                is_signed = is_signed || std::is_signed_v<T>;
                is_float = is_float || std::is_floating_point_v<T>;
            });
            if (!is_number)
                throwIllegalArgument(name, i, "a number", *types[i]);
        }
        if (is_float)
            return std::make_shared<DataTypeFloat64>();
        switch (size)
        {
            case 1:
                return integerType<UInt16, Int16>(is_signed);
            case 2:
                return integerType<UInt32, Int32>(is_signed);
            default:
                return integerType<UInt64, Int64>(is_signed);
        }
    }
    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        ColumnPtr result;
        dispatchNumber(getReturnType({arguments[0].type, arguments[1].type})->getTypeId(), [&]<typename T>() {
            result = makeNumbers<T>(arguments, rows, [&](size_t row) {
                if constexpr (std::is_floating_point_v<T>)
                    return static_cast<T>(apply(numberAsFloat(arguments[0], row), numberAsFloat(arguments[1], row)));
                else
                    return static_cast<T>(apply(integerAt(arguments[0], row).bits, integerAt(arguments[1], row).bits));
            });
        });
        return result;
    }

private:
    template <typename Unsigned, typename Signed>
    static DataTypePtr integerType(bool is_signed)
    {
        return is_signed ? DataTypePtr(std::make_shared<DataTypeNumber<Signed>>()) : std::make_shared<DataTypeNumber<Unsigned>>();
    }

    template <typename T>
    [[nodiscard]] T apply(T left, T right) const noexcept
    {
        return kind == Kind::Plus ? left + right : kind == Kind::Minus ? left - right : left * right;
    }

    std::string_view name;
    Kind kind;
};

/// Integers as truth values: 0 is false, everything else is true, and NULL is neither.
class FunctionLogic final : public IFunction
{
public:
    enum class Kind
    {
        And,
        Or,
        Not
    };

    FunctionLogic(std::string_view name_, Kind kind_) : name(name_), kind(kind_) { }

    [[nodiscard]] std::string getName() const override { return std::string(name); }
    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & types) const override
    {
        if (kind == Kind::Not)
            requireArguments(name, types, 1);
        else if (types.size() < 2)
            throwError(
                ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                concat("Function ", name, " takes at least 2 arguments, not ", types.size()));
        for (size_t i = 0; i < types.size(); ++i)
            if (!isTruthValue(types[i]))
                throwIllegalArgument(name, i, "a truth value, an integer", *types[i]);
        if (kind == Kind::Not && isOnlyNull(types[0]))
            return types[0];
        return anyIsNullable(types) ? std::make_shared<DataTypeNullable>(truthType()) : truthType();
    }
    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        const ColumnsWithTypes values = valuesOf(arguments);
        if (!anyArgumentIsNullable(arguments))
            return makeNumbers<UInt8>(arguments, rows, [&](size_t row) { return UInt8{*answer(arguments, values, row)}; });
        auto result = std::make_unique<ColumnNullable>(std::make_unique<ColumnUInt8>());
        for (size_t row = 0; row < rows; ++row)
            if (const std::optional<bool> found = answer(arguments, values, row))
                result->insertNotNull([&](IColumn & to) { static_cast<ColumnUInt8 &>(to).getData().push_back(UInt8{*found}); });
            else
                result->insertDefault();
        return result;
    }

private:
    /// Nothing for NULL.
    [[nodiscard]] std::optional<bool> answer(const ColumnsWithTypes & arguments, const ColumnsWithTypes & values, size_t row) const
    {
        /// And: until the first false; Or: until the first true; NULL only where none decides.
        const bool decisive = kind == Kind::Or;
        bool unknown = false;
        for (size_t i = 0; i < values.size(); ++i)
        {
            if (isNullAt(arguments[i], row))
            {
                unknown = true;
                continue;
            }
            const bool truth = integerAt(values[i], row).bits != 0;
            if (kind == Kind::Not)
                return !truth;
            if (truth == decisive)
                return decisive;
        }
        return unknown ? std::nullopt : std::optional(!decisive);
    }

    std::string_view name;
    Kind kind;
};

class FunctionNullTest final : public IFunction
{
public:
    FunctionNullTest(std::string_view name_, bool wanted_) : name(name_), wanted(wanted_) { }

    [[nodiscard]] std::string getName() const override { return std::string(name); }
    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & types) const override
    {
        requireArguments(name, types, 1);
        return truthType();
    }
    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        return makeNumbers<UInt8>(arguments, rows, [&](size_t row) { return UInt8{isNullAt(arguments[0], row) == wanted}; });
    }

private:
    std::string_view name;
    bool wanted;
};

using Operators = std::map<std::string_view, FunctionPtr, std::less<>>;

Operators makeOperators()
{
    Operators operators;
    const auto compare = [&](std::string_view name, bool less, bool equal, bool greater, bool unordered) {
        operators.emplace(
            name, std::make_shared<FunctionOverNulls>(std::make_shared<FunctionComparison>(name, less, equal, greater, unordered)));
    };
    compare("equals", false, true, false, false);
    compare("notEquals", true, false, true, true);
    compare("less", true, false, false, false);
    compare("lessOrEquals", true, true, false, false);
    compare("greater", false, false, true, false);
    compare("greaterOrEquals", false, true, true, false);
    operators.emplace("in", std::make_shared<FunctionOverNulls>(std::make_shared<FunctionIn>(false)));
    operators.emplace("notIn", std::make_shared<FunctionOverNulls>(std::make_shared<FunctionIn>(true)));
    const auto calculate = [&](std::string_view name, FunctionArithmetic::Kind kind) {
        operators.emplace(name, std::make_shared<FunctionOverNulls>(std::make_shared<FunctionArithmetic>(name, kind)));
    };
    calculate("plus", FunctionArithmetic::Kind::Plus);
    calculate("minus", FunctionArithmetic::Kind::Minus);
    calculate("multiply", FunctionArithmetic::Kind::Multiply);
    operators.emplace("and", std::make_shared<FunctionLogic>("and", FunctionLogic::Kind::And));
    operators.emplace("or", std::make_shared<FunctionLogic>("or", FunctionLogic::Kind::Or));
    operators.emplace("not", std::make_shared<FunctionLogic>("not", FunctionLogic::Kind::Not));
    operators.emplace("isNull", std::make_shared<FunctionNullTest>("isNull", true));
    operators.emplace("isNotNull", std::make_shared<FunctionNullTest>("isNotNull", false));
    return operators;
}
}

bool isTruthValue(const DataTypePtr & type) noexcept
{
    return isOnlyNull(type) || dispatchInteger(removeNullable(asFunctionArgument(type))->getTypeId(), []<typename T>() {});
}

FunctionPtr tryGetOperator(std::string_view name)
{
    static const Operators operators = makeOperators();
    const auto found = operators.find(name);
    return found == operators.end() ? nullptr : found->second;
}

}
