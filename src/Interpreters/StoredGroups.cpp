#include "StoredGroups.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../Compression/CompressedReadBuffer.h"
#include "../Compression/CompressedWriteBuffer.h"
#include "../IO/ReadBufferFromFileDescriptor.h"
#include "../IO/SystemCall.h"
#include "../IO/VarInt.h"
#include "../IO/WriteBufferFromFileDescriptor.h"
#include "BlockGroups.h"
#include "SortedGroupsMerge.h"

#include <cerrno>
#include <unistd.h>

namespace DB::inline statewire
{

namespace
{
/// Frames, file buffers, and places of groups that are read, which are allocated together: small, since a merge has many of them.
constexpr size_t FRAME_BYTES = 65536;
/// Of merged groups on their way from file to file, one after another: few, since they are all in memory.
constexpr Aggregator::OutputLimits MERGED_BLOCK{.max_block_rows = 512, .max_block_bytes = UInt64{1} << 18};

class StoredGroupsReader final : public SortedGroups
{
public:
    StoredGroupsReader(const GroupStates & states_, const TemporaryFile & file, UInt64 count_)
        : states(states_), left(count_), in(file.descriptor(), file.description(), FRAME_BYTES), frames(in)
    {
    }
    ~StoredGroupsReader() override { drop(); }

    bool next() override
    {
        /// States that nobody asked for are passed over.
        if (is_waiting)
            readStates();
        drop();
        if (left == 0)
            return false;
        --left;
        UInt64 size = 0;
        readVarUInt(size, frames);
        current_key.resize(size);
        frames.readStrict(current_key.data(), size);
        readVarUInt(held, frames);
        is_waiting = true;
        return true;
    }

    [[nodiscard]] std::string_view key() const noexcept override { return current_key; }
    [[nodiscard]] size_t storedBytes() const noexcept override { return is_waiting ? held : 0; }

    void appendStates(size_t function, TrackedVector<AggregateDataPtr> & to) override
    {
        if (is_waiting)
            readStates();
        to.push_back(place + states.offsets[function]);
    }

    AggregateDataPtr release(size_t function, std::shared_ptr<const void> & owner) override
    {
        if (is_waiting)
            readStates();
        owner = arena;
        released = function + 1;
        return place + states.offsets[function];
    }

private:
    void readStates()
    {
        if (!arena || arena->allocatedBytes() >= FRAME_BYTES)
            arena = std::make_shared<Arena>();
        AggregateDataPtr created = arena->alignedAlloc(states.size, states.alignment);
        states.create(created);
        place = created;
        is_waiting = false;
        for (size_t i = 0; i < states.functions.size(); ++i)
            states.functions[i]->deserialize(place + states.offsets[i], frames, std::nullopt, nullptr);
    }

    void drop() noexcept
    {
        if (place)
            states.destroy(place, released);
        place = nullptr;
        released = 0;
    }

    const GroupStates & states;
    UInt64 left;
    ReadBufferFromFileDescriptor in;
    CompressedReadBuffer frames;
    TrackedString current_key;
    UInt64 held = 0;
    bool is_waiting = false;
    std::shared_ptr<Arena> arena;
    AggregateDataPtr place = nullptr;
    size_t released = 0;
};
}

template <typename Write>
void StoredGroups::write(Write && write_groups)
{
    WriteBufferFromFileDescriptor out(file.descriptor(), file.description(), FRAME_BYTES);
    CompressedWriteBuffer frames(out, createCompressionCodec("LZ4"), FRAME_BYTES);
    write_groups(frames);
    frames.finalize();
    out.finalize();
    bytes = out.count();
}

StoredGroups::StoredGroups(const Aggregator & aggregator_, const std::string & directory, SortedGroups & groups)
    : aggregator(aggregator_), file(directory)
{
    write([&](WriteBuffer & out) { append(groups, out); });
}

StoredGroups::StoredGroups(
    const Aggregator & aggregator_, const std::string & directory, const std::vector<SortedGroupsPtr> & inputs)
    : aggregator(aggregator_), file(directory)
{
    write([&](WriteBuffer & out) {
        const auto append_block = [&](const Block & merged) {
            bool is_given = false;
            BlockGroups groups(
                aggregator,
                [&](Block & block) {
                    block = merged;
                    return !std::exchange(is_given, true);
                },
                file.description());
            append(groups, out);
        };
        mergeSortedGroups(aggregator, inputs, MERGED_BLOCK, append_block);
    });
}

void StoredGroups::append(SortedGroups & groups, WriteBuffer & out)
{
    const std::vector<AggregateFunctionPtr> & functions = aggregator.getStates().functions;
    TrackedVector<AggregateDataPtr> states;
    for (; groups.next(); ++count)
    {
        states.clear();
        for (size_t i = 0; i < functions.size(); ++i)
            groups.appendStates(i, states);
        UInt64 held = 0;
        for (size_t i = 0; i < functions.size(); ++i)
            held += functions[i]->sizeOfData() + functions[i]->heldBytes(states[i]);
        const std::string_view key = groups.key();
        writeVarUInt(key.size(), out);
        out.write(key.data(), key.size());
        writeVarUInt(held, out);
        for (size_t i = 0; i < functions.size(); ++i)
            functions[i]->serialize(states[i], out);
    }
}

SortedGroupsPtr StoredGroups::read() const
{
    if (::lseek(file.descriptor(), 0, SEEK_SET) != 0)
        throwSystemError(ErrorCodes::CANNOT_SEEK_THROUGH_FILE, concat("go to the start of ", file.description()), errno);
    return std::make_unique<StoredGroupsReader>(aggregator.getStates(), file, count);
}

}
