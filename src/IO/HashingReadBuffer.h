#pragma once

#include "ChainedCityHash128.h"
#include "NestedBuffer.h"
#include "ReadBuffer.h"

namespace DB::inline statewire
{

/** Hashes what is read, as ClickHouse hashes the files of a part (ChainedCityHash128).
  *
  * Hands out the nested buffer's own memory: nothing is copied. What was handed out and not read is given back to the nested buffer by the
  * destructor; until then it is used through this object alone.
  */
class HashingReadBuffer : public ReadBuffer
{
public:
    explicit HashingReadBuffer(NestedBuffer<ReadBuffer> in_);
    ~HashingReadBuffer() override;

    /// Of the bytes before the cursor. The cursor is only moved forwards.
    [[nodiscard]] UInt128Hash getHash();
    [[nodiscard]] bool isStable() const noexcept override { return in->isStable(); }

protected:
    bool nextImpl() override;
    std::ptrdiff_t readDirectImpl(char * to, size_t n) override;

private:
    void handBack() noexcept;
    void expose();

    NestedBuffer<ReadBuffer> in;
    ChainedCityHash128 hash;
    Position hashed_until = nullptr;
    bool exposed = false;
};

}
