#pragma once

#include "MergeTreeColumns.h"

#include "../DataTypes/IDataType.h"

#include <optional>
#include <string>
#include <vector>

/** How the values of a type lie in a part: in one stream or several, whose names begin with the column's.
 *
 *     ""              numbers, states, the bytes of strings; all elements of arrays
 *     ".size"         the length of each string, u64 (in older parts a VarUInt stands before each string)
 *     ".size0" ...    the number of elements of each array, u64; ".size1" of the arrays in it. Columns `n.a` and `n.b` share `n.size0`
 *     ".null"         a byte for each value of a Nullable, 1 for NULL; a value stands in the other streams nevertheless
 *     "%2Ename"       the element of a tuple, by its name or number; its streams have suffixes of their own
 *     ".dict"         the dictionaries of LowCardinality, whose indexes are the values (MergeTreeDictionary.h). A compact part has keys beside the
 *                     indexes instead, and nothing here; ".dict_prefix" is the version, which stands before everything else of the column
 *     ".sparse.idx"   of values that are mostly defaults (of a Nullable: NULL, and then there is no ".null"): VarUInt numbers of defaults, with
 *                     a value behind each; the last of a granule has bit 62 set and no value behind it. The values that are no defaults lie in
 *                     the other streams
 *
 * Which of these a part has is said by columns_substreams.txt, or where that is missing by serialization.json. In a compact part the streams of a
 * column follow each other within a granule.
 */
namespace DB::inline statewire
{

/// A tree as the type's. Streams are counted within their column.
struct MergeTreeLayout
{
    DataTypePtr type;
    std::optional<size_t> sparse_index;
    /// The sizes of arrays or strings, or a Nullable's null map.
    std::optional<size_t> head;
    /// Of LowCardinality.
    std::optional<size_t> dictionary;
    /// Of numbers, strings and states; the indexes of LowCardinality.
    std::optional<size_t> values;
    /// An array's elements, a Nullable's values, the elements of a tuple.
    std::vector<MergeTreeLayout> nested;
};

struct MergeTreeStream
{
    /// That of the file without its extension.
    std::string name;
    /// The LowCardinality type whose dictionaries are in it, otherwise nothing.
    DataTypePtr dictionaries_of;
};

struct MergeTreeColumnLayout
{
    MergeTreeLayout root;
    /// In the order in which values are read. That of columns_substreams.txt has dictionaries first.
    std::vector<MergeTreeStream> streams;
};

/// NOT_IMPLEMENTED for types and serializations that are not read from parts, UNKNOWN_TYPE; INCORRECT_DATA when columns_substreams.txt lists
/// other streams.
[[nodiscard]] MergeTreeColumnLayout makeLayout(const MergeTreeColumn & column, const MergeTreeColumns & part);

}
