#pragma once

#include "RowInputFormat.h"

#include <string>
#include <string_view>

namespace DB::inline statewire
{

/// What precedes the rows of a text format.
enum class TextHeader
{
    None,
    Names,
    NamesAndTypes
};

/** TabSeparated: fields between tabs, rows end with a line feed (the last one may lack it), special characters escaped with a backslash;
 * a line feed behind a backslash belongs to the field. TabSeparatedWithNames and ...WithNamesAndTypes have a line of names, and a line of
 * types, in front.
 *
 * Fields that lie in the working buffer in one piece are parsed in place. Errors besides IInputFormat's: a row with fewer or more fields
 * than the header is CANNOT_PARSE_INPUT_ASSERTION_FAILED.
 */
class TabSeparatedInputFormat final : public RowInputFormat
{
public:
    TabSeparatedInputFormat(ReadBuffer & in_, TextHeader header_, std::optional<NamesAndTypes> wanted_, const FormatSettings & settings_)
        : RowInputFormat(in_, std::move(wanted_), settings_), header(header_)
    {
    }

protected:
    FileColumns readPrefix() override;
    void readRow(const std::vector<IColumn *> & columns) override;

private:
    /// One field, still escaped, with the cursor left at what ended it: a tab, a line feed or the end. Valid until the next call on `in`.
    [[nodiscard]] std::string_view readField();
    /// Passes what must follow field `field` of `fields`.
    void passDelimiter(size_t field, size_t fields);
    /// A line of unescaped fields.
    [[nodiscard]] std::vector<std::string> readHeaderLine();

    TextHeader header;
    std::string gathered;
};

}
