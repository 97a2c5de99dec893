#include "JSONText.h"

#include "JSONTuple.h"
#include "defaultValues.h"
#include "readUntil.h"
#include "stateBytes.h"

#include "../Columns/ColumnArray.h"
#include "../Columns/ColumnNullable.h"
#include "../Columns/ColumnString.h"
#include "../Columns/ColumnTuple.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "../DataTypes/DataTypeArray.h"
#include "../DataTypes/DataTypeNullable.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/DataTypeTuple.h"
#include "../DataTypes/StoredDataType.h"
#include "../DataTypes/dispatchNumber.h"
#include "../DataTypes/errorText.h"
#include "../IO/WriteBufferFromVector.h"

#include <algorithm>
#include <cmath>

namespace DB::inline statewire
{

namespace
{
/// What an unknown field may hold: deep enough for any document, shallow enough for the stack.
constexpr size_t MAX_DEPTH = 1000;

constexpr bool isSpace(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool isTokenEnd(char c) noexcept
{
    return isSpace(c) || c == ',' || c == ':' || c == ']' || c == '}' || c == '[' || c == '{' || c == '"';
}

void appendUTF8(std::string & to, UInt32 code)
{
    const auto byte = [&](UInt32 value) { to += static_cast<char>(value); };
    if (code < 0x80)
        byte(code);
    else if (code < 0x800)
    {
        byte(0xc0 | (code >> 6));
        byte(0x80 | (code & 0x3f));
    }
    else if (code < 0x10000)
    {
        byte(0xe0 | (code >> 12));
        byte(0x80 | ((code >> 6) & 0x3f));
        byte(0x80 | (code & 0x3f));
    }
    else
    {
        byte(0xf0 | (code >> 18));
        byte(0x80 | ((code >> 12) & 0x3f));
        byte(0x80 | ((code >> 6) & 0x3f));
        byte(0x80 | (code & 0x3f));
    }
}

/// The four digits at `pos`.
UInt32 readFourDigits(std::string_view text, size_t pos)
{
    UInt32 code = 0;
    for (size_t i = pos; i < pos + 4; ++i)
    {
        const char c = i < text.size() ? text[i] : '\0';
        UInt32 digit = 0;
        if (c >= '0' && c <= '9')
            digit = static_cast<UInt32>(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = static_cast<UInt32>((c | 0x20) - 'a' + 10);
        else
            throwError(
                ErrorCodes::CANNOT_PARSE_ESCAPE_SEQUENCE,
                concat("Expected four hexadecimal digits behind \\u at offset ", pos, " of a string"));
        code = code * 16 + digit;
    }
    return code;
}

/// For values that nobody wants: made of a number's characters, whatever its size.
void requireNumber(std::string_view token)
{
    if (token.find_first_not_of("+-.0123456789eE") != std::string_view::npos)
        throwError(
            ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, concat("Cannot parse JSON: expected a value, found ", quoteForError(token)));
}

/// Appends what the escape sequence at `pos` (a backslash) stands for, and returns where the text goes on.
size_t readEscape(std::string & to, std::string_view text, size_t pos)
{
    const char c = text[pos + 1];
    switch (c)
    {
        case 'b':
            to += '\b';
            return pos + 2;
        case 'f':
            to += '\f';
            return pos + 2;
        case 'n':
            to += '\n';
            return pos + 2;
        case 'r':
            to += '\r';
            return pos + 2;
        case 't':
            to += '\t';
            return pos + 2;
        case 'u':
            break;
        default:
            to += c;
            return pos + 2;
    }
    UInt32 code = readFourDigits(text, pos + 2);
    pos += 6;
    if (code >= 0xd800 && code < 0xdc00)
    {
        const UInt32 low = text.substr(pos, 2) == "\\u" ? readFourDigits(text, pos + 2) : 0;
        if (low < 0xdc00 || low > 0xdfff)
            throwError(
                ErrorCodes::CANNOT_PARSE_ESCAPE_SEQUENCE,
                concat("The second half of a surrogate pair is missing at offset ", pos, " of a string"));
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        pos += 6;
    }
    appendUTF8(to, code);
    return pos;
}
}

int JSONReader::peek()
{
    while (!in.eof())
    {
        const char c = *in.position();
        if (!isSpace(c))
            return static_cast<UInt8>(c);
        ++in.position();
    }
    return -1;
}

void JSONReader::throwExpected(std::string_view what)
{
    const int next = peek();
    const UInt64 offset = in.count();
    if (next < 0)
        throwError(ErrorCodes::CANNOT_READ_ALL_DATA, concat("Cannot parse JSON: the input ends at byte ", offset, ", expected ", what));
    const size_t shown = std::min<size_t>(in.available(), 20);
    throwError(
        ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
        concat("Cannot parse JSON: expected ", what, " at byte ", offset, ", found ", quoteForError({in.position(), shown})));
}

void JSONReader::expect(char c)
{
    if (!accept(c))
        throwExpected(concat('\'', c, '\''));
}

bool JSONReader::accept(char c)
{
    if (peek() != static_cast<UInt8>(c))
        return false;
    ++in.position();
    return true;
}

std::string_view JSONReader::readString()
{
    expect('"');
    bool escaped = false;
    bool any_escape = false;
    bool closed = false;
    const std::string_view text = readUntil(in, gathered, max_field_bytes, closed, [&](const char * pos, const char * end) {
        for (; pos != end; ++pos)
        {
            if (escaped)
                escaped = false;
            else if (*pos == '\\')
                any_escape = escaped = true;
            else if (*pos == '"')
                return pos;
        }
        return end;
    });
    if (!closed)
        throwExpected("'\"'");
    ++in.position();
    if (!any_escape)
        return text;
    unescaped.clear();
    for (size_t pos = 0; pos < text.size();)
    {
        const size_t backslash = std::min(text.find('\\', pos), text.size());
        unescaped.append(text, pos, backslash - pos);
        pos = backslash == text.size() ? backslash : readEscape(unescaped, text, backslash);
    }
    return unescaped;
}

std::string_view JSONReader::readToken()
{
    static_cast<void>(peek());
    bool stopped = false;
    const std::string_view token = readUntil(
        in, gathered, max_field_bytes, stopped, [](const char * pos, const char * end) { return std::find_if(pos, end, isTokenEnd); });
    if (token.empty())
        throwExpected("a value");
    return token;
}

void JSONReader::skipValue(std::string * raw, size_t depth)
{
    if (depth > MAX_DEPTH)
        throwError(
            ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
            concat("Cannot parse JSON: values are nested more than ", MAX_DEPTH, " levels deep at byte ", in.count()));
    const auto keep = [&](std::string_view text) {
        if (!raw)
            return;
        if (raw->size() + text.size() > max_field_bytes)
            detail::throwTooLargeField(max_field_bytes);
        *raw += text;
    };
    const auto string = [&] {
        const std::string_view text = readString();
        if (raw)
        {
            std::string quoted;
            WriteBufferFromString out(quoted);
            writeJSONString(text, out);
            out.finalize();
            keep(quoted);
        }
    };
    const int first = peek();
    if (first == '"')
    {
        string();
        return;
    }
    if (first != '{' && first != '[')
    {
        const std::string_view token = readToken();
        if (token != "true" && token != "false" && token != "null")
            requireNumber(token);
        keep(token);
        return;
    }
    const bool object = first == '{';
    const char close = object ? '}' : ']';
    keep(object ? "{" : "[");
    ++in.position();
    for (bool next = false; !accept(close); next = true)
    {
        if (next)
        {
            expect(',');
            keep(",");
        }
        if (object)
        {
            string();
            expect(':');
            keep(":");
        }
        skipValue(raw, depth + 1);
    }
    keep({&close, 1});
}

void writeJSONString(std::string_view value, WriteBuffer & out)
{
    constexpr char HEX[] = "0123456789ABCDEF";
    out.write('"');
    const char * plain = value.data();
    const char * const end = plain + value.size();
    const char * pos = plain;
    const auto replace = [&](std::string_view by, size_t bytes) {
        out.write(plain, static_cast<size_t>(pos - plain));
        out.write(by.data(), by.size());
        pos += bytes;
        plain = pos;
    };
    while (pos != end)
    {
        const auto byte = static_cast<UInt8>(*pos);
        switch (byte)
        {
            case '\b':
                replace("\\b", 1);
                continue;
            case '\f':
                replace("\\f", 1);
                continue;
            case '\n':
                replace("\\n", 1);
                continue;
            case '\r':
                replace("\\r", 1);
                continue;
            case '\t':
                replace("\\t", 1);
                continue;
            case '\\':
                replace("\\\\", 1);
                continue;
            case '/':
                replace("\\/", 1);
                continue;
            case '"':
                replace("\\\"", 1);
                continue;
            /// The two line separators that JavaScript does not take in a string.
            case 0xe2:
                if (end - pos >= 3 && pos[1] == '\x80' && (pos[2] == '\xa8' || pos[2] == '\xa9'))
                {
                    replace(pos[2] == '\xa8' ? "\\u2028" : "\\u2029", 3);
                    continue;
                }
                break;
            default:
                break;
        }
        if (byte < 0x20)
        {
            const char escape[6] = {'\\', 'u', '0', '0', HEX[byte >> 4], HEX[byte & 15]};
            replace({escape, 6}, 1);
            continue;
        }
        ++pos;
    }
    out.write(plain, static_cast<size_t>(end - plain));
    out.write('"');
}

void serializeJSON(const IDataType & column_type, const IColumn & column, size_t row, WriteBuffer & out, const FormatSettings & settings)
{
    const IDataType & type = textTypeOf(column_type);
    const TypeIndex id = type.getTypeId();
    if (id == TypeIndex::Nullable)
    {
        const auto & nullable = static_cast<const ColumnNullable &>(column);
        if (nullable.isNullAt(row))
            return out.write("null", 4);
        return serializeJSON(*static_cast<const DataTypeNullable &>(type).getNestedType(), nullable.getNestedColumn(), row, out, settings);
    }
    if (id == TypeIndex::String)
        return writeJSONString(static_cast<const ColumnString &>(column)[row], out);
    if (id == TypeIndex::AggregateFunction)
        return writeJSONString(stateBytes(type, column, row), out);
    if (id == TypeIndex::Array)
    {
        const auto & arrays = static_cast<const ColumnArray &>(column);
        const IDataType & nested = *static_cast<const DataTypeArray &>(type).getNestedType();
        out.write('[');
        for (UInt64 i = arrays.offsetAt(row); i < arrays.getOffsets()[row]; ++i)
        {
            if (i != arrays.offsetAt(row))
                out.write(',');
            serializeJSON(nested, arrays.getData(), i, out, settings);
        }
        out.write(']');
        return;
    }
    if (id == TypeIndex::Tuple)
        return serializeJSONTuple(static_cast<const DataTypeTuple &>(type), static_cast<const ColumnTuple &>(column), row, out, settings);
    if (const StoredDataType * stored = tryStored(type))
    {
        std::string text;
        stored->print(column, row, text);
        return stored->isBare() ? out.write(text.data(), text.size()) : writeJSONString(text, out);
    }
    const bool number = dispatchNumber(id, [&]<typename T>() {
        const T value = static_cast<const ColumnVector<T> &>(column).getData()[row];
        if constexpr (std::is_floating_point_v<T>)
        {
            if (!std::isfinite(value))
                return out.write("null", 4);
        }
        const bool quoted = std::is_integral_v<T> && sizeof(T) == 8 && settings.json_quote_64bit_integers;
        if (quoted)
            out.write('"');
        DataTypeNumber<T>::print(value, out);
        if (quoted)
            out.write('"');
    });
    if (!number)
        throwError(ErrorCodes::NOT_IMPLEMENTED, concat("The type ", type.getName(), " cannot be written as JSON"));
}

void deserializeJSON(const IDataType & column_type, IColumn & column, JSONReader & reader, const FormatSettings & settings)
{
    const IDataType & type = textTypeOf(column_type);
    const int first = reader.peek();
    const TypeIndex id = type.getTypeId();
    if (first == 'n')
    {
        if (const std::string_view token = reader.readToken(); token != "null")
            throwError(
                ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                concat("Cannot parse JSON: expected a value, found ", quoteForError(token)));
        return insertNullValue(type, column, settings);
    }
    if (id == TypeIndex::Nullable)
        return static_cast<ColumnNullable &>(column).insertNotNull([&](IColumn & values) {
            deserializeJSON(*static_cast<const DataTypeNullable &>(type).getNestedType(), values, reader, settings);
        });
    if (id == TypeIndex::String)
    {
        auto & strings = static_cast<ColumnString &>(column);
        if (first == '"')
            return strings.insert(reader.readString());
        std::string raw;
        reader.skipValue(&raw);
        return strings.insert(raw);
    }
    if (id == TypeIndex::AggregateFunction)
        return static_cast<const DataTypeAggregateFunction &>(type).deserializeWhole(column, reader.readString());
    if (id == TypeIndex::Array)
    {
        auto & arrays = static_cast<ColumnArray &>(column);
        const IDataType & nested = *static_cast<const DataTypeArray &>(type).getNestedType();
        reader.expect('[');
        for (bool next = false; !reader.accept(']'); next = true)
        {
            if (next)
                reader.expect(',');
            deserializeJSON(nested, arrays.getData(), reader, settings);
        }
        return arrays.closeRow();
    }
    if (id == TypeIndex::Tuple)
        return deserializeJSONTuple(static_cast<const DataTypeTuple &>(type), static_cast<ColumnTuple &>(column), reader, settings);
    if (const StoredDataType * stored = tryStored(type))
        return stored->parse(column, first == '"' ? reader.readString() : reader.readToken());
    const bool number = dispatchNumber(id, [&]<typename T>() {
        const std::string_view text = first == '"' ? reader.readString() : reader.readToken();
        T value{};
        if (first == 't' && text == "true")
            value = 1;
        else if (first != 'f' || text != "false")
            value = DataTypeNumber<T>::parse(text);
        static_cast<ColumnVector<T> &>(column).getData().push_back(value);
    });
    if (!number)
        throwError(ErrorCodes::NOT_IMPLEMENTED, concat("The type ", type.getName(), " cannot be read from JSON"));
}

}
