#include "Literal.h"

#include "../Columns/ColumnArray.h"
#include "../Columns/ColumnNullable.h"
#include "../Columns/ColumnString.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeArray.h"
#include "../DataTypes/DataTypeNothing.h"
#include "../DataTypes/DataTypeNullable.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/DataTypeString.h"
#include "../DataTypes/dispatchNumber.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>

namespace DB::inline statewire
{

namespace
{
constexpr UInt64 LARGEST_NEGATIVE = UInt64{1} << 63;

bool isInteger(std::string_view text, int base) noexcept
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return base == 10 ? c >= '0' && c <= '9' : std::string_view("0123456789abcdefABCDEF").find(c) != std::string_view::npos;
    });
}

void parseNumber(std::string_view text, Literal & literal)
{
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    const int base = hexadecimal ? 16 : 10;
    const std::string_view digits = hexadecimal ? text.substr(2) : text;
    if (isInteger(digits, base))
    {
        literal.kind = Literal::Kind::Integer;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), literal.magnitude, base);
        const bool fits = error == std::errc() && (!literal.negative || literal.magnitude <= LARGEST_NEGATIVE);
        if (!fits && hexadecimal)
            Lexer::throwSyntaxError(literal.position, text, "a hexadecimal integer of at most 64 bits");
        if (fits)
        {
            literal.negative = literal.negative && literal.magnitude != 0;
            return;
        }
    }
    literal.kind = Literal::Kind::Float;
    try
    {
        literal.number = DataTypeFloat64::parse(text);
    }
    catch (const Exception &)
    {
        Lexer::throwSyntaxError(literal.position, text, "a number");
    }
    if (literal.negative)
        literal.number = -literal.number;
}

template <typename T>
DataTypePtr numberType()
{
    return std::make_shared<DataTypeNumber<T>>();
}

/// The least type above those of all the integers, each of which has the smallest one that holds it: of 1 and -1, UInt8 and Int8, it is Int16. As in
/// ClickHouse, up to 64 bits. `any_positive` is about 0 as well.
DataTypePtr integerType(bool any_negative, UInt64 largest_negative, bool any_positive, UInt64 largest_positive, size_t position)
{
    const size_t unsigned_bits = largest_positive <= 0xff ? 8 : largest_positive <= 0xffff ? 16 : largest_positive <= 0xffffffff ? 32 : 64;
    if (!any_negative)
        return unsigned_bits == 8 ? numberType<UInt8>()
            : unsigned_bits == 16 ? numberType<UInt16>()
            : unsigned_bits == 32 ? numberType<UInt32>()
                                  : numberType<UInt64>();
    if (largest_negative > LARGEST_NEGATIVE || largest_positive >= LARGEST_NEGATIVE)
        throwError(ErrorCodes::TYPE_MISMATCH, concat("No integer type holds all elements of the array at position ", position + 1));
    size_t bits = largest_negative <= 0x80 ? 8 : largest_negative <= 0x8000 ? 16 : largest_negative <= 0x80000000 ? 32 : 64;
    if (any_positive)
        bits = std::max(bits, std::min<size_t>(2 * unsigned_bits, 64));
    return bits == 8 ? numberType<Int8>() : bits == 16 ? numberType<Int16>() : bits == 32 ? numberType<Int32>() : numberType<Int64>();
}

DataTypePtr commonType(std::span<const Literal * const> literals, size_t position);

/// Of literals among which NULL is.
DataTypePtr commonNullableType(std::span<const Literal * const> literals, size_t position)
{
    std::vector<const Literal *> values;
    std::copy_if(literals.begin(), literals.end(), std::back_inserter(values), [](const Literal * literal) {
        return literal->kind != Literal::Kind::Null;
    });
    DataTypePtr type = values.empty() ? std::make_shared<DataTypeNothing>() : commonType(values, position);
    if (!type->canBeInsideNullable())
        throwError(ErrorCodes::TYPE_MISMATCH, concat("No type holds all elements of the array at position ", position + 1));
    return std::make_shared<DataTypeNullable>(std::move(type));
}

