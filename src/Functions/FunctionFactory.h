#pragma once

#include "IFunction.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace DB::inline statewire
{

/// What functions may expand their arguments to. A function that would exceed a limit ends as MEMORY_LIMIT_EXCEEDED before it allocates.
struct FunctionLimits
{
    /// Elements of all arrays in one result column: 2^27, which is 1 GiB of UInt64.
    UInt64 max_array_elements = UInt64{1} << 27;
};

/** Scalar functions by name. A plain object: what it knows is what was registered with it.
  *
  * Errors: UNKNOWN_FUNCTION with the nearest names; LOGICAL_ERROR when a name is registered twice.
  * Threads: after registration any number may call get().
  */
class FunctionFactory
{
public:
    /// Under its own name. It needs to know nothing of NULL: what get() gives takes Nullable arguments (FunctionOverNulls).
    void registerFunction(FunctionPtr function);

    [[nodiscard]] FunctionPtr get(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const { return functions.contains(name); }
    /// Sorted.
    [[nodiscard]] std::vector<std::string> getNames() const;

private:
    std::map<std::string, FunctionPtr, std::less<>> functions;
};

/// Over bitmaps: bitmapBuild, ToArray, Cardinality, Contains, Min, Max, HasAny, HasAll, And/Or/Xor/Andnot and their Cardinality forms,
/// SubsetInRange, SubsetLimit, subBitmap and Transform as ClickHouse has them; beyond it Rank, Select, RangeCardinality, Shift, Flip,
/// Jaccard, IsValid, ToPortable32/64 and FromPortable32/64, FromFrozen32, FromJavaLegacy64, FromDoris, FromStarRocks.
/// Over sketches: countMinSketch*, countMinTopK* and countMinRanges* (docs/count_min_estimators.md).
void registerFunctions(FunctionFactory & factory, const FunctionLimits & limits = {});

}
