#pragma once

#include "NestedBuffer.h"
#include "WriteBuffer.h"

#include <memory>

namespace DB::inline statewire
{

/** Writes to any object that has `write(const char *, size_t)`: the sink of a library that takes its bytes through a callback.
  *
  * The object is called with whole buffers, and with the caller's own memory for a write at least as large as the buffer. It is owned or
  * borrowed, by constructor, and is nothing more than called: whatever ends it is the caller's.
  * Errors: whatever the object throws cancels this buffer, and nothing is offered to the object again.
  *
  * The other way round needs no adapter: every WriteBuffer is such an object.
  */
template <typename Object>
class WriteBufferToObject : public WriteBuffer
{
public:
    static constexpr size_t DEFAULT_SIZE = 65536;

    /// A buffer_size of 0 hands every write on as it comes.
    explicit WriteBufferToObject(NestedBuffer<Object> object_, size_t buffer_size = DEFAULT_SIZE)
        : WriteBuffer(nullptr, 0), object(std::move(object_)), memory(std::make_unique_for_overwrite<char[]>(buffer_size))
    {
        set(memory.get(), buffer_size);
    }

protected:
    void nextImpl() override
    {
        if (offset() != 0)
            object->write(working_buffer.begin(), offset());
    }

    size_t writeDirectImpl(const char * from, size_t n) override
    {
        if (n < internal_buffer.size())
            return 0;
        nextImpl();
        object->write(from, n);
        return n;
    }

private:
    NestedBuffer<Object> object;
    std::unique_ptr<char[]> memory;
};

}
