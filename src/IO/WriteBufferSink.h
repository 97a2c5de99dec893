#pragma once

#include "../base/types.h"

#include <cstring>

namespace DB::inline statewire
{

/// The most that `reserve` hands out at once.
inline constexpr size_t MAX_SINK_RESERVE = 64;

/** The seam between encoders and whatever takes their bytes: encoders are written once against reserve, commit and append.
  *
  *     char * p = sink.reserve(n)    n <= 64 contiguous writable bytes; the pointer dies at the next call on the sink
  *     sink.commit(n)                the first n of them are part of the output; what was reserved and not committed is not
  *     sink.append(p, n)             n bytes from the caller's memory, handed on in one piece
  *
  * Out is anything shaped like WriteBuffer: position(), available(), write(const char *, size_t). It is borrowed, never finalized.
  * Errors: whatever Out throws.
  */
template <typename Out>
class WriteBufferSink
{
public:
    explicit WriteBufferSink(Out & out_) noexcept : out(out_) { }
    WriteBufferSink(const WriteBufferSink &) = delete;
    WriteBufferSink & operator=(const WriteBufferSink &) = delete;

    [[nodiscard]] char * reserve(size_t n)
    {
        in_place = out.available() >= n;
        return in_place ? out.position() : scratch;
    }

    void commit(size_t n)
    {
        if (in_place)
            out.position() += n;
        else
            out.write(scratch, n);
    }

    void append(const void * from, size_t n) { out.write(static_cast<const char *>(from), n); }

private:
    Out & out;
    bool in_place = false;
    char scratch[MAX_SINK_RESERVE];
};

/// Counts what an encoder would write: size and bytes come from one routine, so they cannot disagree.
class CountingSink
{
public:
    [[nodiscard]] char * reserve(size_t) noexcept { return scratch; }
    void commit(size_t n) noexcept { total += n; }
    void append(const void *, size_t n) noexcept { total += n; }

    [[nodiscard]] UInt64 size() const noexcept { return total; }

private:
    UInt64 total = 0;
    char scratch[MAX_SINK_RESERVE];
};

/// Writes to memory that is known to be large enough, for encoders whose size was counted before.
class MemorySink
{
public:
    explicit MemorySink(char * to) noexcept : pos(to) { }

    [[nodiscard]] char * reserve(size_t) noexcept { return pos; }
    void commit(size_t n) noexcept { pos += n; }
    void append(const void * from, size_t n) noexcept
    {
        if (n != 0)
            std::memcpy(pos, from, n);
        pos += n;
    }
    [[nodiscard]] char * position() const noexcept { return pos; }

private:
    char * pos;
};

}
