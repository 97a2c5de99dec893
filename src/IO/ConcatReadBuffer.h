#pragma once

#include "NestedBuffer.h"
#include "ReadBuffer.h"

#include <vector>

namespace DB::inline statewire
{

/** Reads several buffers one after another as one. Empty ones are passed over.
  *
  * Hands out the nested buffers' own memory: nothing is copied. Buffers that were read to their end stay until this object goes, so their
  * memory does too: stable when all of them are. What was handed out and not read is given back by the destructor.
  */
class ConcatReadBuffer : public ReadBuffer
{
public:
    explicit ConcatReadBuffer(std::vector<NestedBuffer<ReadBuffer>> parts_) noexcept : ReadBuffer(nullptr, 0), parts(std::move(parts_)) { }
    ~ConcatReadBuffer() override;

    [[nodiscard]] bool isStable() const noexcept override;

protected:
    bool nextImpl() override;
    std::ptrdiff_t readDirectImpl(char * to, size_t n) override;

private:
    void handBack() noexcept;

    std::vector<NestedBuffer<ReadBuffer>> parts;
    size_t current = 0;
    bool exposed = false;
};

}
