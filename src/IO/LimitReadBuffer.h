#pragma once

#include "NestedBuffer.h"
#include "ReadBuffer.h"

#include <limits>

namespace DB::inline statewire
{

/** Reads the next part of another buffer as if it were everything.
  *
  * Hands out the nested buffer's own memory, cut off: nothing is copied. What was handed out and not read is given back by the destructor,
  * so that the nested buffer goes on behind what was read here; until then it is used through this object alone.
  */
class LimitReadBuffer : public ReadBuffer
{
public:
    struct Limits
    {
        /// The end comes here at the latest.
        UInt64 no_more = std::numeric_limits<UInt64>::max();
        /// A nested buffer that ends before this many bytes is CANNOT_READ_ALL_DATA.
        UInt64 no_less = 0;
        /// Bytes in the nested buffer behind no_more are LIMIT_EXCEEDED instead of the end.
        bool expect_end = false;
    };

    LimitReadBuffer(NestedBuffer<ReadBuffer> in_, Limits limits_);
    ~LimitReadBuffer() override;

    [[nodiscard]] bool isStable() const noexcept override { return in->isStable(); }

protected:
    bool nextImpl() override;
    std::ptrdiff_t readDirectImpl(char * to, size_t n) override;

private:
    void handBack() noexcept;
    void expose();
    /// At a limit or at the end: throws where the limits say so.
    bool isAtEnd();

    NestedBuffer<ReadBuffer> in;
    Limits limits;
    bool exposed = false;
};

}
