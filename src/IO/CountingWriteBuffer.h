#pragma once

#include "WriteBuffer.h"

namespace DB::inline statewire
{

/// Takes everything and keeps nothing: count() is all there is. For sizes of what only knows how to write itself, and for benchmarks.
class CountingWriteBuffer : public WriteBuffer
{
public:
    CountingWriteBuffer() noexcept : WriteBuffer(nullptr, 0) { set(scratch, sizeof(scratch)); }

protected:
    void nextImpl() override { }
    size_t writeDirectImpl(const char *, size_t n) override { return n; }

private:
    /// Room enough for whoever encodes in place, small enough for the first-level cache.
    char scratch[4096];
};

}
