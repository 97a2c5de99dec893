#pragma once

#include "WriteBuffer.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace DB::inline statewire
{

/** Appends to a std::string or a std::vector of bytes, which grows by doubling and is the buffer itself.
  *
  * The container has its final size only after finalize(); until then it may be longer than what was written. After cancel() it holds
  * what it held before an Append, and nothing after an Overwrite. It must outlive this object and not be touched meanwhile.
  * A large write is copied once, to where it stays; what a container reused for Overwrite holds is written over without being cleared.
  */
template <typename Vector>
class WriteBufferFromVector : public WriteBuffer
{
    static_assert(sizeof(typename Vector::value_type) == 1, "bytes only");

public:
    /// Overwrites from the start, or appends behind what is there.
    enum class Mode
    {
        Overwrite,
        Append
    };

    explicit WriteBufferFromVector(Vector & vector_, Mode mode = Mode::Overwrite)
        : WriteBuffer(nullptr, 0), vector(vector_), kept(mode == Mode::Append ? vector_.size() : 0)
    {
        vector.resize(std::max(vector.size(), kept + INITIAL_SIZE));
        expose(kept);
    }

    ~WriteBufferFromVector() override { closeInDestructor(); }

protected:
    void nextImpl() override
    {
        const size_t used = usedSize();
        if (used == vector.size())
            vector.resize(used + std::max(used, INITIAL_SIZE));
        expose(used);
    }

    /// The container is the device. Appending is the one way to make it larger without filling the new part with zeros first.
    size_t writeDirectImpl(const char * from, size_t n) override
    {
        if (n < DIRECT_SIZE)
            return 0;
        const size_t used = usedSize();
        vector.resize(used);
        vector.insert(vector.end(), from, from + n);
        expose(used + n);
        return n;
    }

    void finalizeImpl() override { vector.resize(usedSize()); }
    void cancelImpl() noexcept override { vector.resize(kept); }

private:
    /// Small enough not to matter for a state of a few values, large enough for most headers.
    static constexpr size_t INITIAL_SIZE = 32;
    /// Below this, the room that doubling makes is worth more than the zeros it costs.
    static constexpr size_t DIRECT_SIZE = 256;

    [[nodiscard]] size_t usedSize() const noexcept { return static_cast<size_t>(pos - reinterpret_cast<const char *>(vector.data())); }
    void expose(size_t from) noexcept
    {
        internal_buffer = Buffer{reinterpret_cast<char *>(vector.data()), reinterpret_cast<char *>(vector.data()) + vector.size()};
        working_buffer = Buffer{internal_buffer.begin_pos + from, internal_buffer.end_pos};
        pos = working_buffer.begin_pos;
    }

    Vector & vector;
    size_t kept;
};

using WriteBufferFromString = WriteBufferFromVector<std::string>;

}
