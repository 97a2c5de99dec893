#include "SortedGroupsMerge.h"

#include "../Columns/ColumnAggregateFunction.h"

#include <algorithm>
#include <utility>

namespace DB::inline statewire
{

namespace
{
/// Stored states of one key that are read into memory at a time.
constexpr size_t MAX_STORED_BYTES_AT_ONCE = size_t{32} << 20;

/// The block that is being filled, and the states of its last group.
class OutputBlock
{
public:
    OutputBlock(const Aggregator & aggregator_, const Aggregator::OutputLimits & limits_, const std::function<void(const Block &)> & consume_)
        : aggregator(aggregator_), states(aggregator_.getStates()), limits(limits_), consume(consume_)
    {
    }

    /// Begins a group whose states are those of the current group of `input` when it gives them away, else fresh ones. True when it did.
    bool beginGroup(std::string_view key, SortedGroups & input)
    {
        if (columns.empty())
            begin();
        bool is_released = !states.functions.empty();
        known_bytes = input.serializedSize();
        for (size_t i = 0; i < states.functions.size(); ++i)
        {
            std::shared_ptr<const void> owner;
            AggregateDataPtr given = is_released ? input.release(i, owner) : nullptr;
            is_released = given != nullptr;
            if (given)
                adopt(i, given, owner);
            places[i] = given ? given : state_columns[i]->insertState();
        }
        aggregator.getKeys().decode(key, key_columns);
        ++rows;
        return is_released;
    }

    [[nodiscard]] AggregateDataPtr place(size_t function) const noexcept { return places[function]; }

    /// States were merged into those of the group.
    void groupHasChanged() noexcept { known_bytes.reset(); }

    void endGroup()
    {
        if (known_bytes)
            bytes += *known_bytes;
        else
            endChangedGroup();
        if (rows >= limits.max_block_rows || bytes >= limits.max_block_bytes)
            flush();
    }

    void flush()
    {
        if (rows == 0)
            return;
        const NamesAndTypes & header = aggregator.getHeader();
        Block block;
        for (size_t i = 0; i < key_columns.size(); ++i)
            block.insert({std::move(key_columns[i]), header[i].type, header[i].name});
        for (size_t i = 0; i < columns.size() - key_columns.size(); ++i)
            block.insert(
                {std::move(columns[key_columns.size() + i]), header[key_columns.size() + i].type, header[key_columns.size() + i].name});
        columns.clear();
        key_columns.clear();
        rows = 0;
        bytes = 0;
        consume(block);
    }

private:
    void begin()
    {
        const NamesAndTypes & header = aggregator.getHeader();
        const size_t keys = header.size() - states.functions.size();
        state_columns.clear();
        key_columns.clear();
        columns.resize(header.size());
        for (size_t i = 0; i < header.size(); ++i)
        {
            MutableColumnPtr column = header[i].type->createColumn();
            if (i < keys)
                key_columns.push_back(std::move(column));
            else
            {
                state_columns.push_back(static_cast<ColumnAggregateFunction *>(column.get()));
                columns[i] = std::move(column);
            }
        }
        places.resize(states.functions.size());
    }

    void endChangedGroup()
    {
        /// As they are written, which depends on what they hold and not on how they came about: so blocks always end at the same rows.
        const bool is_only_group = aggregator.getKeys().kind() == GroupKeys::Kind::None;
        for (size_t i = 0; i < places.size(); ++i)
        {
            states.functions[i]->seal(places[i]);
            if (!is_only_group)
                bytes += states.functions[i]->serializedSize(places[i]);
        }
    }

    void adopt(size_t function, AggregateDataPtr given, std::shared_ptr<const void> & owner)
    {
        try
        {
            state_columns[function]->keepAlive(std::move(owner));
            state_columns[function]->adopt(given);
        }
        catch (...)
        {
            states.functions[function]->destroy(given);
            throw;
        }
    }

    const Aggregator & aggregator;
    const GroupStates & states;
    Aggregator::OutputLimits limits;
    const std::function<void(const Block &)> & consume;
    std::vector<MutableColumnPtr> key_columns;
    std::vector<MutableColumnPtr> columns;
    TrackedVector<ColumnAggregateFunction *> state_columns;
    TrackedVector<AggregateDataPtr> places;
    size_t rows = 0;
    UInt64 bytes = 0;
    std::optional<UInt64> known_bytes;
};

/// States in memory that inputs gave away, so that what they hold moves over. Those that were not merged are destroyed.
class GivenStates
{
public:
    explicit GivenStates(const std::vector<AggregateFunctionPtr> & functions_) : functions(functions_), states(functions_.size()) { }
    ~GivenStates()
    {
        for (size_t i = 0; i < functions.size(); ++i)
            functions[i]->destroyBatch(0, states[i].size(), states[i].data(), 0);
    }
    GivenStates(const GivenStates &) = delete;
    GivenStates & operator=(const GivenStates &) = delete;

