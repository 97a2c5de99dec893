#include "groupTables.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>
#include <statewire/Interpreters/BlockGroups.h>
#include <statewire/Interpreters/SortedGroupsMerge.h>
#include <statewire/Interpreters/StoredGroups.h>

#include <algorithm>

using namespace DB;

namespace statewire_program
{

namespace
{
/// Files that are open at a time; more are merged in several rounds through temporary files.
constexpr size_t MAX_OPEN_FILES = 128;

/// One table, read block by block.
class Table
{
public:
    Table(const InputOptions & options, const std::string & path_, std::string_view default_format, const std::optional<NamesAndTypes> & structure)
        : path(path_)
    {
        withName([&] {
            file = std::make_unique<InputFile>(path, parseCompression(options.compression));
            format = createInputFormat(options.formatOf(path, default_format), file->data(), structure);
        });
    }

    const NamesAndTypes & getStructure()
    {
        const NamesAndTypes * structure = nullptr;
        withName([&] { structure = &format->getStructure(); });
        return *structure;
    }

    bool read(Block & block)
    {
        bool any = false;
        withName([&] { any = format->read(block); });
        return any;
    }

    [[nodiscard]] UInt64 rowsRead() const { return format->rowsRead(); }
    [[nodiscard]] UInt64 bytesRead() const { return file->bytesRead(); }

private:
    template <typename F>
    void withName(F && f) const
    {
        try
        {
            f();
        }
        catch (Exception & e)
        {
            e.addMessage(concat("in file ", inputName(path)));
            throw;
        }
    }

    std::string path;
    std::unique_ptr<InputFile> file;
    std::unique_ptr<IInputFormat> format;
};

/// The tables of a merge, opened one after another, and what was read of them.
class Tables
{
public:
    Tables(const InputOptions & options_, std::string_view default_format_)
        : options(options_), default_format(default_format_), paths(options.paths()), structure(options.givenStructure()),
          progress(options.progress_option->count() != 0 ? std::optional(options.progress) : std::nullopt, totalSize(paths))
    {
    }

    /// Opens the next table; nullptr behind the last one.
    std::shared_ptr<Table> open()
    {
        if (next_path == paths.size())
            return nullptr;
        auto table = std::make_shared<Table>(options, paths[next_path++], default_format, structure);
        if (!structure)
            if (const NamesAndTypes & found = table->getStructure(); !found.empty())
                structure = found;
        return table;
    }

    [[nodiscard]] const std::optional<NamesAndTypes> & getStructure() const noexcept { return structure; }
    [[nodiscard]] size_t left() const noexcept { return paths.size() - next_path; }
    [[nodiscard]] std::string lastName() const { return inputName(paths[next_path - 1]); }

    bool read(Table & table, Block & block)
    {
        const UInt64 rows_before = table.rowsRead();
        const UInt64 bytes_before = table.bytesRead();
        const bool any = table.read(block);
        rows += table.rowsRead() - rows_before;
        bytes += table.bytesRead() - bytes_before;
        progress.update(rows, bytes);
        return any;
    }

    void finish() { progress.finish(); }

private:
    const InputOptions & options;
    std::string_view default_format;
    std::vector<std::string> paths;
    size_t next_path = 0;
    std::optional<NamesAndTypes> structure;
    UInt64 rows = 0;
    UInt64 bytes = 0;
    Progress progress;
};
}

void mergeTables(
    const InputOptions & input, const char * default_input_format, const OutputOptions & output, const MakeAggregator & make_aggregator,
    const std::string & temporary_directory)
{
    const std::string format_name = output.formatOr("Native");
    requireFormat(format_name);
    OutputFile output_file(output.path, output.codec);
    Tables tables(input, default_input_format);
    std::vector<std::pair<std::shared_ptr<Table>, std::string>> first;
    while (!tables.getStructure())
    {
        std::shared_ptr<Table> table = tables.open();
        if (!table)
            throwError(ErrorCodes::BAD_ARGUMENTS, "No input says what its columns are: give --structure");
        /// One without columns has no rows either.
        if (tables.getStructure())
            first.emplace_back(std::move(table), tables.lastName());
    }

    const Aggregator aggregator = make_aggregator(*tables.getStructure());
    const auto open_some = [&](std::vector<SortedGroupsPtr> & inputs) {
        const auto add = [&](std::shared_ptr<Table> table, std::string name) {
            inputs.push_back(std::make_unique<BlockGroups>(
                aggregator, [&tables, table = std::move(table)](Block & block) { return tables.read(*table, block); }, std::move(name)));
        };
        for (auto & [table, name] : first)
            add(std::move(table), std::move(name));
        first.clear();
        while (inputs.size() < MAX_OPEN_FILES)
        {
            std::shared_ptr<Table> table = tables.open();
            if (!table)
                return;
            add(std::move(table), tables.lastName());
        }
    };

    std::vector<std::unique_ptr<StoredGroups>> stored;
    std::vector<SortedGroupsPtr> inputs;
    open_some(inputs);
    while (tables.left() != 0)
    {
        stored.push_back(std::make_unique<StoredGroups>(aggregator, temporary_directory, inputs, 0));
        inputs.clear();
        open_some(inputs);
    }
    std::vector<SortedGroupsPtr> all;
    for (const auto & file : stored)
        all.push_back(file->read());
    for (SortedGroupsPtr & groups : inputs)
        all.push_back(std::move(groups));

    const auto format = createOutputFormat(format_name, output_file.data(), aggregator.getHeader());
    mergeSortedGroups(aggregator, all, {}, [&](const Block & result) { format->write(result); });
    format->finalize();
    output_file.finalize();
    tables.finish();
}

}
