#pragma once

#include "RowInputFormat.h"
#include "TextHeader.h"

#include <string>
#include <string_view>

namespace DB::inline statewire
{

/** CSV as ClickHouse reads it: fields between commas (FormatSettings::csv_delimiter), rows end with a line feed, with or without a carriage
 * return before it (the last row may lack both), and a delimiter behind the last field is passed over. Fields may stand in double quotes, in
 * which two quotes are one; blanks and tabs around a field do not belong to it. No backslash escapes. Numbers may stand in single quotes as
 * well. Without quotes, an empty field is its type's default and \N is NULL. Arrays are fields with the text form `[1,2]`, `['a','b']`.
 * CSVWithNames and CSVWithNamesAndTypes have a row of names, and a row of types, in front.
 *
 * Errors besides IInputFormat's: CANNOT_PARSE_INPUT_ASSERTION_FAILED for a row with too few fields or a quote that is not closed,
 * INCORRECT_DATA for too many.
 */
class CSVInputFormat final : public RowInputFormat
{
public:
    CSVInputFormat(ReadBuffer & in_, TextHeader header_, std::optional<NamesAndTypes> wanted_, const FormatSettings & settings_)
        : RowInputFormat(in_, std::move(wanted_), settings_), header(header_)
    {
    }

protected:
    FileColumns readPrefix() override;
    void readRow(const std::vector<IColumn *> & columns) override;

private:
    struct Field
    {
        /// Without quotes and what stands around them. Valid until the next call on `in`.
        std::string_view text;
        bool quoted = false;
    };

    [[nodiscard]] Field readField();
    [[nodiscard]] std::string_view readQuoted();
    void readValue(const IDataType & type, IColumn & column, Field field);
    /// Passes blanks and tabs that are not the delimiter.
    void skipBlanks();
    [[nodiscard]] bool isBlank(char c) const noexcept { return (c == ' ' || c == '\t') && c != settings.csv_delimiter; }
    /// Passes the end of a line when it is next; at the end of input it is.
    [[nodiscard]] bool passLineEnd();
    /// Passes what must follow field `field` of `fields`.
    void passDelimiter(size_t field, size_t fields);
    [[nodiscard]] std::vector<std::string> readHeaderLine();

    TextHeader header;
    std::string gathered;
    std::string unquoted;
};

}
