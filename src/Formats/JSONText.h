#pragma once

#include "FormatSettings.h"

#include "../Columns/IColumn.h"
#include "../DataTypes/IDataType.h"
#include "../IO/ReadBuffer.h"
#include "../IO/WriteBuffer.h"

#include <string>
#include <string_view>

/** Values in JSON as ClickHouse writes and reads them: bytes above 127 as they are, whether or not they are UTF-8, so that no string and no
 * state is changed; integers of 64 bits with all their digits; infinities and NaN as null.
 */
namespace DB::inline statewire
{

/** Reads the parts of a JSON text where they lie in a ReadBuffer, however it is torn.
 *
 * Errors: CANNOT_PARSE_INPUT_ASSERTION_FAILED for anything that is not JSON, CANNOT_PARSE_ESCAPE_SEQUENCE for half a surrogate pair and bad
 * digits behind \\u, CANNOT_READ_ALL_DATA at an early end. Behind a backslash any other character stands for itself, as in ClickHouse.
 */
class JSONReader
{
public:
    JSONReader(ReadBuffer & in_, UInt64 max_field_bytes_) : in(in_), max_field_bytes(max_field_bytes_) { }

    /// Passes white space and returns the next byte, -1 at the end of input.
    [[nodiscard]] int peek();
    /// The next byte behind white space must be `c`.
    void expect(char c);
    /// Passes `c` when it is the next byte behind white space.
    [[nodiscard]] bool accept(char c);
    /// The bytes of a string, without its quotes and escapes. Valid until the next call.
    [[nodiscard]] std::string_view readString();
    /// A number or a word. Valid until the next call.
    [[nodiscard]] std::string_view readToken();
    /// Passes one value of any kind, at most 1000 levels deep; its text is appended to `raw`, if there is one, without white space.
    void skipValue(std::string * raw) { skipValue(raw, 1); }
    [[noreturn]] void throwExpected(std::string_view what);

private:
    void skipValue(std::string * raw, size_t depth);

    ReadBuffer & in;
    UInt64 max_field_bytes;
    std::string gathered;
    std::string unescaped;
};

void writeJSONString(std::string_view value, WriteBuffer & out);
void serializeJSON(const IDataType & type, const IColumn & column, size_t row, WriteBuffer & out, const FormatSettings & settings);

/** Appends the next value. Besides the type's own form, as in ClickHouse: numbers in quotes, true and false for 1 and 0, and for a String
 * the text of any other value. Arrays are read element by element.
 */
void deserializeJSON(const IDataType & type, IColumn & column, JSONReader & reader, const FormatSettings & settings);

}
