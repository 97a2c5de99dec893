#include "RoaringFormat.h"

#include "../Common/throwError.h"

namespace DB::inline statewire
{

std::string RoaringParseResult::describe(UInt64 base_offset) const
{
    const auto at = [&](std::string_view what) { return concat(what, " at byte ", base_offset + offset); };
    const auto compare = [&](std::string_view what) { return concat(at(what), ": expected ", expected, ", found ", found); };
    switch (error)
    {
        case RoaringError::None:
            return "no error";
        case RoaringError::Truncated:
            return concat(at("Roaring bitmap is cut off"), ": expected ", expected, " bytes, found ", found);
        case RoaringError::BadCookie:
            return concat(at("Bad Roaring cookie"), ": expected ", COOKIE_WITHOUT_RUNS, " or ", COOKIE_WITH_RUNS, ", found ", found);
        case RoaringError::TooManyContainers:
            return concat(at("Too many Roaring containers"), ": expected at most ", expected, ", found ", found);
        case RoaringError::KeysNotIncreasing:
            return concat(at("Roaring container keys are not increasing"), ": expected more than ", expected, ", found ", found);
        case RoaringError::OffsetMismatch:
            return compare("Roaring container offset does not match the layout");
        case RoaringError::ArrayNotIncreasing:
            return concat(at("Roaring array is not increasing"), ": expected more than ", expected, ", found ", found);
        case RoaringError::BitsetCardinalityMismatch:
            return compare("Roaring bitset does not have the cardinality of its header");
        case RoaringError::NoRuns:
            return at("Roaring run container has no runs");
        case RoaringError::TooManyRuns:
            return concat(at("Roaring run container has too many runs"), ": expected at most ", expected, ", found ", found);
        case RoaringError::RunsNotIncreasing:
            return concat(at("Roaring runs overlap, touch or are not sorted"), ": expected a start above ", expected, ", found ", found);
        case RoaringError::RunPastEnd:
            return concat(at("Roaring run passes the end of its container"), ": expected a last value of at most ", expected, ", found ", found);
        case RoaringError::TooManyBuckets:
            return concat(at("Roaring bucket count does not fit the bytes"), ": expected at most ", expected, ", found ", found);
        case RoaringError::BucketKeysNotIncreasing:
            return concat(at("Roaring bucket keys are not increasing"), ": expected more than ", expected, ", found ", found);
        case RoaringError::JavaLegacyLayout:
            return concat(
                at("These bytes look like Java's legacy Roaring64NavigableMap layout (big-endian), not the portable 64-bit one"),
                ": expected a bucket count of at most ", expected, ", found ", found);
    }
    return "unknown reason";
}

}
