#pragma once

#include "../Common/Validation.h"
#include "../base/unaligned.h"
#include "CountMinBounds.h"
#include "CountMinFormat.h"
#include "CountMinKeys.h"
#include "CountMinParameters.h"

#include <concepts>
#include <string>
#include <string_view>

namespace DB::inline statewire
{

/** A count-min sketch inside its serialized image: queried and merged without building anything.
  *
  * Points into: the bytes given to parse(), at any alignment, from their first byte to sizeInBytes(); and the parameters.
  * Valid while: both live and the bytes do not change.
  * Invalidated by: nothing else. It is a small trivially copyable value.
  *
  * After Validation::Structure no call reads outside the bytes, whatever they say; opening costs the header and allocates nothing. After
  * Validation::Full every cell's magnitude is at most the total, and for unsigned weights each row sums to the total (in W's arithmetic), so
  * that merging needs to watch only the totals.
  * Errors: as each call says; the rest is noexcept. Threads: const calls only, shared freely.
  */
template <CountMinWeight W>
class CountMinView
{
public:
    /// An empty sketch without parameters: it answers 0 to everything.
    CountMinView() = default;

    /// Reads an image made with exactly these parameters. Bytes behind it are not looked at (compare sizeInBytes() with what was given), but
    /// an empty image must end where it ends. CANNOT_READ_ALL_DATA when the bytes end early, INCORRECT_DATA when they are wrong, with the
    /// offset from the first byte of `bytes`.
    [[nodiscard]] static CountMinView
    parse(std::string_view bytes, const CountMinParameters & parameters, Validation validation = Validation::Full);
    /// The same without exceptions: on success `view` is set.
    [[nodiscard]] static CountMinParseResult
    tryParse(std::string_view bytes, const CountMinParameters & parameters, Validation validation, CountMinView & view) noexcept;
    /// The header's fields, for readers that learn the shape from the image. INCORRECT_DATA or CANNOT_READ_ALL_DATA.
    [[nodiscard]] static CountMinShape readShape(std::string_view bytes);

    /// A view of bytes that passed Full validation under equal parameters before, such as a state's own. Nothing is checked.
    [[nodiscard]] static CountMinView fromValidated(std::string_view bytes, const CountMinParameters & parameters) noexcept
    {
        return {bytes.data(), parameters, bytes.size() == COUNT_MIN_HEADER_SIZE, Validation::Full};
    }

    /// What a view points to must outlive it.
    template <std::same_as<std::string> Bytes>
    static CountMinView parse(Bytes && bytes, const CountMinParameters & parameters, Validation validation = Validation::Full) = delete;
    static CountMinView parse(std::string_view bytes, const CountMinParameters && parameters, Validation validation = Validation::Full)
        = delete;
    template <std::same_as<std::string> Bytes>
    static CountMinParseResult
    tryParse(Bytes && bytes, const CountMinParameters & parameters, Validation validation, CountMinView & view) noexcept = delete;
    static CountMinParseResult
    tryParse(std::string_view bytes, const CountMinParameters && parameters, Validation validation, CountMinView & view) noexcept = delete;

    /// Bytes the image takes.
    [[nodiscard]] UInt64 sizeInBytes() const noexcept { return data == nullptr ? 0 : countMinImageSize<W>(cells(), is_empty); }
    [[nodiscard]] std::string_view bytes() const noexcept { return {data, static_cast<size_t>(sizeInBytes())}; }
    [[nodiscard]] Validation validation() const noexcept { return validated; }
    /// Not for a default-constructed view, which has none.
    [[nodiscard]] const CountMinParameters & parameters() const noexcept { return *shape; }

    [[nodiscard]] bool isEmpty() const noexcept { return is_empty; }
    /// The sum of the weights' magnitudes.
    [[nodiscard]] W total() const noexcept { return is_empty ? W{0} : unalignedLoadLittleEndian<W>(data + COUNT_MIN_HEADER_SIZE); }
    [[nodiscard]] UInt64 cells() const noexcept { return shape == nullptr ? 0 : shape->cells(); }
    /// Cell `index` < cells(), row after row.
    [[nodiscard]] W cell(UInt64 index) const noexcept
    {
        return is_empty ? W{0} : unalignedLoadLittleEndian<W>(data + COUNT_MIN_HEADER_SIZE + sizeof(W) * (1 + index));
    }
    [[nodiscard]] W cell(UInt32 row, UInt32 bucket) const noexcept { return cell(UInt64{row} * shape->numBuckets() + bucket); }
    /// Cells that are not 0. One pass over the table.
    [[nodiscard]] UInt64 filledCells() const noexcept;

    /// The smallest of the key's cells. The empty key is a key like any other.
    [[nodiscard]] W estimate(std::string_view key) const noexcept;
    /// The same for each key, many at a time: keys.size() numbers at `to`.
    void estimateMany(const CountMinKeys & keys, W * to) const noexcept;
    /// For non-negative weights: lowerBound <= frequency with the confidence the rows give, frequency <= upperBound always (see CountMinBounds.h).
    [[nodiscard]] W lowerBound(std::string_view key) const noexcept
    {
        return is_empty ? W{0} : countMinLowerBound<W>(*shape, estimate(key), total());
    }
    [[nodiscard]] W upperBound(std::string_view key) const noexcept { return estimate(key); }
    /// The pair under the names DataSketches gives it. Its lower bound is the estimate, which is no lower bound of the frequency.
    [[nodiscard]] W dataSketchesLowerBound(std::string_view key) const noexcept { return estimate(key); }
    [[nodiscard]] W dataSketchesUpperBound(std::string_view key) const noexcept
    {
        return is_empty ? W{0} : countMinDataSketchesUpperBound<W>(*shape, estimate(key), total());
    }

private:
    CountMinView(const char * data_, const CountMinParameters & parameters_, bool empty_, Validation validation_) noexcept
        : data(data_), shape(&parameters_), is_empty(empty_), validated(validation_)
    {
    }

    const char * data = nullptr;
    const CountMinParameters * shape = nullptr;
    bool is_empty = true;
    Validation validated = Validation::Full;
};

}
