#include "ValuesInputFormat.h"

#include "defaultValues.h"
#include "readUntil.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeNullable.h"
#include "../DataTypes/StoredDataType.h"
#include "../DataTypes/dispatchNumber.h"
#include "../DataTypes/errorText.h"
#include "../base/asciiCase.h"

namespace DB::inline statewire
{

namespace
{
constexpr bool isSpace(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool isNumber(const IDataType & type)
{
    if (type.getTypeId() == TypeIndex::Nullable)
        return isNumber(*static_cast<const DataTypeNullable &>(type).getNestedType());
    return sizeOfNumber(type.getTypeId()) != 0;
}
}

FileColumns ValuesInputFormat::readPrefix()
{
    requireStructure("Values");
    /// The first thing is a bracket: whatever the columns are, a byte order mark belongs to none.
    if (!passByteOrderMark(TextHeader::Names).empty())
        throwError(ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, "Expected '(', found half a byte order mark at byte 0");
    return matchHeader(*wanted, wanted);
}

void ValuesInputFormat::skipSpaces()
{
    while (!in.eof() && isSpace(*in.position()))
        ++in.position();
}

void ValuesInputFormat::expect(char c)
{
    skipSpaces();
    if (in.eof() || *in.position() != c)
        throwError(
            ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
            concat(
                "Expected '", c, "' at byte ", in.count(), ", found ", in.eof() ? "the end" : quoteForError({in.position(), size_t{1}})));
    ++in.position();
}

bool ValuesInputFormat::isAtEnd()
{
    if (ended)
        return true;
    skipSpaces();
    if (any_row && !in.eof() && *in.position() == ',')
    {
        ++in.position();
        skipSpaces();
    }
    if (!in.eof() && *in.position() != ';')
        return false;
    ended = true;
    if (!in.eof())
        ++in.position();
    skipSpaces();
    if (!in.eof())
        throwError(ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, concat("Expected the end behind ';' at byte ", in.count()));
    return true;
}

std::string_view ValuesInputFormat::readLiteral()
{
    bool quoted = false;
    bool escaped = false;
    UInt64 depth = 0;
    bool stopped = false;
    std::string_view text = readUntil(in, gathered, settings.max_field_bytes, stopped, [&](const char * pos, const char * end) {
        for (; pos != end; ++pos)
        {
            const char c = *pos;
            if (escaped)
                escaped = false;
            else if (quoted && c == '\\')
                escaped = true;
            else if (c == '\'')
                quoted = !quoted;
            else if (quoted)
                continue;
            else if (c == '[' || c == '(')
                ++depth;
            else if (depth != 0 && (c == ']' || c == ')'))
                --depth;
            else if (depth == 0 && (c == ',' || c == ')'))
                break;
        }
        return pos;
    });
    if (!stopped)
        throwError(ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, concat("The input ends at byte ", in.count(), " within a value"));
    while (!text.empty() && isSpace(text.back()))
        text.remove_suffix(1);
    return text;
}

void ValuesInputFormat::readRow(const std::vector<IColumn *> & columns)
{
    any_row = true;
    expect('(');
    for (size_t i = 0; i < columns.size(); ++i)
    {
        skipSpaces();
        startValue(i);
        const IDataType & type = textTypeOf(*file_columns[i].type);
        std::string_view text = readLiteral();
        if (equalsIgnoringCase(text, "null"))
            insertNullValue(type, *columns[i], settings);
        else if (equalsIgnoringCase(text, "default"))
            columns[i]->insertDefault();
        else if (isNumber(type))
        {
            if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'')
                text = text.substr(1, text.size() - 2);
            else if (equalsIgnoringCase(text, "true"))
                text = "1";
            else if (equalsIgnoringCase(text, "false"))
                text = "0";
            type.deserializeTextEscaped(*columns[i], text);
        }
        else
        {
            const char * pos = text.data();
            const char * const end = pos + text.size();
            type.deserializeTextQuoted(*columns[i], pos, end);
            if (pos != end)
                throwError(
                    ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                    concat("Expected the end of the value, found ", quoteForError({pos, static_cast<size_t>(end - pos)})));
        }
        expect(i + 1 == columns.size() ? ')' : ',');
    }
}

}
