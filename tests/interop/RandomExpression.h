#pragma once

#include <statewire/base/types.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

/** Random calls of the bitmap functions, nested in each other, over the columns of gtest_interop_expressions.cpp. */
namespace statewire_tests
{

struct Expression
{
    enum class Kind
    {
        Bitmap,
        /// A bitmap of which the engine knows the order of its values: subBitmap needs one (docs/clickhouse.md).
        OrderedBitmap,
        Number,
        Array,
        /// Arithmetic, comparisons and logic over numbers.
        Calculation,
        /// Of another kind on purpose.
        Any
    };

    Kind kind = Kind::Any;
    /// A column or a literal, or the function's name.
    std::string name;
    bool is_call = false;
    std::vector<Expression> arguments;

    [[nodiscard]] std::string text() const
    {
        std::string result = name;
        for (size_t i = 0; i < arguments.size(); ++i)
            result += (i ? ", " : "(") + arguments[i].text();
        return is_call ? result + (arguments.empty() ? "()" : ")") : result;
    }
};

class ExpressionSource
{
public:
    /// With `sets_only` there are only functions whose answers do not depend on the numbers that values are compared with.
    ExpressionSource(std::mt19937_64 & random_, bool sets_only_, std::vector<std::string> numbers_)
        : random(random_), sets_only(sets_only_), numbers(std::move(numbers_))
    {
    }

    Expression make(Expression::Kind kind, size_t depth)
    {
        using enum Expression::Kind;
        /// Some arguments of a wrong type: both sides must refuse the same, with the same code.
        if (kind != Any && kind != Calculation && random() % 50 == 0)
            return make(Any, depth);
        switch (kind)
        {
            case Bitmap:
                return bitmap(depth);
            case OrderedBitmap:
                if (depth == 0 || random() % 3 == 0)
                    return atom(OrderedBitmap, pick({"a", "b", "bitmapBuild(v)"}));
                return call(
                    OrderedBitmap, pick({"bitmapSubsetInRange", "bitmapSubsetLimit", "subBitmap"}), {OrderedBitmap, Number, Number}, depth);
            case Number:
                return number(depth);
            case Array:
                return call(Array, "bitmapToArray", {Bitmap}, depth);
            case Calculation:
                return calculation(depth);
            case Any:
                break;
        }
        return atom(Any, pick({"a", "c", "x", "i", "n", "d", "s", "v", "t", "1.5", "'1'", "-1", "NULL", "z"}));
    }

private:
    std::string pick(const std::vector<std::string> & names) { return names[random() % names.size()]; }

    static Expression atom(Expression::Kind kind, std::string name) { return {kind, std::move(name), false, {}}; }

    Expression call(Expression::Kind kind, const std::string & name, const std::vector<Expression::Kind> & arguments, size_t depth)
    {
        Expression result{kind, name, true, {}};
        for (const Expression::Kind argument : arguments)
            result.arguments.push_back(make(argument, depth == 0 ? 0 : depth - 1));
        /// One argument too many or too few.
        if (random() % 200 == 0)
            result.arguments.push_back(make(Expression::Kind::Any, 0));
        else if (random() % 200 == 0)
            result.arguments.pop_back();
        return result;
    }

    Expression bitmap(size_t depth)
    {
        using enum Expression::Kind;
        if (depth == 0 || random() % 4 == 0)
            return atom(Bitmap, pick({"a", "b", "bitmapBuild(v)", "bitmapBuild(w)"}));
        switch (random() % (sets_only ? 5 : 9))
        {
            case 0:
                return call(Bitmap, "bitmapBuild", {Array}, depth);
            case 5:
                return call(Bitmap, "bitmapSubsetInRange", {Bitmap, Number, Number}, depth);
            case 6:
                return call(Bitmap, "bitmapSubsetLimit", {Bitmap, Number, Number}, depth);
            case 7:
                return call(Bitmap, "subBitmap", {OrderedBitmap, Number, Number}, depth);
            case 8: {
                Expression result = call(Bitmap, "bitmapTransform", {Bitmap}, depth);
                /// Of the same length in every row.
                result.arguments.push_back(atom(Any, "f"));
                result.arguments.push_back(atom(Any, "t"));
                return result;
            }
            default:
                return call(Bitmap, pick({"bitmapAnd", "bitmapOr", "bitmapXor", "bitmapAndnot"}), {Bitmap, Bitmap}, depth);
        }
    }

