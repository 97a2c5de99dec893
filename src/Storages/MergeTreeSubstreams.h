#pragma once

#include "MergeTreeLayout.h"

#include "../Columns/IColumn.h"
#include "../DataTypes/DataTypeLowCardinality.h"
#include "../IO/ReadBuffer.h"

#include <vector>

/** The values of a granule, read from the streams of their column. */
namespace DB::inline statewire
{

/// The buffers of a column's streams, at the granule that is next.
class MergeTreeSubstreams
{
public:
    virtual ~MergeTreeSubstreams() = default;
    MergeTreeSubstreams() = default;
    MergeTreeSubstreams(const MergeTreeSubstreams &) = delete;
    MergeTreeSubstreams & operator=(const MergeTreeSubstreams &) = delete;

    /// By the number that a MergeTreeLayout has.
    [[nodiscard]] virtual ReadBuffer & get(size_t stream) = 0;
    /// Reads the dictionaries in a stream; nothing where the keys lie beside their indexes.
    [[nodiscard]] virtual SharedKeys getSharedKeys(size_t stream) = 0;
};

/// Appends the `rows` values of a granule to a column of the layout's type. LIMIT_EXCEEDED for sparse values in a granule of more than 2^22
/// rows: defaults take no bytes. When it throws, the column is of no more use.
void readGranuleValues(const MergeTreeLayout & layout, IColumn & column, UInt64 rows, MergeTreeSubstreams & streams);

/// Of arrays: their sizes, with which the elements' layout is read on, and how many elements that are.
[[nodiscard]] std::vector<UInt64>
readArraySizes(const MergeTreeLayout & layout, UInt64 rows, MergeTreeSubstreams & streams, UInt64 & total);

}
