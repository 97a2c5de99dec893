#include "CountMinView.h"

#include "../Common/throwError.h"
#include "CountMinInstantiate.h"
#include "CountMinKernels.h"

namespace DB::inline statewire
{

namespace
{
/// The first of the parameters that the image does not share.
[[nodiscard]] CountMinParseResult compareShape(const CountMinShape & found, const CountMinParameters & expected) noexcept
{
    const auto differs = [](CountMinError error, UInt64 offset, UInt64 wanted, UInt64 got) -> CountMinParseResult {
        return {error, CountMinParseResult::Numbers::Unsigned, offset, wanted, got};
    };
    if (found.num_buckets != expected.numBuckets())
        return differs(CountMinError::NumBucketsMismatch, COUNT_MIN_NUM_BUCKETS_OFFSET, expected.numBuckets(), found.num_buckets);
    if (found.num_hashes != expected.numHashes())
        return differs(CountMinError::NumHashesMismatch, COUNT_MIN_NUM_HASHES_OFFSET, expected.numHashes(), found.num_hashes);
    if (found.seed_hash != expected.seedHash())
        return differs(CountMinError::SeedHashMismatch, COUNT_MIN_SEED_HASH_OFFSET, expected.seedHash(), found.seed_hash);
    return {};
}

void throwUnlessOk(const CountMinParseResult & result)
{
    if (!result.ok()) [[unlikely]]
        throwError(result.code(), result.describe());
}
}

template <CountMinWeight W>
CountMinParseResult CountMinView<W>::tryParse(
    std::string_view bytes, const CountMinParameters & parameters, Validation validation, CountMinView & view) noexcept
{
    CountMinShape found;
    /// Whoever has the parameters chose the size of the table already.
    if (const auto result = tryReadCountMinShape(bytes, found, COUNT_MIN_CELLS_LIMIT); !result.ok())
        return result;
    if (const auto result = compareShape(found, parameters); !result.ok())
        return result;
    const UInt64 needed = countMinImageSize<W>(parameters.cells(), found.empty);
    if (bytes.size() < needed)
        return {CountMinError::Truncated, CountMinParseResult::Numbers::Unsigned, bytes.size(), needed, bytes.size()};
    const CountMinView parsed(bytes.data(), parameters, found.empty, validation);
    if (!found.empty)
    {
        const W total = parsed.total();
        if (total == 0)
            return detail::disagreement<W>(CountMinError::TotalIsZero, COUNT_MIN_HEADER_SIZE, 1, total);
        if (validation == Validation::Full)
        {
            const detail::ImageCells<W> cells{bytes.data() + COUNT_MIN_HEADER_SIZE + sizeof(W)};
            if (const auto result = detail::checkTable<W>(cells, parameters, total, true); !result.ok())
                return result;
        }
    }
    view = parsed;
    return {};
}

template <CountMinWeight W>
CountMinView<W> CountMinView<W>::parse(std::string_view bytes, const CountMinParameters & parameters, Validation validation)
{
    CountMinView view;
    throwUnlessOk(tryParse(bytes, parameters, validation, view));
    return view;
}

template <CountMinWeight W>
CountMinShape CountMinView<W>::readShape(std::string_view bytes)
{
    CountMinShape shape;
    throwUnlessOk(tryReadCountMinShape(bytes, shape));
    return shape;
}

template <CountMinWeight W>
UInt64 CountMinView<W>::filledCells() const noexcept
{
    if (is_empty)
        return 0;
    return detail::countFilledCells<W>(
        detail::ImageCells<W>{data + COUNT_MIN_HEADER_SIZE + sizeof(W)}, static_cast<size_t>(shape->cells()));
}

template <CountMinWeight W>
W CountMinView<W>::estimate(std::string_view key) const noexcept
{
    if (is_empty)
        return 0;
    return detail::smallestCell<W>(*shape, detail::ImageCells<W>{data + COUNT_MIN_HEADER_SIZE + sizeof(W)}, key);
}

#define INSTANTIATE(W) template class CountMinView<W>;
STATEWIRE_FOR_EACH_COUNT_MIN_WEIGHT(INSTANTIATE)
#undef INSTANTIATE

}
