#pragma once

#include "trackedNew.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

namespace DB::inline statewire
{

/** Bytes together with what keeps them alive. Copying shares the owner, never the bytes.
  *
  * Points into: memory that `owner` keeps alive (any object: a mapped file, a string, an array), or memory for which somebody else
  *     promised a longer life than this object's (then `owner` is empty; see the arena form of ZeroCopyReader).
  * Valid while: this object or a copy of it lives, or, with an empty owner, while that promise holds.
  * Invalidated by: nothing else; the bytes are immutable.
  */
class PinnedBytes
{
public:
    PinnedBytes() = default;
    PinnedBytes(std::string_view bytes_, std::shared_ptr<const void> owner_) : pinned(bytes_), kept_by(std::move(owner_)) { }

    [[nodiscard]] std::string_view bytes() const noexcept { return pinned; }
    [[nodiscard]] const std::shared_ptr<const void> & owner() const noexcept { return kept_by; }

    /// The bytes for somebody who may outlive what keeps these: shared where they have an owner, copied where they rest on a promise.
    [[nodiscard]] PinnedBytes shareOrCopy() const
    {
        if (kept_by || pinned.empty())
            return *this;
        std::shared_ptr<char[]> memory = trackedShared(pinned.size());
        std::copy(pinned.begin(), pinned.end(), memory.get());
        return {{memory.get(), pinned.size()}, memory};
    }

private:
    std::string_view pinned;
    std::shared_ptr<const void> kept_by;
};

}
