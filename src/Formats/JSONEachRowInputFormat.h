#pragma once

#include "JSONText.h"
#include "RowInputFormat.h"

#include <absl/container/flat_hash_map.h>

namespace DB::inline statewire
{

/** JSONEachRow: an object a row, `{"k":1,"s":"text"}`, with any white space, and at most one comma, between rows; or all rows in one array.
 *
 * Fields are matched by name; one that a row does not have gets its type's default, as in ClickHouse, and fields that nobody wants are
 * passed over (FormatSettings::skip_unknown_fields). The same field twice in a row is INCORRECT_DATA. A structure is required.
 * Errors besides IInputFormat's: those of JSONReader and deserializeJSON.
 */
class JSONEachRowInputFormat final : public RowInputFormat
{
public:
    JSONEachRowInputFormat(ReadBuffer & in_, std::optional<NamesAndTypes> wanted_, const FormatSettings & settings_);

protected:
    FileColumns readPrefix() override;
    void readRow(const std::vector<IColumn *> & columns) override;
    [[nodiscard]] bool isAtEnd() override;

private:
    /// The column of a name, which is most often the one behind the last; nothing for a field that nobody wants.
    [[nodiscard]] std::optional<size_t> findColumn(std::string_view name, size_t guess) const;

    JSONReader reader;
    absl::flat_hash_map<std::string_view, size_t> positions;
    /// The number of the row that set a column last.
    std::vector<UInt64> seen;
    UInt64 row_number = 0;
    bool in_array = false;
    bool array_ended = false;
};

}
