#include "CountMinConservativeSketch.h"

#include "CountMinArithmetic.h"
#include "CountMinKernels.h"

#include <algorithm>

namespace DB::inline statewire
{

void CountMinConservativeSketch::update(std::string_view key, UInt64 weight)
{
    if (weight == 0)
        return;
    const UInt64 new_total = countMinCheckedTotal<UInt64>(weight_total, weight);
    if (table.empty())
        table.resize(static_cast<size_t>(shape->cells()));
    size_t cells[COUNT_MIN_MAX_HASHES];
    UInt64 smallest = ~UInt64{0};
    detail::forEachCell(*shape, key, [&](UInt32 row, size_t index) {
        cells[row] = index;
        smallest = std::min(smallest, table[index]);
    });
    /// The estimate is at most the total, so that this cannot overflow.
    const UInt64 least = smallest + weight;
    for (UInt32 row = 0; row < shape->numHashes(); ++row)
        table[cells[row]] = std::max(table[cells[row]], least);
    weight_total = new_total;
}

void CountMinConservativeSketch::merge(const CountMinConservativeSketch & other)
{
    if (!(shape == other.shape || *shape == *other.shape))
        throwIncompatibleCountMin(*shape, *other.shape);
    if (other.isEmpty())
        return;
    const UInt64 new_total = countMinCheckedTotal<UInt64>(weight_total, other.weight_total);
    if (isEmpty())
        table = other.table;
    else
        detail::addCells<UInt64>(table.data(), detail::NativeCells<UInt64>{other.table.data()}, table.size());
    weight_total = new_total;
}

UInt64 CountMinConservativeSketch::estimate(std::string_view key) const noexcept
{
    return isEmpty() ? 0 : detail::smallestCell<UInt64>(*shape, detail::NativeCells<UInt64>{table.data()}, key);
}

}
