#include "CountMinSketch.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "CountMinArithmetic.h"
#include "CountMinEntries.h"
#include "CountMinInstantiate.h"
#include "CountMinKernels.h"
#include "CountMinKeyHash.h"

#include <algorithm>
#include <array>
#include <utility>

namespace DB::inline statewire
{

namespace
{
/// Appends to a container whose capacity is right already: each byte is written once, none is zeroed first.
template <typename Container>
class ContainerSink
{
public:
    explicit ContainerSink(Container & to_) noexcept : to(to_) { }

    [[nodiscard]] char * reserve(size_t) noexcept { return scratch; }
    void commit(size_t n) { append(scratch, n); }
    void append(const void * from, size_t n)
    {
        const auto * begin = static_cast<const typename Container::value_type *>(from);
        to.insert(to.end(), begin, begin + n);
    }

private:
    Container & to;
    char scratch[MAX_SINK_RESERVE];
};
}

template <CountMinWeight W>
CountMinSketch<W>::CountMinSketch(const CountMinView<W> & view, CountMinOverflow policy_) : shape(&view.parameters()), policy(policy_)
{
    merge(view);
}

template <CountMinWeight W>
CountMinSketch<W>::CountMinSketch(const CountMinSketch & other) : shape(other.shape), weight_total(other.weight_total), policy(other.policy)
{
    if (other.isEmpty())
        return;
    table = newTable();
    std::copy_n(other.table, static_cast<size_t>(cells()), table);
}

template <CountMinWeight W>
CountMinSketch<W> & CountMinSketch<W>::operator=(const CountMinSketch & other)
{
    if (this != &other)
        *this = CountMinSketch(other);
    return *this;
}

template <CountMinWeight W>
CountMinSketch<W>::CountMinSketch(CountMinSketch && other) noexcept
    : shape(other.shape), table(std::exchange(other.table, nullptr)), weight_total(std::exchange(other.weight_total, W{0})), policy(other.policy)
{
}

template <CountMinWeight W>
CountMinSketch<W> & CountMinSketch<W>::operator=(CountMinSketch && other) noexcept
{
    CountMinSketch taken(std::move(other));
    std::swap(shape, taken.shape);
    std::swap(table, taken.table);
    weight_total = taken.weight_total;
    policy = taken.policy;
    return *this;
}

template <CountMinWeight W>
void CountMinSketch<W>::allocate()
{
    if (table != nullptr)
        return;
    table = newTable();
    std::fill_n(table, static_cast<size_t>(cells()), W{0});
}

template <CountMinWeight W>
W CountMinSketch<W>::sumOfTotals(W other) const
{
    switch (policy)
    {
        case CountMinOverflow::Error:
            return countMinCheckedTotal<W>(weight_total, countMinMagnitude<W>(other));
        case CountMinOverflow::Saturate:
            return countMinSaturatingSum<W>(weight_total, other);
        case CountMinOverflow::Wrap:
            break;
    }
    return countMinWrappingSum<W>(weight_total, other);
}

template <CountMinWeight W>
void CountMinSketch<W>::addToCell(W & cell, W weight) const noexcept
{
    /// Under Error no cell exceeds the total in magnitude, so that none of them can overflow once the total did not.
    cell = policy == CountMinOverflow::Saturate ? countMinSaturatingSum<W>(cell, weight) : countMinWrappingSum<W>(cell, weight);
}

template <CountMinWeight W>
W CountMinSketch<W>::totalWith(W weight) const
{
    countMinRequireFinite<W>(weight);
    const CountMinMagnitude<W> magnitude = countMinMagnitude<W>(weight);
    constexpr W LARGEST = std::numeric_limits<W>::max();
    switch (policy)
    {
        case CountMinOverflow::Error:
            return countMinCheckedTotal<W>(weight_total, magnitude);
        case CountMinOverflow::Saturate:
            return countMinTotalOverflows<W>(weight_total, magnitude) ? LARGEST : static_cast<W>(weight_total + static_cast<W>(magnitude));
        case CountMinOverflow::Wrap:
            break;
    }
    return countMinWrappingSum<W>(weight_total, static_cast<W>(magnitude));
}

template <CountMinWeight W>
void CountMinSketch<W>::requireOption() const
{
    if constexpr (!std::is_unsigned_v<W>)
        if (shape->isConservative()) [[unlikely]]
            throwError(
                ErrorCodes::BAD_ARGUMENTS,
                concat("Count-min sketch: conservative update takes weights without a sign, not ", countMinWeightName<W>()));
}

template <CountMinWeight W>
void CountMinSketch<W>::addToCells(std::string_view key, W weight) noexcept
{
    if (!shape->isConservative()) [[likely]]
    {
        detail::forEachCell(*shape, key, [&](UInt32, size_t cell) { addToCell(table[cell], weight); });
        return;
    }
    std::array<size_t, COUNT_MIN_MAX_HASHES> cell_of_row{};
    detail::forEachCell(*shape, key, [&](UInt32 row, size_t cell) { cell_of_row[row] = cell; });
    detail::raiseCells<W>(
        table, shape->numHashes(), [&](UInt32 row) { return cell_of_row[row]; }, weight, policy == CountMinOverflow::Saturate);
}

template <CountMinWeight W>
void CountMinSketch<W>::update(std::string_view key, W weight)
{
    if (weight == 0)
        return;
    requireOption();
    const W new_total = totalWith(weight);
    allocate();
    addToCells(key, weight);
    weight_total = new_total;
}

template <CountMinWeight W>
void CountMinSketch<W>::updateHashed(const UInt32 * buckets, size_t stride, W weight)
{
    if (weight == 0)
        return;
    requireOption();
    const W new_total = totalWith(weight);
    allocate();
    const auto cell_of = [&](UInt32 row) { return static_cast<size_t>(row) * shape->numBuckets() + buckets[row * stride]; };
    if (shape->isConservative())
        detail::raiseCells<W>(table, shape->numHashes(), cell_of, weight, policy == CountMinOverflow::Saturate);
    else
        for (UInt32 row = 0; row < shape->numHashes(); ++row)
            addToCell(table[cell_of(row)], weight);
    weight_total = new_total;
}

template <CountMinWeight W>
void CountMinSketch<W>::prefetchHashed(const UInt32 * buckets, size_t stride) const noexcept
{
    if (!isEmpty())
        for (UInt32 row = 0; row < shape->numHashes(); ++row)
            __builtin_prefetch(table + static_cast<size_t>(row) * shape->numBuckets() + buckets[row * stride], 1);
}

template <CountMinWeight W>
void CountMinSketch<W>::requireSameParameters(const CountMinParameters & other) const
{
    if (shape == &other || *shape == other) [[likely]]
        return;
    throwIncompatibleCountMin(*shape, other);
}

template <CountMinWeight W>
template <typename Cells>
void CountMinSketch<W>::mergeCells(const Cells & other_cells, W other_total)
{
    requireOption();
    const W new_total = sumOfTotals(other_total);
    const auto count = static_cast<size_t>(cells());
    if (table == nullptr)
    {
        table = newTable();
        detail::copyCells<W>(table, other_cells, count);
    }
    else if (policy == CountMinOverflow::Saturate)
        detail::addCellsSaturating<W>(table, other_cells, count);
    else
        detail::addCells<W>(table, other_cells, count);
    weight_total = new_total;
}

template <CountMinWeight W>
void CountMinSketch<W>::merge(const CountMinSketch & other)
{
    requireSameParameters(other.parameters());
    if (other.isEmpty())
        return;
    const detail::NativeCells<W> other_cells{other.table};
    /// A stricter policy on this side: what the other one let happen must not have happened.
    if (other.policy > policy)
    {
        const auto result = detail::checkTable<W>(other_cells, *shape, other.weight_total, policy == CountMinOverflow::Error);
        if (!result.ok())
            throwError(
                ErrorCodes::DECIMAL_OVERFLOW, concat("Count-min sketch: the sketch to merge has overflowed before: ", result.describe()));
    }
    mergeCells(other_cells, other.weight_total);
}

template <CountMinWeight W>
void CountMinSketch<W>::merge(const CountMinView<W> & other)
{
    if (other.isEmpty())
    {
        if (other.cells() != 0)
            requireSameParameters(other.parameters());
        return;
    }
    requireSameParameters(other.parameters());
    const detail::ImageCells<W> other_cells{other.bytes().data() + COUNT_MIN_HEADER_SIZE + sizeof(W)};
    if (other.validation() != Validation::Full && policy != CountMinOverflow::Wrap)
    {
        const auto result = detail::checkTable<W>(other_cells, *shape, other.total(), policy == CountMinOverflow::Error);
        if (!result.ok())
            throwError(result.code(), result.describe());
    }
    mergeCells(other_cells, other.total());
}

template <CountMinWeight W>
void CountMinSketch<W>::merge(const CountMinEntries<W> & entries)
{
    if (entries.count() == 0)
        return;
    requireOption();
    W new_total = sumOfTotals(entries.total());
    if constexpr (std::is_floating_point_v<W>)
    {
        if (policy == CountMinOverflow::Error)
        {
            W in_order = weight_total;
            for (UInt32 i = 0; i < entries.count(); ++i)
                in_order = countMinCheckedTotal<W>(in_order, countMinMagnitude<W>(entries.weight(i)));
            new_total = std::max(new_total, in_order);
        }
    }
    allocate();
    for (UInt32 i = 0; i < entries.count(); ++i)
        addToCells(entries.key(i), entries.weight(i));
    weight_total = new_total;
}

template <CountMinWeight W>
UInt64 CountMinSketch<W>::filledCells() const noexcept
{
    return isEmpty() ? 0 : detail::countFilledCells<W>(detail::NativeCells<W>{table}, static_cast<size_t>(cells()));
}

template <CountMinWeight W>
W CountMinSketch<W>::estimate(std::string_view key) const noexcept
{
    return isEmpty() ? W{0} : detail::smallestCell<W>(*shape, detail::NativeCells<W>{table}, key);
}

template <CountMinWeight W>
void CountMinSketch<W>::throwWrappedToZero() const
{
    throwError(
        ErrorCodes::DECIMAL_OVERFLOW,
        concat(
            "Count-min sketch: the total weight wrapped to 0 in ",
            countMinWeightName<W>(),
            ", and an image with such a total reads as empty"));
}

template <CountMinWeight W>
std::vector<UInt8> CountMinSketch<W>::toVector() const
{
    std::vector<UInt8> result;
    result.reserve(static_cast<size_t>(imageSize()));
    ContainerSink sink(result);
    writeImage(sink);
    return result;
}

template <CountMinWeight W>
std::string CountMinSketch<W>::toString() const
{
    std::string result;
    result.reserve(static_cast<size_t>(imageSize()));
    ContainerSink sink(result);
    writeImage(sink);
    return result;
}

#define INSTANTIATE(W) template class CountMinSketch<W>;
STATEWIRE_FOR_EACH_COUNT_MIN_WEIGHT(INSTANTIATE)
#undef INSTANTIATE

}
