#include "../Roaring/RoaringMerge.h"
#include "RoaringBitmapState.h"

#include <deque>

/** Many states at once. Bitmaps go into one RoaringMerge where they lie; the values of small states are gathered first. */
namespace DB::inline statewire
{

namespace
{
/// Fewer states than this are merged one after another: a window of the merge costs as much as a few containers united in place.
constexpr size_t MIN_MANY = 6;
/// Gathered values that go to a bitmap at a time.
constexpr size_t MAX_GATHERED = 65536;
}

/// Brings the values of small states into a bitmap, many at a time.
template <typename T>
    requires std::integral<T>
class RoaringBitmapState<T>::SmallStatesGatherer
{
public:
    explicit SmallStatesGatherer(RoaringBitmap & bitmap_) : bitmap(bitmap_) { }

    void add(const RoaringBitmapState & state)
    {
        const T * from = state.smallValues();
        const size_t begin = values.size();
        values.resize(begin + state.small_size);
        for (size_t i = 0; i < state.small_size; ++i)
            values[begin + i] = static_cast<Raw>(toRaw(from[i]));
        if (values.size() >= MAX_GATHERED)
            flush();
    }
    void flush()
    {
        bitmap.addMany(values);
        values.clear();
    }

private:
    using Raw = std::conditional_t<sizeof(T) == 8, UInt64, UInt32>;

    RoaringBitmap & bitmap;
    TrackedVector<Raw> values;
};

template <typename T>
    requires std::integral<T>
RoaringBitmap RoaringBitmapState<T>::combineToBitmap(SetOperation operation, std::span<const RoaringBitmapState * const> states)
{
    TrackedVector<RoaringCursor> cursors;
    cursors.reserve(states.size() + 1);
    /// Neither bitmaps nor snapshots may move while cursors point into them.
    std::deque<RoaringBitmap, TrackedAllocator<RoaringBitmap>> small_bitmaps;
    std::deque<RoaringSnapshot, TrackedAllocator<RoaringSnapshot>> snapshots;
    RoaringBitmap gathered;
    SmallStatesGatherer gatherer(gathered);
    for (const RoaringBitmapState * state : states)
        switch (state->kind)
        {
            case Storage::Small:
                if (operation == SetOperation::Or)
                    gatherer.add(*state);
                else
                    cursors.push_back(snapshots.emplace_back(small_bitmaps.emplace_back(state->toBitmap())).cursor());
                break;
            case Storage::Borrowed:
                cursors.push_back(state->content.borrowed.view.cursor());
                break;
            case Storage::Owned:
                cursors.push_back(snapshots.emplace_back(state->content.owned->bitmap).cursor());
                break;
        }
    gatherer.flush();
    gathered.seal();
    if (cursors.empty())
        return gathered;
    if (!gathered.empty())
        cursors.push_back(snapshots.emplace_back(gathered).cursor());
    return roaringMerge(operation, cursors);
}

template <typename T>
    requires std::integral<T>
RoaringBitmapState<T> RoaringBitmapState<T>::combineMany(SetOperation operation, std::span<const RoaringBitmapState * const> states)
{
    return fromBitmap(combineToBitmap(operation, states));
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::mergeMany(std::span<const RoaringBitmapState * const> others)
{
    if (others.size() < MIN_MANY)
        for (const RoaringBitmapState * other : others)
            merge(*other);
    else if (kind == Storage::Small)
    {
        RoaringBitmap united = combineToBitmap(SetOperation::Or, others);
        for (size_t i = 0; i < small_size; ++i)
            united.add(toRaw(smallValues()[i]));
        *this = fromBitmap(std::move(united));
    }
    else
    {
        RoaringBitmap & bitmap = makeOwned();
        /// Small states wait in the bitmap, which folds in many more of them at a time than come here.
        SmallStatesGatherer gatherer(bitmap);
        TrackedVector<const RoaringBitmapState *> bitmaps;
        for (const RoaringBitmapState * other : others)
            if (other->kind == Storage::Small)
                gatherer.add(*other);
            else if (other != this)
                bitmaps.push_back(other);
        gatherer.flush();
        if (!bitmaps.empty())
            bitmap.merge(combineToBitmap(SetOperation::Or, bitmaps));
    }
}

template <typename T>
    requires std::integral<T>
void RoaringBitmapState<T>::readAndMergeMany(ReadBuffer & in, UInt64 n, const std::shared_ptr<const void> & owner)
{
    std::deque<RoaringBitmapState, TrackedAllocator<RoaringBitmapState>> states;
    TrackedVector<const RoaringBitmapState *> pointers;
    for (; n != 0; --n)
    {
        states.emplace_back().read(in, owner);
        pointers.push_back(&states.back());
    }
    mergeMany(pointers);
}

#define INSTANTIATE(T) \
    template RoaringBitmap RoaringBitmapState<T>::combineToBitmap(SetOperation, std::span<const RoaringBitmapState<T> * const>); \
    template RoaringBitmapState<T> RoaringBitmapState<T>::combineMany(SetOperation, std::span<const RoaringBitmapState<T> * const>); \
    template void RoaringBitmapState<T>::mergeMany(std::span<const RoaringBitmapState<T> * const>); \
    template void RoaringBitmapState<T>::readAndMergeMany(ReadBuffer &, UInt64, const std::shared_ptr<const void> &);

INSTANTIATE(UInt8)
INSTANTIATE(UInt16)
INSTANTIATE(UInt32)
INSTANTIATE(UInt64)
INSTANTIATE(Int8)
INSTANTIATE(Int16)
INSTANTIATE(Int32)
INSTANTIATE(Int64)
#undef INSTANTIATE

}
