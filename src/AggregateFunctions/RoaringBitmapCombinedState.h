#pragma once

#include "../Roaring/RoaringOperations.h"
#include "RoaringBitmapState.h"

#include <type_traits>
#include <vector>

namespace DB::inline statewire
{

namespace detail
{
/// '0' or '1' as ClickHouse writes whether such a state was fed. INCORRECT_DATA otherwise.
[[nodiscard]] bool readFedFlag(ReadBuffer & in);
void writeFedFlag(WriteBuffer & out, bool fed);
}

/** The state of groupBitmapAnd, groupBitmapOr and groupBitmapXor over states of groupBitmap(T): the combination of all states fed to it.
  *
  * "Never fed" is not "empty": the first state fed is taken as it is, and a state that was never fed leaves what it is merged into
  * unchanged. Version 1 writes the flag before the set; version 0 has none, and is read as fed, as are values behind a flag that says never
  * fed. A pointer to this is a pointer to the set, its first member, so that whatever takes bitmaps takes these.
  * Errors, threads and lifetimes are those of RoaringBitmapState.
  */
template <typename T, SetOperation operation>
class RoaringBitmapCombinedState
{
    static_assert(operation != SetOperation::AndNot);

public:
    using Set = RoaringBitmapState<T>;
    static constexpr size_t DEFAULT_VERSION = 1;

    void add(const Set & state)
    {
        if (!was_fed)
            combined = state;
        else if constexpr (operation == SetOperation::Or)
            combined.merge(state);
        else
            combined = Set::combine(operation, combined, state);
        was_fed = true;
    }
    /// The same for many states at once, key by key.
    void addMany(std::span<const Set * const> states)
    {
        if (states.empty())
            return;
        if constexpr (operation == SetOperation::Or)
        {
            if (was_fed)
                combined.mergeMany(states);
            else
            {
                /// Apart, for a state that says it was never fed must not hold some of the values.
                Set united;
                united.mergeMany(states);
                combined = std::move(united);
            }
        }
        else
        {
            TrackedVector<const Set *> all(states.begin(), states.end());
            if (was_fed)
                all.push_back(&combined);
            combined = Set::combineMany(operation, all);
        }
        was_fed = true;
    }
    void merge(const RoaringBitmapCombinedState & other)
    {
        if (other.was_fed)
            add(other.combined);
    }

    void write(WriteBuffer & out, size_t version = DEFAULT_VERSION) const
    {
        if (version >= 1)
            detail::writeFedFlag(out, was_fed);
        combined.write(out);
    }
    /// Reads into this fresh state; `owner` and `arena` as in RoaringBitmapState. On an error it stays fresh.
    void read(ReadBuffer & in, size_t version = DEFAULT_VERSION, std::shared_ptr<const void> owner = {}, Arena * arena = nullptr)
    {
        const bool fed = version == 0 || detail::readFedFlag(in);
        combined.read(in, std::move(owner), arena);
        was_fed = fed || !combined.empty();
    }
    void readAndMerge(ReadBuffer & in, size_t version = DEFAULT_VERSION)
    {
        const bool fed = version == 0 || detail::readFedFlag(in);
        if (fed && was_fed && operation == SetOperation::Or)
        {
            combined.readAndMerge(in);
            return;
        }
        Set other;
        other.read(in);
        if (!was_fed)
        {
            was_fed = fed || !other.empty();
            combined = std::move(other);
        }
        else if (fed || !other.empty())
            add(other);
    }
    static void skip(ReadBuffer & in, size_t version = DEFAULT_VERSION)
    {
        if (version >= 1)
            static_cast<void>(detail::readFedFlag(in));
        Set::skip(in);
    }

    [[nodiscard]] bool wasFed() const noexcept { return was_fed; }
    /// Empty when never fed.
    [[nodiscard]] const Set & set() const noexcept { return combined; }
    [[nodiscard]] size_t heldBytes() const noexcept { return combined.heldBytes(); }

private:
    [[no_unique_address]] Set combined;
    bool was_fed = false;
};

static_assert(std::is_standard_layout_v<RoaringBitmapCombinedState<UInt8, SetOperation::And>>);

static_assert(sizeof(RoaringBitmapCombinedState<UInt64, SetOperation::And>) == 48);

}
