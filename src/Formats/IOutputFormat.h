#pragma once

#include "Block.h"

#include "../IO/WriteBuffer.h"

namespace DB::inline statewire
{

/** Writes blocks of rows to a WriteBuffer, which it borrows and never finalizes.
 *
 * finalize() completes what the format needs at the end (a header, when there was no block); call it exactly where success is known.
 * Dropping the object earlier leaves a file that is cut short.
 * Errors: INCORRECT_NUMBER_OF_COLUMNS or TYPE_MISMATCH when a block's structure is not the announced one; whatever the buffer throws.
 * Threads: one.
 */
class IOutputFormat
{
public:
    IOutputFormat(WriteBuffer & out_, NamesAndTypes structure_) : out(out_), structure(std::move(structure_)) { }
    virtual ~IOutputFormat() = default;
    IOutputFormat(const IOutputFormat &) = delete;
    IOutputFormat & operator=(const IOutputFormat &) = delete;

    /// Blocks without rows are passed over.
    void write(const Block & block);
    void finalize();

protected:
    /// Runs once, before the first block or at the end.
    virtual void writePrefix() { }
    virtual void writeBlock(const Block & block) = 0;
    virtual void writeSuffix() { }

    WriteBuffer & out;
    const NamesAndTypes structure;

private:
    void writePrefixOnce();

    bool prefix_written = false;
    bool finalized = false;
};

}
