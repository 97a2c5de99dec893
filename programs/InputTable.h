#pragma once

#include "Options.h"

#include <statewire/Formats/IInputFormat.h>
#include <statewire/Storages/MergeTreePartReader.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace statewire_program
{

/** One input that is a table, whatever it is: a file or stdin in any format and compression, or the folder of a part. Every command opens its
 * inputs here.
 *
 * Errors: what opening and reading say, with the input's name behind it.
 */
class InputTable
{
public:
    /// Without a structure the input's own is taken, where it has one.
    InputTable(
        const InputOptions & options,
        std::string path_,
        std::string_view default_format,
        const std::optional<DB::NamesAndTypes> & structure);

    /// Empty when nobody says what the columns are and there are no rows.
    [[nodiscard]] const DB::NamesAndTypes & getStructure();
    /// The columns of a part that are not in its structure, because they cannot be read.
    [[nodiscard]] const std::vector<DB::UnreadableColumn> & leftOut() const noexcept { return left_out; }
    /// False at the end.
    [[nodiscard]] bool read(DB::Block & block);

    [[nodiscard]] static bool isPart(const std::string & path);
    [[nodiscard]] bool isPart() const noexcept { return !file; }

    /// For error texts.
    [[nodiscard]] std::string name() const { return inputName(path); }
    [[nodiscard]] DB::UInt64 rowsRead() const noexcept { return format->rowsRead(); }
    /// Of a file, as it lies there; 0 for a part.
    [[nodiscard]] DB::UInt64 bytesRead() const noexcept { return file ? file->bytesRead() : 0; }
    /// Descriptors that it holds.
    [[nodiscard]] size_t openFiles() const noexcept { return open_files; }

private:
    template <typename F>
    decltype(auto) namingErrors(F && f) const;

    std::string path;
    std::string format_hint;
    std::unique_ptr<InputFile> file;
    std::unique_ptr<DB::IInputFormat> format;
    std::vector<DB::UnreadableColumn> left_out;
    size_t open_files = 1;
};

}
