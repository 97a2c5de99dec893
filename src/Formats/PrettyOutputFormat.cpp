#include "PrettyOutputFormat.h"

#include "visibleText.h"

#include "../DataTypes/StoredDataType.h"
#include "../DataTypes/dispatchNumber.h"
#include "../IO/WriteBufferFromVector.h"

#include <algorithm>
#include <limits>

namespace DB::inline statewire
{

namespace
{
struct Cell
{
    std::string text;
    size_t width = 0;
};

Cell cellOf(const IDataType & type, const IColumn & column, size_t row, size_t max_width)
{
    std::string text;
    WriteBufferFromString out(text);
    type.serializeTextEscaped(column, row, out);
    out.finalize();
    Cell cell;
    cell.text = visibleText(text, max_width, cell.width);
    return cell;
}

bool isAtTheRight(const IDataType & column_type)
{
    const IDataType & type = textTypeOf(column_type);
    const StoredDataType * stored = tryStored(type);
    return stored ? stored->isAtTheRight() : sizeOfNumber(type.getTypeId()) != 0;
}

/// The parts of a line across the table.
struct Line
{
    std::string_view left;
    std::string_view middle;
    std::string_view right;
    std::string_view fill;
};

constexpr Line HEAVY_TOP = {"┏", "┳", "┓", "━"};
constexpr Line HEAVY_BOTTOM = {"┡", "╇", "┩", "━"};
constexpr Line BETWEEN = {"├", "┼", "┤", "─"};
constexpr Line BOTTOM = {"└", "┴", "┘", "─"};
}

void PrettyOutputFormat::writeBlock(const Block & block)
{
    rows_seen += block.rows();
    const auto rows
        = static_cast<size_t>(std::min<UInt64>(block.rows(), settings.pretty_max_rows - std::min(settings.pretty_max_rows, rows_shown)));
    if (rows == 0)
        return;
    if (kind == PrettyKind::Vertical)
        writeRows(block, rows);
    else
        writeTable(block, rows);
    rows_shown += rows;
}

void PrettyOutputFormat::writeTable(const Block & block, size_t rows)
{
    const size_t columns = structure.size();
    std::vector<Cell> names(columns);
    std::vector<std::vector<Cell>> cells(columns);
    std::vector<size_t> widths(columns);
    std::vector<bool> right(columns);
    for (size_t i = 0; i < columns; ++i)
    {
        names[i].text = visibleText(structure[i].name, settings.pretty_max_value_width, names[i].width);
        widths[i] = names[i].width;
        right[i] = isAtTheRight(*structure[i].type);
        for (size_t row = 0; row < rows; ++row)
        {
            cells[i].push_back(cellOf(*structure[i].type, *block.getByPosition(i).column, row, settings.pretty_max_value_width));
            widths[i] = std::max(widths[i], cells[i].back().width);
        }
    }
    const std::string last_number = std::to_string(rows_shown + rows);
    const size_t margin = last_number.size() + 2;
    const auto line = [&](const Line & parts) {
        repeat(" ", margin);
        for (size_t i = 0; i < columns; ++i)
        {
            write(i == 0 ? parts.left : parts.middle);
            repeat(parts.fill, widths[i] + 2);
        }
        write(parts.right);
        out.write('\n');
    };
    const auto padded = [&](const Cell & cell, size_t column) {
        const size_t padding = widths[column] - cell.width;
        out.write(' ');
        repeat(" ", right[column] ? padding : 0);
        write(cell.text);
        repeat(" ", right[column] ? 1 : padding + 1);
    };

    if (kind == PrettyKind::Grid)
    {
        line(HEAVY_TOP);
        repeat(" ", margin);
        for (size_t i = 0; i < columns; ++i)
        {
            write("┃");
            padded(names[i], i);
        }
        write("┃\n");
        line(HEAVY_BOTTOM);
    }
    else
    {
        repeat(" ", margin);
        for (size_t i = 0; i < columns; ++i)
        {
            const size_t padding = widths[i] - names[i].width;
            write(i == 0 ? "┌─" : "┬─");
            repeat("─", right[i] ? padding : 0);
            write(names[i].text);
            repeat("─", right[i] ? 1 : padding + 1);
        }
        write("┐\n");
    }
    for (size_t row = 0; row < rows; ++row)
    {
        if (row != 0 && kind == PrettyKind::Grid)
            line(BETWEEN);
        const std::string number = std::to_string(rows_shown + row + 1);
        repeat(" ", last_number.size() - number.size());
        write(number);
        write(". ");
        for (size_t i = 0; i < columns; ++i)
        {
            write("│");
            padded(cells[i][row], i);
        }
        write("│\n");
    }
    line(BOTTOM);
}

void PrettyOutputFormat::writeRows(const Block & block, size_t rows)
{
    size_t width = 0;
    std::vector<Cell> names(structure.size());
    for (size_t i = 0; i < structure.size(); ++i)
    {
        names[i].text = visibleText(structure[i].name, settings.pretty_max_value_width, names[i].width);
        width = std::max(width, names[i].width);
    }
    for (size_t row = 0; row < rows; ++row)
    {
        const std::string title = "Row " + std::to_string(rows_shown + row + 1) + ":";
        write(rows_shown + row == 0 ? "" : "\n");
        write(title);
        out.write('\n');
        /// The engine draws the line for the next row's number.
        repeat("─", 5 + std::to_string(rows_shown + row + 2).size());
        out.write('\n');
        for (size_t i = 0; i < structure.size(); ++i)
        {
            write(names[i].text);
            out.write(':');
            repeat(" ", width - names[i].width + 1);
            write(cellOf(*structure[i].type, *block.getByPosition(i).column, row, std::numeric_limits<size_t>::max()).text);
            out.write('\n');
        }
    }
}

void PrettyOutputFormat::writeSuffix()
{
    if (rows_seen == rows_shown)
        return;
    write("Showed ");
    write(std::to_string(rows_shown));
    write(" out of ");
    write(std::to_string(rows_seen));
    write(" rows.\n");
}

}
