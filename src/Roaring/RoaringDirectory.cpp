#include "RoaringDirectory.h"

#include "RoaringContainerSearch.h"
#include "RoaringCursor.h"

#include <algorithm>

namespace DB::inline statewire
{

RoaringDirectory::RoaringDirectory(RoaringView view) : image(view.bytes().data())
{
    if (view.format() == RoaringFormat::Portable32)
        entries.reserve(view.headerCount());
    view.cursor().forEach([this](UInt64 key, ContainerView found) {
        const auto offset = static_cast<UInt64>(found.data - image);
        entries.push_back({total, key << 16 | static_cast<UInt64>(found.kind), offset << 16 | (found.size - 1)});
        total += found.kind == ContainerKind::Run ? containerCardinality(found) : found.size;
    });
}

ContainerView RoaringDirectory::container(const Entry & entry) const noexcept
{
    return {static_cast<ContainerKind>(entry.key_and_kind & 0xffff), static_cast<UInt32>(entry.place & 0xffff) + 1, image + (entry.place >> 16)};
}

TrackedVector<RoaringDirectory::Entry>::const_iterator RoaringDirectory::find(UInt64 key) const noexcept
{
    return std::lower_bound(entries.begin(), entries.end(), key, [](const Entry & entry, UInt64 wanted) { return entry.key() < wanted; });
}

bool RoaringDirectory::contains(UInt64 value) const noexcept
{
    const auto found = find(value >> 16);
    return found != entries.end() && found->key() == value >> 16 && containerContains(container(*found), static_cast<UInt16>(value));
}

UInt64 RoaringDirectory::rank(UInt64 value) const noexcept
{
    const auto found = find(value >> 16);
    if (found == entries.end())
        return total;
    return found->before + (found->key() == value >> 16 ? containerRank(container(*found), static_cast<UInt16>(value)) : 0);
}

std::optional<UInt64> RoaringDirectory::select(UInt64 index) const noexcept
{
    if (index >= total)
        return std::nullopt;
    /// The last entry with at most `index` values before it.
    const auto behind
        = std::upper_bound(entries.begin(), entries.end(), index, [](UInt64 wanted, const Entry & entry) { return wanted < entry.before; });
    const Entry & entry = *std::prev(behind);
    const UInt32 low = containerSelect(container(entry), static_cast<UInt32>(index - entry.before));
    if (low == CONTAINER_VALUES)
        return std::nullopt;
    return entry.key() << 16 | low;
}

std::optional<UInt64> RoaringDirectory::next(UInt64 from) const noexcept
{
    for (auto i = find(from >> 16); i != entries.end(); ++i)
    {
        const UInt32 low = containerNext(container(*i), i->key() == from >> 16 ? static_cast<UInt16>(from) : 0);
        if (low < CONTAINER_VALUES)
            return i->key() << 16 | low;
    }
    return std::nullopt;
}

std::optional<UInt64> RoaringDirectory::previous(UInt64 from) const noexcept
{
    auto i = find(from >> 16);
    if (i != entries.end() && i->key() == from >> 16)
        ++i;
    while (i != entries.begin())
    {
        --i;
        const UInt32 low
            = containerPrevious(container(*i), i->key() == from >> 16 ? static_cast<UInt16>(from) : UInt16{CONTAINER_VALUES - 1});
        if (low < CONTAINER_VALUES)
            return i->key() << 16 | low;
    }
    return std::nullopt;
}

}
