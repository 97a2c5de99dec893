#include "CountMinSketchState.h"

#include "../Common/ErrorCodes.h"
#include "../Common/TrackedAllocator.h"
#include "../Common/throwError.h"
#include "../CountMin/CountMinHashKernels.h"

#include <algorithm>

/** The calls of states that take a column of keys. */
namespace DB::inline statewire
{

template <CountMinStateWeight W>
void CountMinSketchState<W>::addBatch(const CountMinKeys & keys, std::span<const W> weights)
{
    if (key_size != 0)
        for (size_t i = 0; i < keys.size(); ++i)
        {
            requireKeySize(keys[i]);
            if (keys.width() != 0)
                break;
        }
    if (kind == Storage::Owned)
    {
        owned.updateMany(keys, weights);
        return;
    }
    if (kind == Storage::Borrowed)
    {
        CountMinSketch<W> sketch(view());
        sketch.updateMany(keys, weights);
        become(std::move(sketch));
        return;
    }
    static_cast<void>(countMinTotalOfBatch<W>(small.total(), CountMinOverflow::Error, keys.size(), weights));
    /// A copy, for nothing may have changed when memory runs out halfway; it is at most a page.
    CountMinSketchState filled(*this);
    size_t done = 0;
    for (; done < keys.size() && filled.kind == Storage::Small; ++done)
        filled.add(keys[done], weights.empty() ? W{1} : weights[done]);
    if (done < keys.size())
        filled.owned.updateMany(keys.slice(done, keys.size() - done), weights.empty() ? weights : weights.subspan(done));
    *this = std::move(filled);
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::addToEach(CountMinSketchState * const * states, const CountMinKeys & keys, std::span<const W> weights)
{
    constexpr size_t SIZE = detail::CountMinKeyBlock::SIZE;
    /// Cells of a state this far ahead are asked for.
    constexpr size_t AHEAD = 4;
    TrackedVector<UInt32> buckets;
    for (size_t begin = 0; begin < keys.size(); begin += SIZE)
    {
        const size_t n = std::min(SIZE, keys.size() - begin);
        CountMinSketchState * const * const block_states = states + begin;
        const auto weight_of = [&](size_t i) { return weights.empty() ? W{1} : weights[begin + i]; };
        /// Small states ask for no hash: hashing pays where most are tables.
        const auto tables = std::count_if(block_states, block_states + n, [](const auto * state) { return state->kind == Storage::Owned; });
        if (static_cast<size_t>(tables) * 2 < n)
        {
            for (size_t i = 0; i < n; ++i)
                block_states[i]->add(keys[begin + i], weight_of(i));
            continue;
        }
        const CountMinParameters & parameters = *block_states[0]->shape;
        detail::CountMinKeyBlock block(parameters);
        block.load(keys.slice(begin, n));
        buckets.resize(parameters.numHashes() * SIZE);
        block.bucketsOfRows(buckets.data());
        for (size_t i = 0; i < n; ++i)
        {
            if (i + AHEAD < n && block_states[i + AHEAD]->kind == Storage::Owned)
                block_states[i + AHEAD]->owned.prefetchHashed(buckets.data() + i + AHEAD, SIZE);
            CountMinSketchState & state = *block_states[i];
            if (state.kind == Storage::Owned)
            {
                state.requireKeySize(keys[begin + i]);
                state.owned.updateHashed(buckets.data() + i, SIZE, weight_of(i));
            }
            else
                state.add(keys[begin + i], weight_of(i));
        }
    }
}

template <CountMinStateWeight W>
void CountMinSketchState<W>::estimateMany(const CountMinKeys & keys, W * to) const noexcept
{
    switch (kind)
    {
        case Storage::Small:
            for (size_t i = 0; i < keys.size(); ++i)
                to[i] = estimate(keys[i]);
            break;
        case Storage::Borrowed:
            view().estimateMany(keys, to);
            break;
        case Storage::Owned:
            owned.estimateMany(keys, to);
            break;
    }
}

#define INSTANTIATE(W) \
    template void CountMinSketchState<W>::addBatch(const CountMinKeys &, std::span<const W>); \
    template void CountMinSketchState<W>::addToEach(CountMinSketchState * const *, const CountMinKeys &, std::span<const W>); \
    template void CountMinSketchState<W>::estimateMany(const CountMinKeys &, W *) const noexcept;
INSTANTIATE(UInt64)
INSTANTIATE(Int64)
INSTANTIATE(Float64)
#undef INSTANTIATE

}