    /// False where the input keeps the states of its current group.
    [[nodiscard]] bool take(SortedGroups & input)
    {
        for (TrackedVector<AggregateDataPtr> & list : states)
            if (list.size() == list.capacity())
                list.reserve(2 * list.size() + 1);
        for (size_t i = 0; i < functions.size(); ++i)
        {
            std::shared_ptr<const void> owner;
            const AggregateDataPtr given = input.release(i, owner);
            if (!given)
                return false;
            states[i].push_back(given);
        }
        return true;
    }

    void mergeInto(const OutputBlock & output)
    {
        for (size_t i = 0; i < functions.size(); ++i)
            if (TrackedVector<AggregateDataPtr> taken = std::exchange(states[i], {}); !taken.empty())
                functions[i]->mergeAndDestroyBatch(output.place(i), taken.data(), taken.size(), nullptr);
    }

private:
    const std::vector<AggregateFunctionPtr> & functions;
    std::vector<TrackedVector<AggregateDataPtr>> states;
};

struct Head
{
    UInt64 prefix;
    std::string_view key;
    size_t input;

    [[nodiscard]] bool hasKey(UInt64 prefix_, std::string_view key_) const noexcept { return prefix == prefix_ && key == key_; }
    /// For a heap with the first one on top.
    bool operator<(const Head & other) const noexcept
    {
        if (prefix != other.prefix)
            return prefix > other.prefix;
        const int order = key.compare(other.key);
        return order != 0 ? order > 0 : input > other.input;
    }
};
}

void mergeSortedGroups(
    const Aggregator & aggregator, const std::vector<SortedGroupsPtr> & inputs, const Aggregator::OutputLimits & limits,
    const std::function<void(const Block &)> & consume)
{
    OutputBlock output(aggregator, limits, consume);
    const std::vector<AggregateFunctionPtr> & functions = aggregator.getStates().functions;

    TrackedVector<Head> heap;
    const auto advance = [&](size_t input) {
        if (!inputs[input]->next())
            return;
        const std::string_view key = inputs[input]->key();
        heap.push_back({GroupKeys::prefixOf(key), key, input});
        std::push_heap(heap.begin(), heap.end());
    };
    for (size_t input = 0; input < inputs.size(); ++input)
        advance(input);

    TrackedString key;
    TrackedVector<size_t> same;
    TrackedVector<size_t> kept;
    TrackedVector<AggregateDataPtr> sources;
    TrackedVector<AggregateDataPtr> targets;
    GivenStates given(functions);
    const auto merge = [&](size_t begin, size_t end) {
        output.groupHasChanged();
        kept.clear();
        for (size_t k = begin; k < end; ++k)
            if (inputs[same[k]]->storedBytes() != 0 || !given.take(*inputs[same[k]]))
                kept.push_back(same[k]);
        for (size_t i = 0; i < functions.size() && !kept.empty(); ++i)
        {
            sources.clear();
            for (const size_t input : kept)
                inputs[input]->appendStates(i, sources);
            targets.assign(sources.size(), output.place(i));
            functions[i]->mergeBatch(0, sources.size(), targets.data(), 0, sources.data(), nullptr);
        }
        given.mergeInto(output);
        for (size_t k = begin; k < end; ++k)
            advance(same[k]);
    };

    while (!heap.empty())
    {
        key = heap.front().key;
        const UInt64 prefix = heap.front().prefix;
        bool is_first = true;
        while (!heap.empty() && heap.front().hasKey(prefix, key))
        {
            same.clear();
            for (; !heap.empty() && heap.front().hasKey(prefix, key); heap.pop_back())
            {
                same.push_back(heap.front().input);
                std::pop_heap(heap.begin(), heap.end());
            }
            size_t begin = 0;
            if (is_first && output.beginGroup(key, *inputs[same[0]]))
                advance(same[begin++]);
            is_first = false;
            while (begin < same.size())
            {
                size_t end = begin;
                for (size_t stored = 0; end < same.size() && (end == begin || stored < MAX_STORED_BYTES_AT_ONCE); ++end)
                    stored += inputs[same[end]]->storedBytes();
                merge(begin, end);
                begin = end;
            }
        }
        output.endGroup();
    }
    output.flush();
}

}
