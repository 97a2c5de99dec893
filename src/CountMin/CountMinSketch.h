#pragma once

#include "../Common/trackedNew.h"
#include "../IO/WriteBufferSink.h"
#include "../base/unaligned.h"
#include "CountMinBounds.h"
#include "CountMinFormat.h"
#include "CountMinKeys.h"
#include "CountMinParameters.h"
#include "CountMinView.h"

#include <bit>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace DB::inline statewire
{

template <CountMinWeight W>
class CountMinEntries;
class CountMinDecay;

/// What happens when a total or a cell leaves W's range.
enum class CountMinOverflow : UInt8
{
    Error, /// DECIMAL_OVERFLOW, and nothing has changed
    Saturate, /// it stays at the largest magnitude, which is the same on both sides of 0
    Wrap /// as W's arithmetic does and as DataSketches does; floats become infinite
};

/// The total once a batch was added, by the policy: the one check of updateMany. An empty `weights` counts 1 a key. Errors as updateMany's.
template <CountMinWeight W>
[[nodiscard]] W countMinTotalOfBatch(W total, CountMinOverflow policy, size_t keys, std::span<const W> weights);

/** A count-min sketch that owns its table: a regular value with the queries of CountMinView.
  *
  * The table is allocated by the first weight that is not 0; a sketch without one is empty. Copying copies the table. The parameters are
  * pointed to, never copied: they outlive the sketch.
  *
  * With conservative update (an option of the parameters, for unsigned weights) update raises only those of the key's cells that must rise for its
  * estimate to grow by the weight: estimates are never below the truth and never above the plain sketch's. Cells then depend on the order of
  * the stream; merging still adds them, and the sum is between the truth and the plain sketch of both streams.
  *
  * For non-negative weights without overflow: frequency <= estimate(key) <= frequency + e / num_buckets * total with probability
  * 1 - exp(-num_hashes). With negative weights the estimate bounds nothing.
  *
  * Errors: DECIMAL_OVERFLOW as the policy says; BAD_ARGUMENTS for a weight that is not finite, sketches of other parameters, and whatever is
  *     added with conservative update to weights with a sign;
  *     INCORRECT_DATA for an unvalidated view that fails. A call that throws has changed nothing, those of TrackedAllocator.h included.
  * Threads: const calls never write, so threads may share a sketch that nobody changes.
  */
template <CountMinWeight W>
class CountMinSketch
{
public:
    explicit CountMinSketch(const CountMinParameters & parameters_, CountMinOverflow policy_ = CountMinOverflow::Error) noexcept
        : shape(&parameters_), policy(policy_)
    {
    }
    explicit CountMinSketch(const CountMinParameters && parameters_, CountMinOverflow policy_ = CountMinOverflow::Error) = delete;
    /// What the view shows; see merge for views that were not fully validated.
    explicit CountMinSketch(const CountMinView<W> & view, CountMinOverflow policy_ = CountMinOverflow::Error);
    CountMinSketch(const CountMinSketch & other);
    CountMinSketch & operator=(const CountMinSketch & other);
    /// Leaves `other` empty.
    CountMinSketch(CountMinSketch && other) noexcept;
    CountMinSketch & operator=(CountMinSketch && other) noexcept;
    ~CountMinSketch() { trackedDelete(table, heldBytes()); }

    /// Weight 0 changes nothing. The empty key is counted like any other (DataSketches drops empty strings).
    void update(std::string_view key, W weight = 1);
    /// The same as update() for each key in order, with the same cells and total, and faster; without weights each key counts 1. All or nothing:
    /// with the Error policy the whole batch's total is checked before the first cell changes. BAD_ARGUMENTS unless there are as many weights as keys.
    void updateMany(const CountMinKeys & keys, std::span<const W> weights = {});
    /// update() of a key whose bucket in row r is buckets[r * stride], computed by whoever hashed many keys for many sketches.
    void updateHashed(const UInt32 * buckets, size_t stride, W weight);
    /// Asks for the cells that updateHashed will change.
    void prefetchHashed(const UInt32 * buckets, size_t stride) const noexcept;
    /// Cells and totals add. With the Error policy a view that only passed Structure, or a sketch that saturated or wrapped, is first checked
    /// as Full validation would; the other policies take whatever is there.
    void merge(const CountMinSketch & other);
    void merge(const CountMinView<W> & other);
    /// The same as adding each exact entry in key order. For floats the total becomes at least the sum of the magnitudes in that order, so
    /// that no cell exceeds it by rounding.
    void merge(const CountMinEntries<W> & entries);

    /// The same as adding each of other's weights `factor` times over: cells and total are multiplied first. A factor of 0 changes nothing.
    /// Under every policy DECIMAL_OVERFLOW when other's total times |factor| leaves W; BAD_ARGUMENTS for a factor that is not finite; otherwise
    /// as merge. Estimates keep their error bound, of the weighted total. Takes a copy of the table.
    void mergeWeighted(const CountMinView<W> & other, W factor);
    void mergeWeighted(const CountMinSketch & other, W factor);

    /// Adds what is left of `other` when its weights are multiplied by a factor of at most 1: cells are cut to whole numbers, the total is rounded up,
    /// and a table without cells above 0 adds nothing. This sketch's parameters are decayed() of other's or equal to them and decayed:
    /// BAD_ARGUMENTS; otherwise as merge.
    void mergeDecayed(const CountMinView<W> & other, const CountMinDecay & decay);
    void mergeDecayed(const CountMinSketch & other, const CountMinDecay & decay);

    [[nodiscard]] const CountMinParameters & parameters() const noexcept { return *shape; }
    [[nodiscard]] CountMinOverflow overflow() const noexcept { return policy; }
    /// True until something was added. A total that wrapped to 0 is not empty.
    [[nodiscard]] bool isEmpty() const noexcept { return table == nullptr; }
    [[nodiscard]] W total() const noexcept { return weight_total; }
    [[nodiscard]] UInt64 cells() const noexcept { return shape->cells(); }
    /// Cell `index` < cells(), row after row.
    [[nodiscard]] W cell(UInt64 index) const noexcept { return isEmpty() ? W{0} : table[index]; }
    [[nodiscard]] W cell(UInt32 row, UInt32 bucket) const noexcept { return cell(UInt64{row} * shape->numBuckets() + bucket); }
    [[nodiscard]] UInt64 filledCells() const noexcept;
    /// Bytes on the heap.
    [[nodiscard]] size_t heldBytes() const noexcept { return isEmpty() ? 0 : static_cast<size_t>(cells()) * sizeof(W); }

    /// As CountMinView's.
    [[nodiscard]] W estimate(std::string_view key) const noexcept;
    void estimateMany(const CountMinKeys & keys, W * to) const noexcept;
    [[nodiscard]] W lowerBound(std::string_view key) const noexcept { return countMinLowerBound<W>(*shape, estimate(key), weight_total); }
    [[nodiscard]] W upperBound(std::string_view key) const noexcept { return estimate(key); }
    [[nodiscard]] W dataSketchesLowerBound(std::string_view key) const noexcept { return estimate(key); }
    [[nodiscard]] W dataSketchesUpperBound(std::string_view key) const noexcept
    {
        return countMinDataSketchesUpperBound<W>(*shape, estimate(key), weight_total);
    }

    /** Writes the image into anything with reserve, commit and append (WriteBufferSink.h): the prefix of 16 + sizeof(W) bytes, then the whole
      * table in one append. DECIMAL_OVERFLOW when the total wrapped to 0: the format would read it back as an empty sketch.
      */
    template <typename Sink>
    void writeImage(Sink & sink) const;
    /// What writeImage writes, counted by the same routine.
    [[nodiscard]] UInt64 imageSize() const;
    /// Hands the image to `callback(const void * bytes, size_t size)` piece by piece; a pointer is valid during its call. Returns the bytes.
    template <typename Callback>
    UInt64 writeTo(Callback && callback) const;
    [[nodiscard]] std::vector<UInt8> toVector() const;
    [[nodiscard]] std::string toString() const;

private:
    [[nodiscard]] W * newTable() const { return static_cast<W *>(trackedNew(static_cast<size_t>(cells()) * sizeof(W))); }
    /// The table, allocated and zeroed when there is none.
    void allocate();
    /// The total once `weight` was added, as the policy says.
    [[nodiscard]] W totalWith(W weight) const;
    /// `weight_total` and `other` added as the policy says, or DECIMAL_OVERFLOW.
    [[nodiscard]] W sumOfTotals(W other) const;
    void addToCell(W & cell, W weight) const noexcept;
    /// Adds to the key's cells as the option has it; the table is there and the total is the caller's.
    void addToCells(std::string_view key, W weight) noexcept;
    /// BAD_ARGUMENTS for conservative update of weights with a sign.
    void requireOption() const;
    void updateManyConservatively(const CountMinKeys & keys, std::span<const W> weights, W new_total);
    template <typename Other>
    void mergeProducts(const Other & other, W factor);
    template <typename Other>
    void mergeDecays(const Other & other, const CountMinDecay & decay);
    template <typename Other, typename ScaleTotal, typename ScaleCell>
    void mergeScaled(const Other & other, ScaleTotal && scale_total, ScaleCell && scale_cell);
    template <typename Cells>
    void mergeCells(const Cells & other_cells, W other_total);
    void requireSameParameters(const CountMinParameters & other) const;
    void requireWritable() const
    {
        if (table != nullptr && weight_total == 0) [[unlikely]]
            throwWrappedToZero();
    }
    [[noreturn]] void throwWrappedToZero() const;

    const CountMinParameters * shape;
    /// A pointer alone, for a state is to stay within 48 bytes.
    W * table = nullptr;
    W weight_total = 0;
    CountMinOverflow policy;
};

/// Implementation details.

template <CountMinWeight W>
template <typename Sink>
void CountMinSketch<W>::writeImage(Sink & sink) const
{
    requireWritable();
    const bool is_empty = isEmpty();
    const size_t prefix_size = is_empty ? COUNT_MIN_HEADER_SIZE : COUNT_MIN_HEADER_SIZE + sizeof(W);
    char * prefix = sink.reserve(prefix_size);
    writeCountMinHeader(prefix, shape->shape(is_empty));
    if (!is_empty)
        unalignedStoreLittleEndian<W>(prefix + COUNT_MIN_HEADER_SIZE, weight_total);
    sink.commit(prefix_size);
    if (is_empty)
        return;
    if constexpr (std::endian::native == std::endian::little || sizeof(W) == 1)
        sink.append(table, static_cast<size_t>(cells()) * sizeof(W));
    else
    {
        for (UInt64 i = 0; i < cells(); ++i)
        {
            unalignedStoreLittleEndian<W>(sink.reserve(sizeof(W)), table[i]);
            sink.commit(sizeof(W));
        }
    }
}

template <CountMinWeight W>
UInt64 CountMinSketch<W>::imageSize() const
{
    CountingSink sink;
    writeImage(sink);
    return sink.size();
}

template <CountMinWeight W>
template <typename Callback>
UInt64 CountMinSketch<W>::writeTo(Callback && callback) const
{
    struct CallbackSink
    {
        explicit CallbackSink(Callback & callback_) noexcept : callback(callback_) { }
        char * reserve(size_t) noexcept { return scratch; }
        void commit(size_t n) { append(scratch, n); }
        void append(const void * from, size_t n)
        {
            callback(from, n);
            size += n;
        }

        Callback & callback;
        UInt64 size = 0;
        char scratch[MAX_SINK_RESERVE];
    };
    CallbackSink sink(callback);
    writeImage(sink);
    return sink.size;
}

}
