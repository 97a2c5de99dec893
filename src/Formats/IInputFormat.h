#pragma once

#include "Block.h"

namespace DB::inline statewire
{

/** Reads blocks of rows from a ReadBuffer, which it borrows.
 *
 * Header: formats that name their columns are matched by name with the structure that the caller wants; columns that it does not name are
 * read and dropped, a missing one is UNKNOWN_IDENTIFIER, another type TYPE_MISMATCH. Without a wanted structure the header becomes it.
 * Formats without a header require a structure.
 *
 * A declared count or length allocates nothing before bytes arrive. Input that ends inside a row or a block is an error.
 * Errors: DB::Exception of the part that failed, with `(while reading row 3, column 'b', at byte 123)` added; rows count from 1, bytes
 *     from the first byte of the (decompressed) input. In row formats it is the byte at which the value starts, in Native the one at
 *     which reading stopped. After an error the object is of no more use.
 * Threads: one.
 */
class IInputFormat
{
public:
    virtual ~IInputFormat() = default;
    IInputFormat() = default;
    IInputFormat(const IInputFormat &) = delete;
    IInputFormat & operator=(const IInputFormat &) = delete;

    /// The columns that every block has. Reads the header when there is one; empty when a file without a wanted structure is empty.
    [[nodiscard]] virtual const NamesAndTypes & getStructure() = 0;
    /// True: `block` has at least one row. False at the end: it has none.
    [[nodiscard]] virtual bool read(Block & block) = 0;
    /// Rows read so far.
    [[nodiscard]] virtual UInt64 rowsRead() const noexcept = 0;
};

}
