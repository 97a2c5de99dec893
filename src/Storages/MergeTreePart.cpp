#include "MergeTreePart.h"

#include "PartFiles.h"
#include "SipHash.h"

#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "../Compression/CompressedReadBuffer.h"
#include "../IO/ReadBufferFromMemory.h"

namespace DB::inline statewire
{

namespace
{
constexpr const char * WIDE_EXTENSIONS[] = {".cmrk2", ".mrk2", ".cmrk", ".mrk"};
constexpr const char * COMPACT_EXTENSIONS[] = {".cmrk4", ".mrk4", ".cmrk3", ".mrk3"};
}

bool MergeTreePart::isPart(const std::string & path) { return fileExists(path + "/columns.txt") && fileExists(path + "/count.txt"); }

void MergeTreePart::checkHashOf(const std::string & file) const
{
    if (checksums && settings.verification == PartVerification::Hashes)
        checksums->checkHash(path, file);
}

std::string MergeTreePart::readText(const std::string & file) const
{
    checkHashOf(file);
    return readSmallFile(pathOf(file), settings.max_text_bytes);
}

std::optional<std::string> MergeTreePart::readTextIfThere(const std::string & file) const
{
    if (!fileExists(pathOf(file)))
        return std::nullopt;
    return readText(file);
}

MergeTreePart::MergeTreePart(const std::string & folder_, const PartSettings & settings_) : path(folder_), settings(settings_)
{
    while (path.size() > 1 && path.back() == '/')
        path.pop_back();
    if (settings.index_granularity == 0)
        throwError(ErrorCodes::BAD_ARGUMENTS, "An index granularity of 0 rows");
    if (const auto checksums_text = readTextIfThere("checksums.txt"))
    {
        checksums = MergeTreeChecksums::parse(*checksums_text, pathOf("checksums.txt"));
        if (settings.verification == PartVerification::AllHashes)
            checksums->checkHashes(path);
        else
            checksums->checkSizes(path);
    }
    const std::string columns_text = readText("columns.txt");
    const std::string count_text = readText("count.txt");
    part_columns
        = MergeTreeColumns::parse(columns_text, readTextIfThere("columns_substreams.txt"), readTextIfThere("serialization.json"), path);
    const std::string count_path = pathOf("count.txt");
    PartText count(count_text, count_path);
    row_count = count.readNumber();
    if (!count.atEnd())
        count.expect("\n");
    if (!count.atEnd())
        count.throwBad("the end");
    for (const char * extension : COMPACT_EXTENSIONS)
        if (compact_marks.empty() && fileExists(pathOf(std::string("data") + extension)))
            compact_marks = extension;
    if (compact_marks.ends_with('4') && !part_columns.haveSubstreams())
        throwError(
            ErrorCodes::FILE_DOESNT_EXIST,
            concat("The file ", pathOf("columns_substreams.txt"), " is missing, without which data", compact_marks, " cannot be read"));
}

size_t MergeTreePart::firstStreamOf(size_t column) const noexcept
{
    if (!compact_marks.ends_with('4'))
        return column;
    size_t first = 0;
    for (size_t i = 0; i < column; ++i)
        first += part_columns.columns()[i].substreams.size();
    return first;
}

std::string MergeTreePart::fileOf(const std::string & stream) const
{
    if (isCompact() || fileExists(pathOf(stream + ".bin")))
        return stream;
    std::string hash = toHex(sipHash128(stream));
    return fileExists(pathOf(hash + ".bin")) ? hash : stream;
}

MergeTreeMarks MergeTreePart::readMarks(const std::string & stream_file) const
{
    std::string file;
    if (isCompact())
        file = stream_file + compact_marks;
    else
        for (const char * extension : WIDE_EXTENSIONS)
            if (file.empty() && fileExists(pathOf(stream_file + extension)))
                file = stream_file + extension;
    if (file.empty())
        throwError(ErrorCodes::FILE_DOESNT_EXIST, concat("There is no file of marks for ", pathOf(stream_file + ".bin")));
    const std::string file_path = pathOf(file);
    checkHashOf(file);
    std::string bytes = readSmallFile(file_path, settings.max_mark_bytes);
    const std::string_view extension = std::string_view(file).substr(stream_file.size());
    if (extension.starts_with(".c"))
    {
        ReadBufferFromMemory compressed(bytes);
        CompressedReadBuffer frames(compressed, settings.frame_limits);
        std::string decompressed;
        try
        {
            while (!frames.eof())
            {
                if (decompressed.size() + frames.available() > settings.max_mark_bytes)
                    throwError(ErrorCodes::LIMIT_EXCEEDED, concat("Marks of more than ", settings.max_mark_bytes, " bytes"));
                decompressed.append(frames.position(), frames.available());
                frames.position() += frames.available();
            }
        }
        catch (Exception & e)
        {
            e.addMessage(concat("while reading the file ", file_path, ", at byte ", compressed.count()));
            throw;
        }
        bytes = std::move(decompressed);
    }
    const bool fixed = !isCompact() && !extension.ends_with('2');
    const MergeTreeMarks marks = fixed
        ? MergeTreeMarks::parseFixed(bytes, row_count, settings.index_granularity, file_path)
        : MergeTreeMarks::parseAdaptive(bytes, isCompact() ? firstStreamOf(part_columns.columns().size()) : 1, file_path);
    if (marks.totalRows() != row_count)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat(
                "The file ",
                file_path,
                " has marks for ",
                marks.totalRows(),
                " rows, but the file ",
                pathOf("count.txt"),
                " says ",
                row_count));
    return marks;
}

}
