#include "TableReader.h"

using namespace DB;

namespace statewire_program
{

InputTables::InputTables(const InputOptions & options_, std::string_view default_format_)
    : options(options_),
      default_format(default_format_),
      paths(options.paths()),
      structure(options.givenStructure()),
      progress(options.progress_option->count() != 0 ? std::optional(options.progress) : std::nullopt, totalSize(paths))
{
    if (!options.format.empty())
        requireFormat(options.format);
}

std::unique_ptr<InputTable> InputTables::open()
{
    if (next_path == paths.size())
        return nullptr;
    const std::string & path = paths[next_path++];
    auto table
        = std::make_unique<InputTable>(options, path, default_format, part_columns && InputTable::isPart(path) ? part_columns : structure);
    if (!structure)
        if (const NamesAndTypes & found = table->getStructure(); !found.empty())
            structure = found;
    /// Opening and looking at the structure read ahead.
    bytes += table->bytesRead();
    return table;
}

std::unique_ptr<InputTable> InputTables::reopen()
{
    --next_path;
    return open();
}

bool InputTables::read(InputTable & table, Block & block)
{
    const UInt64 rows_before = table.rowsRead();
    const UInt64 bytes_before = table.bytesRead();
    const bool any = table.read(block);
    rows += table.rowsRead() - rows_before;
    bytes += table.bytesRead() - bytes_before;
    progress.update(rows, bytes);
    return any;
}

const NamesAndTypes & TableReader::getStructure()
{
    static const NamesAndTypes nothing;
    /// One without columns has no rows either.
    while (!tables.getStructure() && (table = tables.open()))
        left_out = table->leftOut();
    return tables.getStructure() ? *tables.getStructure() : nothing;
}

void TableReader::lookAtOnly(const NamesAndTypes & columns)
{
    tables.setPartColumns(columns);
    if (table && table->isPart())
        table = tables.reopen();
}

bool TableReader::read(Block & block)
{
    while (table || (table = tables.open()))
    {
        if (tables.read(*table, block))
            return true;
        table.reset();
    }
    return false;
}

}
