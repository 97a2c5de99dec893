#include "parseDataType.h"

#include "../AggregateFunctions/AggregateFunctionFactory.h"
#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "../IO/ReadEscaped.h"
#include "DataTypeAggregateFunction.h"
#include "DataTypeArray.h"
#include "DataTypeNullable.h"
#include "DataTypeNumber.h"
#include "DataTypeTuple.h"
#include "errorText.h"
#include "makeStoredDataType.h"
#include "printParameters.h"
#include "typeNames.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace DB::inline statewire
{

namespace
{
constexpr bool isDigit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

constexpr bool isWordStart(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

constexpr bool isNumberPart(char c) noexcept
{
    return isDigit(c) || isWordStart(c) || c == '.' || c == '-' || c == '+';
}

constexpr bool isSpace(char c) noexcept
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Recursive descent over the text; every level of nesting of types is one level of calls.
class TypeParser
{
public:
    TypeParser(std::string_view text_, const AggregateFunctionFactory & factory_, std::optional<size_t> missing_version_)
        : text(text_), factory(factory_), missing_version(missing_version_)
    {
    }

    DataTypePtr parseAll()
    {
        if (text.size() > MAX_TYPE_NAME_SIZE)
            throwError(
                ErrorCodes::SYNTAX_ERROR,
                concat("A type name of ", text.size(), " bytes is longer than the limit of ", MAX_TYPE_NAME_SIZE, " bytes"));
        DataTypePtr type = parseType(1);
        if (peek() != '\0' || pos != text.size())
            throwExpected("the end of the type name");
        return type;
    }

private:
    DataTypePtr parseType(size_t depth)
    {
        skipSpaces();
        const size_t start = pos;
        if (depth > MAX_TYPE_DEPTH)
            throwError(
                ErrorCodes::SYNTAX_ERROR,
                concat("Types are nested more than ", MAX_TYPE_DEPTH, " levels deep at position ", start, " of a type name"));
        const std::string_view name = parseWord("a type name");
        if (DataTypePtr simple = tryMakeSimpleType(name))
            return simple;
        if (name == "Array")
            return std::make_shared<DataTypeArray>(parseNested(depth));
        if (name == "Nullable")
            return std::make_shared<DataTypeNullable>(parseNested(depth));
        if (name == "LowCardinality")
            return makeLowCardinality(parseNested(depth));
        if (name == "Tuple")
            return parseTuple(depth);
        if (name == "AggregateFunction")
            return parseAggregateFunction(depth);
        if (name == "SimpleAggregateFunction")
            return parseSimpleAggregateFunction(depth);
        if (DataTypePtr type = tryParseWithArguments(name, start))
            return type;
        throwUnknownType(name, start);
    }

    DataTypePtr parseNested(size_t depth)
    {
        expect('(');
        DataTypePtr nested = parseType(depth + 1);
        expect(')');
        return nested;
    }

    /// Types whose arguments are numbers and strings; null for other names.
    DataTypePtr tryParseWithArguments(std::string_view name, size_t start)
    {
        if (name == "Enum" || name == "Enum8" || name == "Enum16")
            return parseEnum(name);
        if (name == "DateTime" || name == "DateTime32")
        {
            const Array arguments = parseOptionalParameters(name, start, 0, 1);
            return makeDateTime(arguments.empty() ? std::string() : stringOf(arguments[0], start));
        }
        if (name == "DateTime64")
        {
            constexpr UInt64 DEFAULT_SCALE = 3;
            const Array arguments = parseOptionalParameters(name, start, 0, 2);
            return makeDateTime64(
                arguments.empty() ? DEFAULT_SCALE : numberOf(arguments[0], start),
                arguments.size() < 2 ? std::string() : stringOf(arguments[1], start));
        }
        if (name == "FixedString")
            return makeFixedString(numberOf(parseOptionalParameters(name, start, 1, 1)[0], start));
        if (name == "Decimal")
        {
            constexpr UInt64 DEFAULT_PRECISION = 10;
            const Array arguments = parseOptionalParameters(name, start, 0, 2);
            return makeDecimal(
                arguments.empty() ? DEFAULT_PRECISION : numberOf(arguments[0], start),
                arguments.size() < 2 ? 0 : numberOf(arguments[1], start));
        }
        for (const auto & [decimal, precision] : {std::pair<std::string_view, UInt64>{"Decimal32", 9}, {"Decimal64", 18}})
            if (name == decimal)
                return makeDecimal(precision, numberOf(parseOptionalParameters(name, start, 1, 1)[0], start));
        return nullptr;
    }

    Array parseOptionalParameters(std::string_view name, size_t start, size_t least, size_t most)
    {
        const Array arguments = peek() == '(' ? parseParameters() : Array();
        if (arguments.size() < least || arguments.size() > most)
            throwError(
                ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                concat(
                    name,
                    " takes ",
                    least,
                    least == most ? "" : concat(" to ", most),
                    " arguments, not ",
                    arguments.size(),
                    ", at position ",
                    start,
                    " of a type name"));
        return arguments;
    }

    static UInt64 numberOf(const Field & argument, size_t start)
    {
        if (!std::holds_alternative<UInt64>(argument))
            throwError(ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT, concat("Expected a whole number as argument of the type at position ", start));
        return std::get<UInt64>(argument);
    }

    static std::string stringOf(const Field & argument, size_t start)
    {
        if (!std::holds_alternative<std::string>(argument))
            throwError(ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT, concat("Expected a string as argument of the type at position ", start));
        return std::get<std::string>(argument);
    }

    /// 'name' = number, ...: a name without a number has the one behind the last, the first has 1.
    DataTypePtr parseEnum(std::string_view name)
    {
        EnumElements elements;
        Int64 next = 1;
        expect('(');
        while (peek() != ')')
        {
            if (!elements.empty())
                expect(',');
            if (peek() != '\'')
                throwExpected("the name of an element in single quotes");
            std::string element = stringOf(parseString(), pos);
            if (peek() == '=')
            {
                ++pos;
                next = parseElementValue();
            }
            elements.emplace_back(std::move(element), next++);
        }
        expect(')');
        const bool is_16 = name == "Enum16" || (name == "Enum" && std::any_of(elements.begin(), elements.end(), [](const auto & element) {
                                                    return element.second < std::numeric_limits<Int8>::min()
                                                        || element.second > std::numeric_limits<Int8>::max();
                                                }));
        return makeEnum(is_16, std::move(elements));
    }

    Int64 parseElementValue()
    {
        const char first = peek();
        const size_t start = pos;
        if (!isDigit(first) && first != '-' && first != '+')
            throwExpected("the number of an element");
        const Field value = parseNumber();
        constexpr Int64 LIMIT = 65536;
        if (const auto * number = std::get_if<UInt64>(&value); number && *number < LIMIT)
            return static_cast<Int64>(*number);
        if (const auto * number = std::get_if<Int64>(&value); number && *number > -LIMIT)
            return *number;
        throwError(
            ErrorCodes::ARGUMENT_OUT_OF_BOUND,
            concat("The number of an element exceeds the range of Enum16 at position ", start, " of a type name"));
    }

    /// Types, or names and types: all elements have names or none has.
    DataTypePtr parseTuple(size_t depth)
    {
        DataTypes elements;
        std::vector<std::string> names;
        expect('(');
        do
        {
            if (!elements.empty())
                ++pos;
            skipSpaces();
            const size_t start = pos;
            if (peek() == '`')
                names.push_back(parseQuotedName());
            else if (const std::string_view word = parseWord("a type or the name of an element"); isWordStart(peek()))
                names.emplace_back(word);
            else
                pos = start;
            elements.push_back(parseType(depth + 1));
            if (!names.empty() && names.size() != elements.size())
                throwError(
                    ErrorCodes::BAD_ARGUMENTS,
                    concat("Expected a name for every element of a tuple or for none, at position ", start, " of a type name"));
        } while (peek() == ',');
        expect(')');
        return std::make_shared<DataTypeTuple>(std::move(elements), std::move(names));
    }

    DataTypePtr parseAggregateFunction(size_t depth)
    {
        expect('(');
        std::optional<size_t> version = missing_version;
        if (isDigit(peek()))
        {
            version = parseVersion();
            expect(',');
        }
        skipSpaces();
        const size_t start = pos;
        const std::string_view name = parseWord("the name of an aggregate function");
        Array parameters;
        if (peek() == '(')
            parameters = parseParameters();
        DataTypes arguments;
        while (peek() == ',')
        {
            expect(',');
            arguments.push_back(parseType(depth + 1));
        }
        expect(')');
        try
        {
            return std::make_shared<DataTypeAggregateFunction>(factory.get(name, arguments, parameters), version);
        }
        catch (Exception & exception)
        {
            exception.addMessage(concat("while parsing the aggregate function at position ", start, " of a type name"));
            throw;
        }
    }

    DataTypePtr parseSimpleAggregateFunction(size_t depth)
    {
        expect('(');
        skipSpaces();
        const std::string_view name = parseWord("the name of an aggregate function");
        std::string parameters;
        if (peek() == '(')
            parameters = printParameters(parseParameters());
        expect(',');
        DataTypePtr value = parseType(depth + 1);
        expect(')');
        return makeSimpleAggregateFunction(name, parameters, std::move(value));
    }

    size_t parseVersion()
    {
        const size_t start = pos;
        const Field version = parseNumber();
        if (!std::holds_alternative<UInt64>(version))
            throwError(ErrorCodes::SYNTAX_ERROR, concat("Expected a version number at position ", start, " of a type name"));
        return static_cast<size_t>(std::get<UInt64>(version));
    }

    Array parseParameters()
    {
        Array parameters;
        expect('(');
        if (peek() == ')')
        {
            ++pos;
            return parameters;
        }
        while (true)
        {
            parameters.push_back(parseLiteral());
            if (peek() != ',')
                break;
            ++pos;
        }
        expect(')');
        return parameters;
    }

    Field parseLiteral()
    {
        const char next = peek();
        if (next == '\'')
            return parseString();
        if (isDigit(next) || next == '-' || next == '+' || next == '.')
            return parseNumber();
        throwExpected("a number or a string in single quotes");
    }

    Field parseString()
    {
        std::string value;
        const char * at = text.data() + pos;
        try
        {
            readQuotedString(value, at, text.data() + text.size());
        }
        catch (const Exception & exception)
        {
            throwError(ErrorCodes::SYNTAX_ERROR, concat("Bad string at position ", pos, " of a type name: ", exception.message()));
        }
        pos = static_cast<size_t>(at - text.data());
        return value;
    }

    /// UInt64 or, with a minus sign, Int64 where the number is whole; otherwise Float64.
    Field parseNumber()
    {
        const size_t start = pos;
        while (pos < text.size() && isNumberPart(text[pos]))
            ++pos;
        const std::string_view token = text.substr(start, pos - start);
        const bool whole = token.find_first_not_of("0123456789", token[0] == '-' || token[0] == '+' ? 1 : 0) == std::string_view::npos;
        try
        {
            if (!whole)
                return DataTypeFloat64::parse(token);
            if (token[0] == '-')
                return DataTypeInt64::parse(token);
            return DataTypeUInt64::parse(token);
        }
        catch (const Exception & exception)
        {
            throwError(ErrorCodes::SYNTAX_ERROR, concat("Bad number at position ", start, " of a type name: ", exception.message()));
        }
    }

    /// Between backquotes, which inside may be escaped or doubled.
    std::string parseQuotedName()
    {
        const size_t start = pos;
        std::string escaped;
        for (++pos; pos < text.size(); ++pos)
        {
            if (text[pos] == '`' && (pos + 1 == text.size() || text[pos + 1] != '`'))
                break;
            if ((text[pos] == '`' || text[pos] == '\\') && pos + 1 < text.size())
            {
                escaped += '\\';
                ++pos;
            }
            escaped += text[pos];
        }
        expect('`');
        std::string name;
        try
        {
            readEscapedString(name, escaped);
        }
        catch (const Exception & exception)
        {
            throwError(ErrorCodes::SYNTAX_ERROR, concat("Bad name at position ", start, " of a type name: ", exception.message()));
        }
        return name;
    }

    std::string_view parseWord(std::string_view what)
    {
        if (!isWordStart(peek()))
            throwExpected(what);
        const size_t start = pos;
        while (pos < text.size() && (isWordStart(text[pos]) || isDigit(text[pos])))
            ++pos;
        return text.substr(start, pos - start);
    }

    void skipSpaces() noexcept
    {
        while (pos < text.size() && isSpace(text[pos]))
            ++pos;
    }

    /// The next character behind white space; 0 at the end.
    char peek() noexcept
    {
        skipSpaces();
        return pos < text.size() ? text[pos] : '\0';
    }

    void expect(char c)
    {
        if (peek() != c || pos == text.size())
            throwExpected(concat('\'', c, '\''));
        ++pos;
    }

    [[noreturn]] void throwExpected(std::string_view what)
    {
        skipSpaces();
        throwError(
            ErrorCodes::SYNTAX_ERROR,
            concat("Expected ", what, " at position ", pos, " of a type name, found ",
                   pos == text.size() ? "its end" : quoteForError(text.substr(pos))));
    }

    std::string_view text;
    const AggregateFunctionFactory & factory;
    std::optional<size_t> missing_version;
    size_t pos = 0;
};
}

DataTypePtr parseDataType(std::string_view name, const AggregateFunctionFactory & factory, std::optional<size_t> missing_version)
{
    return TypeParser(name, factory, missing_version).parseAll();
}

DataTypePtr parseDataType(std::string_view name)
{
    return parseDataType(name, defaultAggregateFunctionFactory());
}

}
