#pragma once

#include "../Common/CityHash102.h"
#include "../base/types.h"

#include <string>
#include <string_view>
#include <vector>

namespace DB::inline statewire
{

/** What checksums.txt says of the files of a part.
 *
 *     checksums format version: 4\n    the rest is in compressed frames (in version 3 it is plain)
 *     VarUInt files, then for each      name (VarUInt length and bytes), VarUInt size, hash (16 bytes, low half first), u8 compressed, and if
 *                                       that is 1 the size and the hash of the decompressed bytes
 *
 * Hashes are ChainedCityHash128. The file itself and a few small ones (columns.txt) are not in it. Version 2 has the same in text:
 *
 *     checksums format version: 2\n1 files:\nk.bin\n\tsize: 44\n\thash: <low> <high>\n\tcompressed: 1\n
 *     \tuncompressed size: 20\n\tuncompressed hash: <low> <high>\n
 *
 * The folder of a projection is listed like a file: with the sizes that its own checksums.txt lists, added up, and a hash of their hashes.
 * Version 5 is no file's: ClickHouse keeps the sum of a whole part so, beside its name in ZooKeeper. It is NOT_IMPLEMENTED, as are others.
 * Errors: CANNOT_PARSE_INPUT_ASSERTION_FAILED in text, INCORRECT_DATA, TOO_LARGE_STRING_SIZE and those of frames, with the byte in the decompressed list; nothing is allocated from a count.
 */
class MergeTreeChecksums
{
public:
    struct File
    {
        std::string name;
        UInt64 size = 0;
        UInt128Hash hash;
        bool compressed = false;
        UInt64 uncompressed_size = 0;
        UInt128Hash uncompressed_hash;
    };

    /// `file` is the path for error texts.
    [[nodiscard]] static MergeTreeChecksums parse(std::string_view bytes, std::string_view file);

    [[nodiscard]] const std::vector<File> & files() const noexcept { return entries; }
    /// nullptr when it is not listed.
    [[nodiscard]] const File * find(std::string_view name) const noexcept;

    /// Every listed file is there with its size: FILE_DOESNT_EXIST and CORRUPTED_DATA otherwise, with the file's path.
    void checkSizes(const std::string & folder) const { checkSizes(folder, true); }
    /// One file has its hash, if it is listed: CHECKSUM_DOESNT_MATCH otherwise.
    void checkHash(const std::string & folder, std::string_view name) const;
    /// All files have their sizes and hashes, and of those in compressed frames also what is in them (of a compact part's data.bin the size,
    /// since that hash depends on the codecs of the columns; of files with codecs that are not read here neither).
    void checkHashes(const std::string & folder) const;

private:
    void parseText(std::string_view bytes, std::string_view file, UInt64 begin);
    void checkSizes(const std::string & folder, bool may_have_projections) const;
    void checkListedHashes(const std::string & folder, bool may_have_projections) const;
    [[nodiscard]] UInt64 totalSize() const noexcept;
    [[nodiscard]] UInt128Hash totalHash() const;

    std::vector<File> entries;
};

}
