#include "MergeTreeChecksums.h"

#include "PartFiles.h"
#include "SipHash.h"

#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "../Compression/CompressedReadBuffer.h"
#include "../DataTypes/errorText.h"
#include "../Formats/EncodedStates.h"
#include "../Formats/FileColumns.h"
#include "../IO/ChainedCityHash128.h"
#include "../IO/ReadBufferFromFileDescriptor.h"
#include "../IO/ReadBufferFromMemory.h"
#include "../IO/VarInt.h"
#include "../base/unaligned.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
constexpr std::string_view TITLE = "checksums format version: ";
/// The decompressed hash of a compact part's data.bin is made of those of its codecs' columns, not of the bytes in their order.
constexpr std::string_view COMPACT_MARKS[] = {"data.cmrk4", "data.mrk4", "data.cmrk3", "data.mrk3"};
/// File names of a file system are shorter.
constexpr UInt64 MAX_NAME_SIZE = 4096;
constexpr std::string_view PROJECTION_SUFFIX = ".proj";
constexpr UInt64 MAX_PROJECTION_CHECKSUMS = UInt64{64} << 20;

UInt128Hash readHash(ReadBuffer & in)
{
    char bytes[16];
    in.readStrict(bytes, sizeof(bytes));
    return {unalignedLoadLittleEndian<UInt64>(bytes), unalignedLoadLittleEndian<UInt64>(bytes + 8)};
}

/// The names are opened: none leads out of the part.
void requireNameInPart(const std::string & name)
{
    if (name.empty() || name.front() == '/' || name.find("..") != std::string::npos || name.find('\0') != std::string::npos)
        throwError(ErrorCodes::INCORRECT_DATA, concat("A file name that belongs into no part: ", quoteForError(name)));
}

void addFile(std::vector<MergeTreeChecksums::File> & files, MergeTreeChecksums::File file)
{
    requireNameInPart(file.name);
    if (!files.empty() && file.name <= files.back().name)
        throwError(ErrorCodes::INCORRECT_DATA, concat("File ", quoteForError(file.name), " is not behind the one before it"));
    files.push_back(std::move(file));
}

MergeTreeChecksums::File readEntry(ReadBuffer & in)
{
    MergeTreeChecksums::File file;
    file.name = readLimitedString(in, MAX_NAME_SIZE);
    readVarUInt(file.size, in);
    file.hash = readHash(in);
    char compressed = 0;
    in.readStrict(compressed);
    if (compressed != 0 && compressed != 1)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("File ", quoteForError(file.name), " is compressed neither 0 nor 1 but ", static_cast<UInt8>(compressed)));
    file.compressed = compressed == 1;
    if (file.compressed)
    {
        readVarUInt(file.uncompressed_size, in);
        file.uncompressed_hash = readHash(in);
    }
    return file;
}

/// An entry of version 2, which is text.
MergeTreeChecksums::File readTextEntry(PartText & text)
{
    const auto readTextHash = [&] {
        UInt128Hash hash;
        hash.low = text.readNumber();
        text.expect(" ");
        hash.high = text.readNumber();
        return hash;
    };
    MergeTreeChecksums::File file;
    file.name = text.readLine();
    text.expect("\tsize: ");
    file.size = text.readNumber();
    text.expect("\n\thash: ");
    file.hash = readTextHash();
    text.expect("\n\tcompressed: ");
    const UInt64 compressed = text.readNumber();
    if (compressed > 1)
        text.throwBad("0 or 1 before it");
    file.compressed = compressed == 1;
    if (file.compressed)
    {
        text.expect("\n\tuncompressed size: ");
        file.uncompressed_size = text.readNumber();
        text.expect("\n\tuncompressed hash: ");
        file.uncompressed_hash = readTextHash();
    }
    text.expect("\n");
    return file;
}

struct SizeAndHash
{
    UInt64 size = 0;
    UInt128Hash hash;
};

SizeAndHash hashOf(ReadBuffer & in)
{
    SizeAndHash result;
    ChainedCityHash128 hash;
    while (!in.eof())
    {
        hash.append({in.position(), in.available()});
        result.size += in.available();
        in.position() += in.available();
    }
    result.hash = hash.get();
    return result;
}

std::string textOf(const UInt128Hash & hash)
{
    char bytes[16];
    for (size_t i = 0; i < 8; ++i)
    {
        bytes[i] = static_cast<char>(hash.high >> (56 - 8 * i));
        bytes[8 + i] = static_cast<char>(hash.low >> (56 - 8 * i));
    }
    return encodeHex({bytes, sizeof(bytes)});
}

[[noreturn]] void
throwMismatch(const std::string & path, std::string_view what, const SizeAndHash & found, UInt64 size, const UInt128Hash & hash)
{
    throwError(
        ErrorCodes::CHECKSUM_DOESNT_MATCH,
        concat(
            "The file ",
            path,
            ' ',
            what,
            ' ',
            found.size,
            " bytes with the hash ",
            textOf(found.hash),
            ", but checksums.txt says ",
            size,
            " bytes with the hash ",
            textOf(hash)));
}

void checkHashOf(const MergeTreeChecksums::File & file, const std::string & path)
{
    ReadBufferFromFile in(path, bufferSizeFor(file.size));
    const SizeAndHash found = hashOf(in);
    if (found.size != file.size || !(found.hash == file.hash))
        throwMismatch(path, "has", found, file.size, file.hash);
}

