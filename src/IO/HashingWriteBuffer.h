#pragma once

#include "ChainedCityHash128.h"
#include "NestedBuffer.h"
#include "WriteBuffer.h"

namespace DB::inline statewire
{

/** Hashes what passes, as ClickHouse hashes the files of a part (ChainedCityHash128).
  *
  * Adds no copy: the nested buffer's own memory is written in place, and a large write is handed to it from the caller's memory. While this
  * object is open the nested buffer is used through it alone. finalize() hands everything over; an owned nested buffer is finalized with
  * it, a borrowed one stays open. cancel() cancels an owned nested buffer; a borrowed one keeps what was handed over.
  */
class HashingWriteBuffer : public WriteBuffer
{
public:
    explicit HashingWriteBuffer(NestedBuffer<WriteBuffer> out_);
    ~HashingWriteBuffer() override;

    /// Of all bytes written so far, buffered ones included. Also after finalize().
    [[nodiscard]] UInt128Hash getHash();

protected:
    void nextImpl() override;
    size_t writeDirectImpl(const char * from, size_t n) override;
    void finalizeImpl() override;
    void cancelImpl() noexcept override;
    void syncImpl() override;

private:
    /// Hashes [hashed_until, pos) and gives it to the nested buffer.
    void handOver();
    void expose();

    NestedBuffer<WriteBuffer> out;
    ChainedCityHash128 hash;
    Position hashed_until = nullptr;
};

}
