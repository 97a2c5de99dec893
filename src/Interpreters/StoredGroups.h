#pragma once

#include "Aggregator.h"
#include "TemporaryFile.h"

#include <string>

namespace DB::inline statewire
{

/** Sorted groups in a temporary file of its own: what an aggregation puts aside when memory is short, and what it merges at the end.
 *
 * The file is ClickHouse's compressed frames (LZ4) over, group by group: VarUInt size and bytes of the key as GroupKeys writes it, VarUInt
 * number of the heap bytes that its states held, and the states. It is read by the process that wrote it and by no other.
 * The aggregator outlives it. Errors: CANNOT_OPEN_FILE, CANNOT_WRITE_TO_FILE_DESCRIPTOR; what serialize throws.
 */
class StoredGroups
{
public:
    /// Writes all groups; their states stay where they are.
    StoredGroups(const Aggregator & aggregator_, const std::string & directory, SortedGroups & groups);
    /// Merges stored groups into one file.
    StoredGroups(const Aggregator & aggregator_, const std::string & directory, const std::vector<SortedGroupsPtr> & inputs);

    /// The groups from the first on. One reader at a time, and no longer than this object.
    [[nodiscard]] SortedGroupsPtr read() const;
    [[nodiscard]] UInt64 sizeInBytes() const noexcept { return bytes; }
    /// Memory of a reader's buffers.
    static constexpr size_t BUFFER_BYTES = 4 * 65536;

private:
    template <typename Write>
    void write(Write && write_groups);
    void append(SortedGroups & groups, WriteBuffer & out);

    const Aggregator & aggregator;
    TemporaryFile file;
    UInt64 bytes = 0;
    UInt64 count = 0;
};

}
