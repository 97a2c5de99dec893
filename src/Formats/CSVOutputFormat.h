#pragma once

#include "FormatSettings.h"
#include "IOutputFormat.h"
#include "TextHeader.h"

namespace DB::inline statewire
{

/// CSV and its forms with a header, as CSVInputFormat reads them and ClickHouse writes them: strings, states, arrays and names in double
/// quotes. Contract, errors and threads: IOutputFormat.
class CSVOutputFormat final : public IOutputFormat
{
public:
    CSVOutputFormat(WriteBuffer & out_, TextHeader header_, NamesAndTypes structure_, const FormatSettings & settings_)
        : IOutputFormat(out_, std::move(structure_)), header(header_), delimiter(settings_.csv_delimiter)
    {
    }

protected:
    void writePrefix() override;
    void writeBlock(const Block & block) override;

private:
    void writeValue(const IDataType & type, const IColumn & column, size_t row);
    /// In double quotes, with two for each one in it.
    void writeQuoted(std::string_view text);
    void endField(size_t field) { out.write(field + 1 == structure.size() ? '\n' : delimiter); }

    TextHeader header;
    char delimiter;
};

}
