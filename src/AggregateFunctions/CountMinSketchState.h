#pragma once

#include "../Common/Arena.h"
#include "../Common/PinnedBytes.h"
#include "../CountMin/CountMinDecay.h"
#include "../CountMin/CountMinEntries.h"
#include "../CountMin/CountMinKeys.h"
#include "../CountMin/CountMinParameters.h"
#include "../CountMin/CountMinSketch.h"
#include "../CountMin/CountMinView.h"
#include "../IO/ReadBuffer.h"
#include "../IO/WriteBuffer.h"
#include "../IO/ZeroCopyReader.h"
#include "CountMinStateKind.h"

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace DB::inline statewire
{

/// The weight types of a state.
template <typename W>
concept CountMinStateWeight = std::same_as<W, UInt64> || std::same_as<W, Int64> || std::same_as<W, Float64>;

/** The state of countMinSketch(num_hashes, num_buckets[, seed[, row_seeds[, option]]])(key[, weight]); bytes in docs/count_min_sketch_state_format.md.
  *
  * Three storages: *small* (every key with its exact weight, sized to its content), *borrowed* (a view over pinned bytes that nobody has
  * changed yet) and *owned* (a CountMinSketch). A state is small exactly while the bytes of its serialized entries are at most smallLimit():
  * a rule about the set of keys, not about the order they came in. The first mutation of a borrowed state turns it owned.
  *
  * A key is a column's raw little-endian bytes (`key_size` of them) or a string's bytes (`key_size` 0); the empty string is a key. Weight 0 is
  * ignored; a key whose weights cancel stays, with weight 0. The parameters are pointed to and outlive the state; their scheme, shape, seed
  * and option, the key's size and W come from the type name, not from the bytes. Conservative and decayed states (CountMinParameters) have
  * kinds of their own and merge with their like only.
  *
  * Exceptions: DECIMAL_OVERFLOW when a total leaves W's range, BAD_ARGUMENTS for other parameters, another key size or a weight that is not
  *     finite; from read, readAndMerge and skip INCORRECT_DATA, CANNOT_READ_ALL_DATA and ATTEMPT_TO_READ_AFTER_EOF. A failed read leaves a
  *     fresh state fresh; any other failed call leaves the state as it was.
  * Threads: const calls never write to the state, so threads may share one.
  */
template <CountMinStateWeight W>
class CountMinSketchState
{
public:
    enum class Storage : UInt8
    {
        Small,
        Borrowed,
        Owned
    };

    static constexpr UInt64 MAX_SMALL_BYTES = COUNT_MIN_MAX_SMALL_BYTES;

    explicit CountMinSketchState(const CountMinParameters & parameters_, UInt32 key_size_ = 0) noexcept
        : shape(&parameters_), key_size(key_size_), kind(Storage::Small), small(key_size_)
    {
    }
    explicit CountMinSketchState(const CountMinParameters && parameters_, UInt32 key_size_ = 0) = delete;
    ~CountMinSketchState() { destroy(); }
    /// Shares borrowed bytes when they have an owner; bytes in an arena are copied, for the copy may outlive it.
    CountMinSketchState(const CountMinSketchState & other);
    CountMinSketchState & operator=(const CountMinSketchState & other);
    /// Leaves `other` never fed.
    CountMinSketchState(CountMinSketchState && other) noexcept;
    CountMinSketchState & operator=(CountMinSketchState && other) noexcept;

    void add(std::string_view key, W weight = 1);
    /// The same as add() for each key in order, and faster; without weights each key counts 1. All or nothing. BAD_ARGUMENTS also unless there
    /// are as many weights as keys.
    void addBatch(const CountMinKeys & keys, std::span<const W> weights = {});
    /// Adds key i to *states[i], all of which share their parameters and key size; states may repeat. An error leaves the keys before added.
    static void addToEach(CountMinSketchState * const * states, const CountMinKeys & keys, std::span<const W> weights = {});
    void merge(const CountMinSketchState & other);

    /// Adds each of other's weights `factor` times over. DECIMAL_OVERFLOW when a weight or the total leaves W, BAD_ARGUMENTS as merge and for a
    /// factor that is not finite; nothing has changed then.
    void mergeWeighted(const CountMinSketchState & other, W factor);
    /// Adds what a decay leaves of `other`, whose parameters have this one's as their decayed() (or are equal and decayed themselves): the
    /// weights of a small state, or the cells of a sketch, cut to whole numbers; keys without weight are forgotten. Errors as merge.
    void mergeDecayed(const CountMinSketchState & other, const CountMinDecay & decay);

    /// Merges a DataSketches image of exactly these bytes, with Full validation.
    void mergeImage(std::string_view image);

    /// One state's bytes. An unchanged borrowed state leaves as it came, its image in one append.
    void write(WriteBuffer & out) const;
    [[nodiscard]] UInt64 serializedSize() const;

    /// Reads one state into this fresh one, with Full validation, and consumes exactly its bytes. `owner` keeps the memory of a stable source
    /// alive, so that the image is borrowed and not copied; without it the image is copied once, into `arena` when given (which must outlive
    /// this state). Entries of a small state are always copied.
    void read(ReadBuffer & in, std::shared_ptr<const void> owner = {}, Arena * arena = nullptr);
    /// Merges one serialized state without building it.
    void readAndMerge(ReadBuffer & in);
    /// Passes over one state, checking only what is needed to find its end.
    static void skip(ReadBuffer & in);

    [[nodiscard]] Storage storage() const noexcept { return kind; }
    [[nodiscard]] const CountMinParameters & parameters() const noexcept { return *shape; }
    [[nodiscard]] UInt32 keySize() const noexcept { return key_size; }
    /// The most bytes that the serialized entries of a small state take.
    [[nodiscard]] UInt64 smallLimit() const noexcept;
    [[nodiscard]] bool isEmpty() const noexcept { return kind == Storage::Small && small.count() == 0; }
    /// Rewriting gives the bytes that were read: true for every state that read() accepts, for the format has one spelling for each.
    [[nodiscard]] bool isCanonical() const noexcept { return true; }
    /// The sum of the weights' magnitudes.
    [[nodiscard]] W total() const noexcept;
    /// Cells that are not 0; for a small state, those of the sketch it would grow into.
    [[nodiscard]] UInt64 filledCells() const;
    /// Exact entries of a small state; 0 for the others.
    [[nodiscard]] size_t smallEntries() const noexcept { return kind == Storage::Small ? small.count() : 0; }

    /// Exact for a small state; otherwise the smallest of the key's cells.
    [[nodiscard]] W estimate(std::string_view key) const noexcept;
    /// The same for each key, many at a time: keys.size() numbers at `to`.
    void estimateMany(const CountMinKeys & keys, W * to) const noexcept;
    /// For non-negative weights: max(0, estimate - e / num_buckets * total), and the estimate.
    [[nodiscard]] W lowerBound(std::string_view key) const noexcept { return countMinLowerBound<W>(*shape, estimate(key), total()); }
    [[nodiscard]] W upperBound(std::string_view key) const noexcept { return estimate(key); }
    /// The frequency without the noise of other keys, 0 to estimate(key); see countMinCorrectedEstimate. Exact for a small state.
    [[nodiscard]] double correctedEstimate(std::string_view key) const;
    /// The sum over all keys of their weights' products, at least the truth for non-negative weights; see countMinInnerProduct. With a small
    /// side the other one is asked about its keys alone: sharper, and exact when both are small. BAD_ARGUMENTS as merge, and for conservative
    /// states, whose cells are no sums.
    [[nodiscard]] static double innerProduct(const CountMinSketchState & a, const CountMinSketchState & b);
    /// As DataSketches names them: the estimate, and estimate + e / num_buckets * total.
    [[nodiscard]] W dataSketchesLowerBound(std::string_view key) const noexcept { return estimate(key); }
    [[nodiscard]] W dataSketchesUpperBound(std::string_view key) const noexcept
    {
        return countMinDataSketchesUpperBound<W>(*shape, estimate(key), total());
    }

    /// The state as a sketch, and as its DataSketches image. A small state is built first.
    [[nodiscard]] CountMinSketch<W> toSketch() const;
    [[nodiscard]] std::string toImage() const;

    /// Heap bytes held by this state alone; borrowed bytes belong to their owner.
    [[nodiscard]] size_t heldBytes() const noexcept;

private:
    [[nodiscard]] CountMinView<W> view() const noexcept { return CountMinView<W>::fromValidated(borrowed.bytes(), *shape); }
    void requireKeySize(std::string_view key) const;
    void destroy() noexcept;
    /// The constructors that all others end in: the old content goes, `content` comes.
    void become(CountMinEntries<W> && content) noexcept;
    void become(PinnedBytes && content) noexcept;
    void become(CountMinSketch<W> && content) noexcept;
    void requireSameKeySize(const CountMinSketchState & other) const;
    /// f(view or sketch) of a state that is not small.
    template <typename F>
    auto visitSketch(F && f) const;
    void mergeSmall(const CountMinEntries<W> & other);
    /// `other` is a CountMinView or a CountMinSketch, not empty.
    template <typename Sketch>
    void mergeSketch(const Sketch & other);
    template <typename Sink>
    void writeInto(Sink & sink) const;
    /// Reads the kind and, of a sketch, the size, for which the parameters leave one choice.
    [[nodiscard]] bool readIsSmall(ZeroCopyReader & reader) const;
    [[nodiscard]] CountMinView<W> parseImage(std::string_view image, UInt64 base_offset) const;

    const CountMinParameters * shape;
    UInt32 key_size;
    Storage kind;
    union
    {
        CountMinEntries<W> small;
        PinnedBytes borrowed;
        CountMinSketch<W> owned;
    };
};

}
