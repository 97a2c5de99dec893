#include "parseDataType.h"

#include "../AggregateFunctions/AggregateFunctionFactory.h"
#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "../IO/ReadEscaped.h"
#include "DataTypeAggregateFunction.h"
#include "DataTypeArray.h"
#include "DataTypeNothing.h"
#include "DataTypeNullable.h"
#include "DataTypeNumber.h"
#include "DataTypeString.h"
#include "DataTypeTuple.h"
#include "errorText.h"

#include <charconv>

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

template <typename Type>
DataTypePtr make()
{
    return std::make_shared<Type>();
}

struct SimpleType
{
    std::string_view name;
    DataTypePtr (*create)();
};

constexpr SimpleType SIMPLE_TYPES[] = {
    {"UInt8", make<DataTypeUInt8>},
    {"UInt16", make<DataTypeUInt16>},
    {"UInt32", make<DataTypeUInt32>},
    {"UInt64", make<DataTypeUInt64>},
    {"Int8", make<DataTypeInt8>},
    {"Int16", make<DataTypeInt16>},
    {"Int32", make<DataTypeInt32>},
    {"Int64", make<DataTypeInt64>},
    {"Float32", make<DataTypeFloat32>},
    {"Float64", make<DataTypeFloat64>},
    {"String", make<DataTypeString>},
    {"Nothing", make<DataTypeNothing>},
};

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
        for (const SimpleType & simple : SIMPLE_TYPES)
            if (simple.name == name)
                return simple.create();
        if (name == "Array")
        {
            expect('(');
            DataTypePtr nested = parseType(depth + 1);
            expect(')');
            return std::make_shared<DataTypeArray>(std::move(nested));
        }
        if (name == "Nullable")
        {
            expect('(');
            DataTypePtr nested = parseType(depth + 1);
            expect(')');
            return std::make_shared<DataTypeNullable>(std::move(nested));
        }
        if (name == "Tuple")
            return parseTuple(depth);
        if (name == "AggregateFunction")
            return parseAggregateFunction(depth);
        throwUnknownType(name, start);
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

    [[noreturn]] static void throwUnknownType(std::string_view name, size_t position)
    {
        std::vector<std::string> names = {"Array", "Tuple", "AggregateFunction", "Nullable"};
        for (const SimpleType & simple : SIMPLE_TYPES)
            names.emplace_back(simple.name);
        throwError(
            ErrorCodes::UNKNOWN_TYPE,
            concat("Unknown type ", quoteForError(name), " at position ", position, " of a type name", nearNamesHint(name, names)));
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