void checkDecompressed(const MergeTreeChecksums::File & file, const std::string & path, bool hash_is_of_all)
{
    ReadBufferFromFile in(path, bufferSizeFor(file.size));
    CompressedReadBuffer frames(in);
    SizeAndHash inside;
    try
    {
        inside = hashOf(frames);
    }
    catch (Exception & e)
    {
        /// The file is what it was when it was written, which is all that can be said.
        if (e.code() == ErrorCodes::UNKNOWN_CODEC)
            return;
        e.addMessage(concat("while reading the file ", path, ", at byte ", in.count()));
        throw;
    }
    if (inside.size != file.uncompressed_size || (hash_is_of_all && !(inside.hash == file.uncompressed_hash)))
        throwMismatch(path, "decompresses to", inside, file.uncompressed_size, file.uncompressed_hash);
}

bool isProjection(const std::string & path) { return path.ends_with(PROJECTION_SUFFIX) && isFolder(path); }

MergeTreeChecksums readChecksumsOf(const std::string & folder)
{
    const std::string path = folder + "/checksums.txt";
    return MergeTreeChecksums::parse(readSmallFile(path, MAX_PROJECTION_CHECKSUMS), path);
}
}

MergeTreeChecksums MergeTreeChecksums::parse(std::string_view bytes, std::string_view file)
{
    PartText title(bytes.substr(0, bytes.find('\n') + 1), file);
    title.expect(TITLE);
    const UInt64 version = title.readNumber();
    title.expect("\n");
    MergeTreeChecksums result;
    if (version == 2)
    {
        result.parseText(bytes, file, title.offset());
        return result;
    }
    if (version == 5)
        throwError(
            ErrorCodes::NOT_IMPLEMENTED,
            concat(
                "The file ", file, " has the checksums format version 5, which has no files in it: ClickHouse keeps it outside of parts"));
    if (version != 3 && version != 4)
        throwError(
            ErrorCodes::NOT_IMPLEMENTED, concat("The file ", file, " has the checksums format version ", version, "; 2, 3 and 4 are read"));
    ReadBufferFromMemory list(bytes.substr(title.offset()));
    CompressedReadBuffer frames(list);
    ReadBuffer & in = version == 4 ? static_cast<ReadBuffer &>(frames) : list;
    try
    {
        UInt64 count = 0;
        readVarUInt(count, in);
        for (UInt64 i = 0; i < count; ++i)
            addFile(result.entries, readEntry(in));
        if (!in.eof())
            throwError(ErrorCodes::INCORRECT_DATA, concat("Bytes behind the last of ", count, " files"));
    }
    catch (Exception & e)
    {
        e.addMessage(concat("while reading the file ", file, ", at byte ", in.count(), " of its list"));
        throw;
    }
    return result;
}

void MergeTreeChecksums::parseText(std::string_view bytes, std::string_view file, UInt64 begin)
{
    PartText text(bytes, file, begin);
    const UInt64 count = text.readNumber();
    text.expect(" files:\n");
    for (UInt64 i = 0; i < count; ++i)
    {
        try
        {
            addFile(entries, readTextEntry(text));
        }
        catch (Exception & e)
        {
            e.addMessage(concat("while reading the file ", file, ", before byte ", text.offset()));
            throw;
        }
    }
    if (!text.atEnd())
        text.throwBad("the end");
}

const MergeTreeChecksums::File * MergeTreeChecksums::find(std::string_view name) const noexcept
{
    const auto found = std::lower_bound(
        entries.begin(), entries.end(), name, [](const File & file, std::string_view wanted) { return file.name < wanted; });
    return found != entries.end() && found->name == name ? &*found : nullptr;
}

void MergeTreeChecksums::checkSizes(const std::string & folder, bool may_have_projections) const
{
    for (const File & file : entries)
    {
        const std::string path = folder + "/" + file.name;
        UInt64 size = 0;
        if (may_have_projections && isProjection(path))
        {
            const MergeTreeChecksums projection = readChecksumsOf(path);
            projection.checkSizes(path, false);
            size = projection.totalSize();
        }
        else
            size = fileSize(path);
        if (size != file.size)
            throwError(ErrorCodes::CORRUPTED_DATA, concat("The file ", path, " has ", size, " bytes, but checksums.txt says ", file.size));
    }
}

UInt64 MergeTreeChecksums::totalSize() const noexcept
{
    UInt64 size = 0;
    for (const File & file : entries)
        size += file.size;
    return size;
}

UInt128Hash MergeTreeChecksums::totalHash() const
{
    std::string bytes;
    const auto append = [&](UInt64 number) {
        char word[8];
        unalignedStoreLittleEndian<UInt64>(word, number);
        bytes.append(word, sizeof(word));
    };
    for (const File & file : entries)
    {
        append(file.name.size());
        bytes += file.name;
        append(file.hash.low);
        append(file.hash.high);
    }
    return sipHash128(bytes);
}

void MergeTreeChecksums::checkHash(const std::string & folder, std::string_view name) const
{
    if (const File * file = find(name))
        checkHashOf(*file, folder + "/" + file->name);
}

void MergeTreeChecksums::checkHashes(const std::string & folder) const
{
    checkSizes(folder);
    checkListedHashes(folder, true);
}

void MergeTreeChecksums::checkListedHashes(const std::string & folder, bool may_have_projections) const
{
    const bool compact = std::any_of(
        std::begin(COMPACT_MARKS), std::end(COMPACT_MARKS), [this](std::string_view marks) { return find(marks) != nullptr; });
    for (const File & file : entries)
    {
        const std::string path = folder + "/" + file.name;
        if (may_have_projections && isProjection(path))
        {
            const MergeTreeChecksums projection = readChecksumsOf(path);
            projection.checkListedHashes(path, false);
            if (const UInt128Hash hash = projection.totalHash(); !(hash == file.hash))
                throwMismatch(path, "has", {projection.totalSize(), hash}, file.size, file.hash);
            continue;
        }
        checkHashOf(file, path);
        if (file.compressed)
            checkDecompressed(file, path, !compact || file.name != "data.bin");
    }
}

}
