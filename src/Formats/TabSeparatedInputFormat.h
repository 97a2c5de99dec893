#pragma once

#include "RowInputFormat.h"
#include "TextHeader.h"

#include <string>
#include <string_view>

namespace DB::inline statewire
{

/// How fields stand in TabSeparated: escaped with backslashes, or as they are (TabSeparatedRaw).
enum class TabSeparatedFields
{
    Escaped,
    Raw
};

/** TabSeparated: fields between tabs, rows end with a line feed (the last one may lack it), special characters escaped with a backslash;
 * a line feed behind a backslash belongs to the field. \N is NULL. TabSeparatedWithNames and ...WithNamesAndTypes have a line of names, and
 * a line of types, in front. In TabSeparatedRaw strings and states have no escapes, so they hold no tab and no line feed.
 *
 * Fields that lie in the working buffer in one piece are parsed in place. Errors besides IInputFormat's: a row with fewer or more fields
 * than the header is CANNOT_PARSE_INPUT_ASSERTION_FAILED; a carriage return at the end of the first line INCORRECT_DATA, as in ClickHouse:
 * it would become part of every row's last value.
 */
class TabSeparatedInputFormat final : public RowInputFormat
{
public:
    TabSeparatedInputFormat(
        ReadBuffer & in_,
        TextHeader header_,
        TabSeparatedFields fields_,
        std::optional<NamesAndTypes> wanted_,
        const FormatSettings & settings_)
        : RowInputFormat(in_, std::move(wanted_), settings_), header(header_), raw(fields_ == TabSeparatedFields::Raw)
    {
    }

protected:
    FileColumns readPrefix() override;
    void readRow(const std::vector<IColumn *> & columns) override;

private:
    /// One field, still escaped, with the cursor left at what ended it: a tab, a line feed or the end. Valid until the next call on `in`.
    [[nodiscard]] std::string_view readField();
    void readValue(const IDataType & type, IColumn & column, std::string_view field);
    void requireNoCarriageReturn(std::string_view last_field);
    /// Passes what must follow field `field` of `fields`.
    void passDelimiter(size_t field, size_t fields);
    /// A line of unescaped fields.
    [[nodiscard]] std::vector<std::string> readHeaderLine();

    TextHeader header;
    bool raw;
    bool first_line = true;
    std::string gathered;
};

}
