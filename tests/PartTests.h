#pragma once

#include "FormatTests.h"
#include "IOTestHelpers.h"
#include "Vectors.h"

#include <statewire/Compression/CompressedWriteBuffer.h>
#include <statewire/IO/WriteBufferFromFile.h>
#include <statewire/Storages/MergeTreePartReader.h>
#include <statewire/base/unaligned.h>

#include <filesystem>
#include <string>
#include <system_error>

/** Folders of parts, made and damaged. */
namespace statewire_tests
{

/// The parts that the engine wrote.
inline std::filesystem::path parts() { return dataDirectory() / "clickhouse" / "parts"; }

inline DB::PartSettings settingsOf(DB::PartVerification verification, DB::UInt64 granularity = 8192)
{
    DB::PartSettings settings;
    settings.verification = verification;
    settings.index_granularity = granularity;
    return settings;
}

inline void writeFile(const std::filesystem::path & path, std::string_view bytes)
{
    DB::WriteBufferFromFile out(path.string());
    out.write(bytes.data(), bytes.size());
    out.finalize();
}

inline std::string numbersLE(std::initializer_list<DB::UInt64> numbers)
{
    std::string result;
    for (const DB::UInt64 number : numbers)
    {
        char bytes[8];
        DB::unalignedStoreLittleEndian<DB::UInt64>(bytes, number);
        result.append(bytes, 8);
    }
    return result;
}

/// One compressed frame for each piece.
inline std::string framesOf(const std::vector<std::string> & pieces, const std::string & codec = "LZ4")
{
    std::string bytes;
    DB::WriteBufferFromString out(bytes);
    DB::CompressedWriteBuffer frames(out, DB::createCompressionCodec(codec));
    for (const std::string & piece : pieces)
    {
        frames.write(piece.data(), piece.size());
        frames.next();
    }
    frames.finalize();
    out.finalize();
    return bytes;
}

/// All blocks of a part.
inline std::vector<DB::Block>
readPart(const std::string & folder, const std::vector<std::string> & columns = {}, const DB::PartSettings & settings = {})
{
    DB::MergeTreePartReader reader(folder, columns, settings);
    std::vector<DB::Block> blocks;
    DB::Block block;
    while (reader.read(block))
        blocks.push_back(block);
    return blocks;
}

/// Every granule, the last one first, so that each is found by its marks alone; given in their order.
inline std::vector<DB::Block> readBackwards(DB::MergeTreePartReader & reader)
{
    std::vector<DB::Block> blocks(reader.granules());
    for (size_t granule = reader.granules(); granule != 0; --granule)
        blocks[granule - 1] = reader.readGranule(granule - 1);
    return blocks;
}

/// A copy of a part that may be damaged: links, of which replace() and remove() leave the other end alone.
class PartCopy
{
public:
    explicit PartCopy(const std::filesystem::path & part)
    {
        using Options = std::filesystem::copy_options;
        std::error_code across_file_systems;
        std::filesystem::copy(part, path(), Options::recursive | Options::create_hard_links, across_file_systems);
        if (across_file_systems)
            std::filesystem::copy(part, path(), Options::recursive | Options::overwrite_existing);
    }

    [[nodiscard]] std::string path() const { return folder.path("part"); }
    [[nodiscard]] std::string file(const std::string & name) const { return path() + "/" + name; }
    void replace(const std::string & name, std::string_view bytes) const
    {
        std::filesystem::remove(file(name));
        writeFile(file(name), bytes);
    }
    void remove(const std::string & name) const { std::filesystem::remove(file(name)); }

private:
    TemporaryFolder folder;
};

}
