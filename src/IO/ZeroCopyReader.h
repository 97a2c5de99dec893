#pragma once

#include "../Common/Arena.h"
#include "../Common/PinnedBytes.h"
#include "../base/types.h"
#include "ReadBuffer.h"

#include <memory>
#include <string_view>

namespace DB::inline statewire
{

/** Reads serialized structures from a ReadBuffer without copying what already lies in one piece.
  *
  * borrow(n) gives n bytes in place when they are contiguous in the working buffer, and gathers them into the reader's own memory
  * otherwise. pin(n) gives bytes that live by themselves: in place when the source is stable and the caller said what keeps it alive
  * (`owner`), in the arena when there is one and they are at most 64 KiB (an arena cannot grow with what arrives), and in memory of their
  * own otherwise: copied once.
  *
  * A declared length never allocates by itself: gathering grows with the bytes that arrive, so memory stays within a small constant and
  * three times what the source really holds.
  *
  * Points into: the source's buffer (borrow) or the reader (borrow of gathered bytes).
  * Valid while: borrowed bytes until the next call on the reader or the source; pinned bytes as PinnedBytes says.
  * Errors: CANNOT_READ_ALL_DATA when the source ends early, INCORRECT_DATA for a bad VarUInt, each with the byte offset counted from the
  *     source's first byte. After an error the position is somewhere inside what was asked for.
  */
class ZeroCopyReader
{
public:
    /// `owner` keeps the memory of a source that isStable() alive; it is empty for every other source. `arena`, when given,
    /// outlives everything pinned.
    explicit ZeroCopyReader(ReadBuffer & in_, std::shared_ptr<const void> owner_ = {}, Arena * arena_ = nullptr) noexcept
        : in(in_), owner(std::move(owner_)), arena(arena_)
    {
    }
    ZeroCopyReader(const ZeroCopyReader &) = delete;
    ZeroCopyReader & operator=(const ZeroCopyReader &) = delete;

    [[nodiscard]] std::string_view borrow(UInt64 n);
    [[nodiscard]] PinnedBytes pin(UInt64 n);

    [[nodiscard]] UInt8 readByte();
    [[nodiscard]] UInt64 readVarUInt();
    void skip(UInt64 n);

    [[nodiscard]] bool eof() { return in.eof(); }
    /// The position in the source, for error texts.
    [[nodiscard]] UInt64 offset() const noexcept { return in.count(); }
    /// Bytes this reader moved: gathered, or copied to be pinned.
    [[nodiscard]] UInt64 copiedBytes() const noexcept { return copied; }

private:
    /// Bytes that came in pieces.
    struct Gathered
    {
        std::shared_ptr<char[]> memory;
        size_t size = 0;
        size_t capacity = 0;

        [[nodiscard]] std::string_view bytes() const noexcept { return {memory.get(), size}; }
    };

    [[nodiscard]] std::string_view pinInArena(UInt64 n);
    /// Appends exactly n bytes from the source to `to`, growing it with what arrives.
    void gather(Gathered & to, UInt64 n);
    [[noreturn]] void throwShort(UInt64 start, UInt64 expected) const;

    ReadBuffer & in;
    std::shared_ptr<const void> owner;
    Arena * arena;
    Gathered gathered;
    UInt64 copied = 0;
};

}
