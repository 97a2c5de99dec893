#pragma once

#include "../Common/Arena.h"
#include "../IO/ReadBuffer.h"
#include "../IO/WriteBuffer.h"
#include "../IO/ZeroCopyReader.h"
#include "../Roaring/RoaringBitmap.h"
#include "../Roaring/RoaringOperations.h"
#include "../Roaring/RoaringView.h"

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace DB::inline statewire
{

/** The state of groupBitmap(T), T one of UInt8..UInt64, Int8..Int64: a set of T in ClickHouse's bytes (docs/group_bitmap_state_format.md).
  *
  * Three storages: *small* (at most 32 values, exact, sorted, in the object itself as long as they fit), *borrowed* (a view over pinned
  * bytes that nobody has changed yet) and *owned* (a RoaringBitmap). A state is small exactly while it has at most 32 values, however it
  * came about. The first mutation of a borrowed state turns it owned; containers that nobody changes go on showing the pinned bytes.
  *
  * Values meet bitmaps in their *raw* form: T sign- or zero-extended to 32 bits (8 to 32-bit types) or 64 bits, and read as unsigned; so
  * Int8 -1 is 0xFFFFFFFF. Order means the order of raw values everywhere below.
  *
  * Writing is canonical: equal sets give equal bytes. Reading accepts every legal form, checks everything, and refuses values outside T.
  * Exceptions: INCORRECT_DATA and friends from read, readAndMerge and skip; a failed read leaves a fresh state fresh, a failed
  *     readAndMerge leaves the state as it was. Others only from the allocator (TrackedAllocator.h): then add, addBatch, merge and their like may have
  *     added some of the new values, and doing it again gives the right set; none that were there are lost.
  * Threads: const calls never write to the state, so threads may share one.
  */
template <typename T>
    requires std::integral<T>
class RoaringBitmapState
{
public:
    static constexpr RoaringFormat FORMAT = sizeof(T) == 8 ? RoaringFormat::Portable64 : RoaringFormat::Portable32;
    /// ClickHouse's limit between its two kinds; part of the format.
    static constexpr size_t MAX_SMALL = 32;
    /// ClickHouse refuses larger bitmaps when it reads them, so they are refused here on both sides.
    static constexpr UInt64 MAX_BITMAP_BYTES = UInt64{100} << 30;

    enum class Storage : UInt8
    {
        Small,
        Borrowed,
        Owned
    };

    RoaringBitmapState() noexcept { }
    ~RoaringBitmapState() { reset(); }
    RoaringBitmapState(const RoaringBitmapState & other);
    RoaringBitmapState & operator=(const RoaringBitmapState & other);
    RoaringBitmapState(RoaringBitmapState && other) noexcept;
    RoaringBitmapState & operator=(RoaringBitmapState && other) noexcept;

    [[nodiscard]] static constexpr UInt64 toRaw(T value) noexcept
    {
        if constexpr (sizeof(T) == 8)
            return static_cast<UInt64>(value);
        else
            return static_cast<UInt32>(static_cast<Int32>(value));
    }
    [[nodiscard]] static constexpr T fromRaw(UInt64 raw) noexcept { return static_cast<T>(raw); }

    void add(T value);
    void addBatch(const T * values, size_t n);
    void merge(const RoaringBitmapState & other);
    /// The same, and memory of the other state moves over. It is empty afterwards, also when this throws.
    void merge(RoaringBitmapState && other);
    /// The same for many states at once, key by key (RoaringMerge), whatever their storages. This state may be among them.
    void mergeMany(std::span<const RoaringBitmapState * const> others);
    /// Sorts values in that wait for it (RoaringBitmap), so that many questions do not each look through them.
    void seal();

    /// One state's bytes, canonical.
    void write(WriteBuffer & out) const;
    [[nodiscard]] UInt64 serializedSize() const;

    /// Reads one state into this fresh one and consumes exactly its bytes. `owner` keeps the memory of a stable source alive, so that the
    /// bytes are borrowed and not copied; without it they are copied once, into `arena` when given (which must outlive this state).
    void read(ReadBuffer & in, std::shared_ptr<const void> owner = {}, Arena * arena = nullptr);
    /// Adds one serialized state's values without building it.
    void readAndMerge(ReadBuffer & in);
    /// Adds the values of the next n states at once, as mergeMany does; with an `owner` (as for read) their bytes are not copied either.
    /// When one of them is refused, this state stays as it was.
    void readAndMergeMany(ReadBuffer & in, UInt64 n, const std::shared_ptr<const void> & owner = {});
    /// Passes over one state, checking only what is needed to find its end.
    static void skip(ReadBuffer & in);

    [[nodiscard]] Storage storage() const noexcept { return kind; }
    [[nodiscard]] bool empty() const noexcept { return kind == Storage::Small && small_size == 0; }
    [[nodiscard]] UInt64 cardinality() const;
    [[nodiscard]] bool contains(T value) const { return containsRaw(toRaw(value)); }
    [[nodiscard]] bool containsRaw(UInt64 raw) const;
    /// Appends all values in raw order.
    void appendTo(std::vector<T> & values) const;
    /// What the state is as a bitmap, for questions that have no method here. Cheap unless the state is small (then it is built).
    [[nodiscard]] RoaringBitmap toBitmap() const;

    [[nodiscard]] static RoaringBitmapState combine(SetOperation operation, const RoaringBitmapState & a, const RoaringBitmapState & b);
    /// The result's cardinality, without building it.
    [[nodiscard]] static UInt64 combinedCardinality(SetOperation operation, const RoaringBitmapState & a, const RoaringBitmapState & b);
    /// And, Or or Xor of many states at once; the empty set for none. The result depends on none of them.
    [[nodiscard]] static RoaringBitmapState combineMany(SetOperation operation, std::span<const RoaringBitmapState * const> states);

    /// Takes a bitmap over. ARGUMENT_OUT_OF_BOUND when it holds values outside T.
    [[nodiscard]] static RoaringBitmapState fromBitmap(RoaringBitmap && bitmap);

    /// Calls f(T) for every value in raw order.
    template <typename F>
    void forEach(F && f) const
    {
        if (kind == Storage::Small)
            for (size_t i = 0; i < small_size; ++i)
                f(smallValues()[i]);
        else
            withSnapshot([&](const RoaringSnapshot & snapshot) { forEachValue(snapshot, [&](UInt64 raw) { f(fromRaw(raw)); }); });
    }

    /// Calls f(const RoaringSnapshot &) with the set of raw values; what the snapshot points into lives for the call. A small state is
    /// turned into a bitmap for it.
    template <typename F>
    decltype(auto) withSet(F && f) const
    {
        if (kind != Storage::Small)
            return withSnapshot(f);
        const RoaringBitmap bitmap = toBitmap();
        return f(RoaringSnapshot(bitmap));
    }

    /// The bytes of a borrowed state; nothing for the other storages. Valid as long as the state is not changed.
    [[nodiscard]] std::optional<RoaringView> borrowedView() const noexcept
    {
        return kind == Storage::Borrowed ? std::optional(content.borrowed.view) : std::nullopt;
    }

    /// Heap bytes held by this state alone; borrowed bytes belong to their owner.
    [[nodiscard]] size_t heldBytes() const noexcept;

private:
    /// As many values as fit beside the tags in 48 bytes.
    static constexpr size_t INLINE_VALUES = 40 / sizeof(T) < MAX_SMALL ? 40 / sizeof(T) : MAX_SMALL;

    class SmallStatesGatherer;

    struct Borrowed
    {
        RoaringView view;
        std::shared_ptr<const void> owner;
    };

    struct Owned
    {
        RoaringBitmap bitmap;
        /// Keeps alive what unchanged containers of a formerly borrowed state still show.
        std::shared_ptr<const void> owner;
    };

    union Content
    {
        Content() noexcept { }
        ~Content() { }

        T inlined[INLINE_VALUES];
        T * heap;
        Borrowed borrowed;
        Owned * owned;
    };

    /// What read, readAndMerge and skip find behind the kind byte.
    struct SmallValues
    {
        T values[MAX_SMALL];
        size_t size = 0;
    };

    void reset() noexcept;
    void moveFrom(RoaringBitmapState & other) noexcept;
    [[nodiscard]] bool isInline() const noexcept { return small_capacity <= INLINE_VALUES; }
    [[nodiscard]] const T * smallValues() const noexcept { return isInline() ? content.inlined : content.heap; }
    [[nodiscard]] T * smallValues() noexcept { return isInline() ? content.inlined : content.heap; }
    void freeSmall() noexcept
    {
        if (!isInline())
            trackedDelete(content.heap, small_capacity * sizeof(T));
    }
    void reserveSmall(size_t capacity);
    void addToSmall(T value);
    void setSmall(const T * values, size_t n);
    void becomeOwned(TrackedPtr<Owned> owned) noexcept;
    RoaringBitmap & makeOwned();

    /// The bitmap behind a state that is not small.
    template <typename F>
    decltype(auto) withSnapshot(F && f) const
    {
        if (kind == Storage::Borrowed)
            return f(RoaringSnapshot(content.borrowed.view));
        return f(RoaringSnapshot(content.owned->bitmap));
    }
    [[nodiscard]] static RoaringBitmap combineToBitmap(SetOperation operation, std::span<const RoaringBitmapState * const> states);

    /// Reads a small body, sorted; refuses too many values and duplicates.
    static SmallValues readSmall(ZeroCopyReader & reader);
    /// Reads and checks the size of a bitmap body.
    static UInt64 readBitmapSize(ZeroCopyReader & reader);
    /// Full validation of a bitmap body at byte `offset`: exact size, and no value outside T.
    static RoaringView parseBitmap(std::string_view bytes, UInt64 offset);
    [[noreturn]] static void throwUnknownKind(UInt8 found, UInt64 offset);

    Content content;
    Storage kind = Storage::Small;
    UInt8 small_size = 0;
    UInt8 small_capacity = INLINE_VALUES;
};

}
