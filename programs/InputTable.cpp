#include "InputTable.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>

using namespace DB;

namespace statewire_program
{

template <typename F>
decltype(auto) InputTable::namingErrors(F && f) const
{
    try
    {
        return f();
    }
    catch (Exception & e)
    {
        if (!format_hint.empty() && (!format || format->rowsRead() == 0))
            e.addMessage(format_hint);
        e.addMessage(concat("in file ", name()));
        throw;
    }
}

InputTable::InputTable(
    const InputOptions & options, std::string path_, std::string_view default_format, const std::optional<NamesAndTypes> & structure)
    : path(std::move(path_))
{
    namingErrors([&] {
        if (isPart(path))
        {
            auto part = openPart(path, structure, options.partSettings(), &left_out);
            open_files = part->openFiles();
            format = std::move(part);
            return;
        }
        if (options.granule_option->count() != 0)
            throwError(ErrorCodes::BAD_ARGUMENTS, "--granule is for folders of parts");
        file = std::make_unique<InputFile>(path, parseCompression(options.compression));
        const std::string format_name = options.formatOf(path, default_format);
        format_hint = options.formatHint(path, default_format);
        format = createInputFormat(format_name, file->data(), structure, options.formatSettings(format_name));
    });
}

bool InputTable::isPart(const std::string & path) { return MergeTreePart::isPart(path); }

const NamesAndTypes & InputTable::getStructure()
{
    return namingErrors([&]() -> const NamesAndTypes & { return format->getStructure(); });
}

bool InputTable::read(Block & block)
{
    return namingErrors([&] { return format->read(block); });
}

}