    Expression number(size_t depth)
    {
        using enum Expression::Kind;
        if (depth == 0 || random() % 3 == 0)
            return atom(Number, random() % 3 ? pick({"x", "y", "x", "y", "n"}) : pick(numbers));
        switch (random() % (sets_only ? 3 : 5))
        {
            case 0:
                return call(Number, "bitmapCardinality", {Bitmap}, depth);
            case 1:
                return call(
                    Number,
                    pick({"bitmapAndCardinality", "bitmapOrCardinality", "bitmapXorCardinality", "bitmapAndnotCardinality"}),
                    {Bitmap, Bitmap},
                    depth);
            case 2:
                return call(Number, pick({"bitmapHasAny", "bitmapHasAll"}), {Bitmap, Bitmap}, depth);
            case 3:
                return call(Number, pick({"bitmapMin", "bitmapMax"}), {Bitmap}, depth);
            default: {
                Expression result = call(Number, "bitmapContains", {Bitmap}, depth);
                result.arguments.push_back(random() % 4 ? make(Number, depth - 1) : atom(Number, "i"));
                return result;
            }
        }
    }

    Expression calculation(size_t depth)
    {
        using enum Expression::Kind;
        if (depth == 0)
            return random() % 6 ? atom(Calculation, pick({"x", "y", "n", "i"}))
                : random() % 2  ? atom(Calculation, pick(numbers))
                                : number(1);
        const std::string name = pick(
            {"plus",
             "minus",
             "multiply",
             "equals",
             "notEquals",
             "less",
             "lessOrEquals",
             "greater",
             "greaterOrEquals",
             "isNull",
             "isNotNull",
             "and",
             "or",
             "not"});
        Expression result{Calculation, name, true, {}};
        /// Logic is over truth values: docs/clickhouse.md has floats, and the engine's optimizer makes x of `1 AND x`.
        const bool is_logic = name == "and" || name == "or" || name == "not";
        const auto argument = [&](size_t left) {
            const Expression value = calculation(left);
            return is_logic ? Expression{Calculation, "less", true, {value, calculation(0)}} : value;
        };
        result.arguments.push_back(argument(depth - 1));
        if (name == "not" || name.starts_with("is"))
            return result;
        result.arguments.push_back(is_logic || random() % 20 ? argument(random() % depth) : atom(Any, pick({"d", "-1", "0.25"})));
        return result;
    }

    std::mt19937_64 & random;
    bool sets_only;
    std::vector<std::string> numbers;
};

/// The smallest expression made of parts of this one for which `fails` holds: parts give way to parts of their own kind.
inline Expression shrunk(Expression expression, const std::function<bool(const Expression &)> & fails)
{
    const auto parts = [](Expression & root) {
        std::vector<Expression *> found{&root};
        for (size_t i = 0; i < found.size(); ++i)
            for (Expression & argument : found[i]->arguments)
                found.push_back(&argument);
        return found;
    };
    for (bool again = true; again;)
    {
        again = false;
        const size_t count = parts(expression).size();
        for (size_t i = 0; i < count && !again; ++i)
            for (size_t j = 0; j < count && !again; ++j)
            {
                Expression smaller = expression;
                const std::vector<Expression *> all = parts(smaller);
                if (all[j]->text().size() >= all[i]->text().size())
                    continue;
                const Expression replacement = *all[j];
                *all[i] = replacement;
                if (!fails(smaller))
                    continue;
                expression = std::move(smaller);
                again = true;
            }
    }
    return expression;
}

}
