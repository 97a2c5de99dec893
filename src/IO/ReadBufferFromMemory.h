#pragma once

#include "SeekableReadBuffer.h"

#include <string>
#include <string_view>

namespace DB::inline statewire
{

/** Reads the caller's memory in place: nothing is copied and nothing is ever refilled.
  *
  * Points into: the bytes given, which are never written to. Valid while: they live. Stable.
  */
class ReadBufferFromMemory : public SeekableReadBuffer
{
public:
    explicit ReadBufferFromMemory(std::string_view bytes_) noexcept : SeekableReadBuffer(const_cast<char *>(bytes_.data()), bytes_.size())
    {
    }
    ReadBufferFromMemory(const char * from, size_t size) noexcept : ReadBufferFromMemory(std::string_view(from, size)) { }

    void seek(UInt64 position) override { seekInside(position); }
    [[nodiscard]] bool isStable() const noexcept override { return true; }
};

/// The same over a string that it owns.
class ReadBufferFromOwnString : public SeekableReadBuffer
{
public:
    explicit ReadBufferFromOwnString(std::string bytes_) : SeekableReadBuffer(nullptr, 0), owned(std::move(bytes_))
    {
        set(owned.data(), owned.size());
    }

    void seek(UInt64 position) override { seekInside(position); }
    [[nodiscard]] bool isStable() const noexcept override { return true; }

private:
    std::string owned;
};

}
