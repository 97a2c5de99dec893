#pragma once

#include "../Columns/IColumn.h"
#include "../DataTypes/IDataType.h"
#include "../IO/ReadBuffer.h"

#include <string>
#include <string_view>
#include <vector>

/** How the values of a type lie in a part: in one stream or several, each with a suffix to the column's name.
 *
 *     ""              numbers, states, the bytes of strings; all elements of arrays
 *     ".size"         the length of each string, u64 (parts whose serialization.json says so; in others a VarUInt stands before each string)
 *     ".size0" ...    the number of elements of each array, u64; ".size1" of the arrays in it
 *     ".sparse.idx"   of a column that is mostly defaults: VarUInt numbers of defaults, with a value behind each; the last of a granule has
 *                     bit 62 set and no value behind it. The values that are no defaults lie in the other streams
 *
 * In a compact part the streams of a column follow each other within a granule.
 */
namespace DB::inline statewire
{

/// How a column of a part is serialized.
struct MergeTreeSerialization
{
    bool sparse = false;
    bool strings_have_sizes = false;
    /// A granule of a sparse column takes no bytes for its defaults, so its rows are limited.
    UInt64 max_sparse_rows = UInt64{1} << 22;
};

/// The buffers of a column's streams, at the granule that is next.
class MergeTreeSubstreams
{
public:
    virtual ~MergeTreeSubstreams() = default;
    MergeTreeSubstreams() = default;
    MergeTreeSubstreams(const MergeTreeSubstreams &) = delete;
    MergeTreeSubstreams & operator=(const MergeTreeSubstreams &) = delete;

    [[nodiscard]] virtual ReadBuffer & get(std::string_view suffix) = 0;
};

/// The suffixes of a type's streams in the order in which they are written. NOT_IMPLEMENTED for types that are not read from parts.
[[nodiscard]] std::vector<std::string> substreamSuffixes(const IDataType & type, const MergeTreeSerialization & serialization);

/// Appends the `rows` values of a granule. When it throws, the column may have been appended to.
void readGranuleValues(
    const IDataType & type, IColumn & column, UInt64 rows, const MergeTreeSerialization & serialization, MergeTreeSubstreams & streams);

}
