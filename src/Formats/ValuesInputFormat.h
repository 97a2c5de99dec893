#pragma once

#include "RowInputFormat.h"

#include <string>
#include <string_view>

namespace DB::inline statewire
{

/** Values: `(1,'text',[1,2]),(2,'',[])`, as behind INSERT ... VALUES in ClickHouse, with any white space, with or without commas between
 * rows and up to a semicolon or the end. Values are literals: numbers (also in quotes, or true and false), strings in single quotes,
 * arrays, NULL, DEFAULT; no expressions. A structure is required.
 *
 * Errors besides IInputFormat's: CANNOT_PARSE_INPUT_ASSERTION_FAILED where a bracket, comma or quote is missing.
 */
class ValuesInputFormat final : public RowInputFormat
{
public:
    using RowInputFormat::RowInputFormat;

protected:
    FileColumns readPrefix() override;
    void readRow(const std::vector<IColumn *> & columns) override;
    [[nodiscard]] bool isAtEnd() override;

private:
    void skipSpaces();
    void expect(char c);
    /// The text of a value up to the comma or bracket that ends it.
    [[nodiscard]] std::string_view readLiteral();

    std::string gathered;
    bool ended = false;
    bool any_row = false;
};

}
