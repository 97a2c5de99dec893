#pragma once

#include "FileColumns.h"
#include "FormatSettings.h"
#include "IInputFormat.h"

#include "../IO/ReadBuffer.h"

#include <optional>
#include <string_view>

namespace DB::inline statewire
{

/** Native, as ClickHouse writes it to files (revision 0): blocks one after another, each
 *
 *     VarUInt columns, VarUInt rows, then for each column: name, type name (VarUInt length and bytes each), the values when rows > 0
 *
 * With FormatSettings::native_custom_serialization a byte stands behind each type name: 0, as what is not 0 is NOT_IMPLEMENTED (sparse and
 * other serializations). The end of input is legal between blocks only; blocks without rows are passed over. Every block is matched with the structure by itself,
 * so blocks may order their columns differently. A block is as large as its writer made it.
 * Contract, errors and threads: IInputFormat.
 */
class NativeInputFormat final : public IInputFormat
{
public:
    NativeInputFormat(ReadBuffer & in_, std::optional<NamesAndTypes> wanted_, const FormatSettings & settings_);

    [[nodiscard]] const NamesAndTypes & getStructure() override;
    [[nodiscard]] bool read(Block & block) override;
    [[nodiscard]] UInt64 rowsRead() const noexcept override { return rows_read; }

private:
    struct FileBlock
    {
        NamesAndTypes header;
        std::vector<ColumnPtr> columns;
        UInt64 rows = 0;
    };

    /// False at the end of input.
    [[nodiscard]] bool readFileBlock(FileBlock & block);
    void readSerializationByte(const NameAndType & column);
    /// Runs `read_part`; its errors say which block it was, and `of` what in it.
    template <typename Read>
    void readHeaderPart(std::string_view of, Read && read_part);
    [[nodiscard]] ColumnPtr readColumn(const NameAndType & column, UInt64 rows);
    [[nodiscard]] Block matchBlock(FileBlock & file_block);

    ReadBuffer & in;
    std::optional<NamesAndTypes> wanted;
    const FormatSettings settings;
    /// Holds the first block when the structure was asked for before it was read.
    std::optional<Block> first;
    UInt64 rows_read = 0;
};

}