DataTypePtr commonType(std::span<const Literal * const> literals, size_t position)
{
    if (std::any_of(literals.begin(), literals.end(), [](const Literal * literal) { return literal->kind == Literal::Kind::Null; }))
        return commonNullableType(literals, position);

    bool any_negative = false;
    bool any_positive = false;
    UInt64 largest_negative = 0;
    UInt64 largest_positive = 0;
    size_t floats = 0;
    size_t strings = 0;
    size_t arrays = 0;
    std::vector<const Literal *> nested;
    for (const Literal * literal : literals)
    {
        floats += literal->kind == Literal::Kind::Float;
        strings += literal->kind == Literal::Kind::String;
        arrays += literal->kind == Literal::Kind::Array;
        for (const Literal & element : literal->elements)
            nested.push_back(&element);
        if (literal->kind != Literal::Kind::Integer)
            continue;
        any_negative = any_negative || literal->negative;
        any_positive = any_positive || !literal->negative;
        UInt64 & largest = literal->negative ? largest_negative : largest_positive;
        largest = std::max(largest, literal->magnitude);
    }
    if (arrays != 0 && arrays == literals.size())
        return std::make_shared<DataTypeArray>(commonType(nested, position));
    if (strings != 0 && strings == literals.size())
        return std::make_shared<DataTypeString>();
    if (arrays != 0 || strings != 0)
        throwError(ErrorCodes::TYPE_MISMATCH, concat("No type holds all elements of the array at position ", position + 1));
    if (floats != 0)
        return numberType<Float64>();
    return integerType(any_negative, largest_negative, any_positive, largest_positive, position);
}

void insert(const Literal & literal, const IDataType & type, IColumn & column)
{
    switch (type.getTypeId())
    {
        case TypeIndex::String:
            static_cast<ColumnString &>(column).insert(literal.text);
            return;
        case TypeIndex::Array: {
            auto & array = static_cast<ColumnArray &>(column);
            for (const Literal & element : literal.elements)
                insert(element, *static_cast<const DataTypeArray &>(type).getNestedType(), array.getData());
            array.closeRow();
            return;
        }
        case TypeIndex::Nullable: {
            if (literal.kind == Literal::Kind::Null)
                column.insertDefault();
            else
                static_cast<ColumnNullable &>(column).insertNotNull(
                    [&](IColumn & values) { insert(literal, *static_cast<const DataTypeNullable &>(type).getNestedType(), values); });
            return;
        }
        default:
            break;
    }
    dispatchNumber(type.getTypeId(), [&]<typename T>() {
        T value;
        if (literal.kind == Literal::Kind::Float)
            value = static_cast<T>(literal.number);
        else if constexpr (std::is_floating_point_v<T>)
            value = literal.negative ? -static_cast<T>(literal.magnitude) : static_cast<T>(literal.magnitude);
        else
            value = static_cast<T>(literal.negative ? 0 - literal.magnitude : literal.magnitude);
        static_cast<ColumnVector<T> &>(column).getData().push_back(value);
    });
}
}

bool isLiteralStart(const Lexer & lexer) noexcept
{
    const Token::Kind kind = lexer.peek().kind;
    return kind == Token::Kind::Number || kind == Token::Kind::String || lexer.isPunctuation('-') || lexer.isPunctuation('+')
        || lexer.isPunctuation('[') || lexer.isKeyword("NULL");
}

Literal parseLiteral(Lexer & lexer, size_t depth_left)
{
    Literal literal;
    literal.position = lexer.peek().position;
    if (lexer.tryTake('['))
    {
        literal.kind = Literal::Kind::Array;
        if (depth_left == 0)
            Lexer::throwSyntaxError(literal.position, "[", "less deeply nested arrays");
        if (lexer.tryTake(']'))
            return literal;
        do
        {
            if (!isLiteralStart(lexer))
                lexer.throwExpected("a literal");
            literal.elements.push_back(parseLiteral(lexer, depth_left - 1));
        } while (lexer.tryTake(','));
        if (!lexer.tryTake(']'))
            lexer.throwExpected("',' or ']'");
        return literal;
    }
    if (lexer.peek().kind == Token::Kind::String)
    {
        literal.kind = Literal::Kind::String;
        literal.text = lexer.take().value;
        return literal;
    }
    if (lexer.tryTakeKeyword("NULL"))
    {
        literal.kind = Literal::Kind::Null;
        return literal;
    }
    literal.negative = lexer.tryTake('-');
    if (!literal.negative)
        lexer.tryTake('+');
    if (lexer.peek().kind != Token::Kind::Number)
        lexer.throwExpected("a number");
    parseNumber(lexer.take().text, literal);
    return literal;
}

ColumnWithType toColumn(const Literal & literal)
{
    const Literal * const one[] = {&literal};
    const DataTypePtr type = commonType(one, literal.position);
    MutableColumnPtr column = type->createColumn();
    insert(literal, *type, *column);
    return {std::move(column), type, true};
}

Field toField(const Literal & literal)
{
    switch (literal.kind)
    {
        case Literal::Kind::Integer:
            if (literal.negative)
                return static_cast<Int64>(0 - literal.magnitude);
            return literal.magnitude;
        case Literal::Kind::Float:
            return literal.number;
        case Literal::Kind::String:
            return literal.text;
        case Literal::Kind::Null:
        case Literal::Kind::Array:
            break;
    }
    Lexer::throwSyntaxError(literal.position, literal.kind == Literal::Kind::Null ? "NULL" : "[", "a number or a string as a parameter");
}

}
