#include "CountMinFunctionArguments.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/dispatchNumber.h"
#include "../DataTypes/errorText.h"

#include <limits>
#include <optional>

namespace DB::inline statewire
{

namespace
{
/// Parameter `index` by its name: parse(name) or BAD_ARGUMENTS saying what it must be.
template <typename Parse>
auto namedParameter(std::string_view function, const Array & parameters, size_t index, std::string_view what, Parse && parse)
{
    const auto * name = std::get_if<std::string>(&parameters[index]);
    const auto value = name ? parse(*name) : std::nullopt;
    if (!value)
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat(
                "Parameter ",
                index + 1,
                " of aggregate function ",
                function,
                ", ",
                what,
                name ? concat(", not ", quoteForError(*name)) : std::string()));
    return *value;
}
}

UInt64 wholeParameter(std::string_view function, const Array & parameters, size_t index, std::string_view what, UInt64 largest)
{
    const auto * value = std::get_if<UInt64>(&parameters[index]);
    if (!value || *value > largest)
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat(
                "Parameter ", index + 1, " of aggregate function ", function, ", ", what, ", must be a whole number of at most ", largest));
    return *value;
}

CountMinParameters readCountMinParameters(std::string_view function, const Array & parameters, size_t first, CountMinOption last_option)
{
    const size_t count = parameters.size();
    if (count < first + 2 || count > first + 5)
        throwError(
            ErrorCodes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            concat(
                "Aggregate function ",
                function,
                " takes ",
                first + 2,
                " to ",
                first + 5,
                " parameters (",
                first == 1 ? "k, " : "",
                "num_hashes, num_buckets[, seed[, row_seeds[, option]]]), not ",
                count));
    const UInt64 num_hashes = wholeParameter(function, parameters, first, "num_hashes", std::numeric_limits<UInt8>::max());
    const UInt64 num_buckets = wholeParameter(function, parameters, first + 1, "num_buckets", std::numeric_limits<UInt32>::max());
    const UInt64 seed = count > first + 2 ? wholeParameter(function, parameters, first + 2, "seed", std::numeric_limits<UInt64>::max())
                                          : COUNT_MIN_DEFAULT_SEED;
    const RowSeeds row_seeds = count > first + 3
        ? namedParameter(function, parameters, first + 3, "row_seeds, must be 'libstdcxx' or 'libcxx'", parseRowSeeds)
        : RowSeeds::LibStdCxx;
    const bool any_option = last_option == CountMinOption::ConservativeDecayed;
    const CountMinOption option = count > first + 4 ? namedParameter(
                                      function,
                                      parameters,
                                      first + 4,
                                      any_option ? "option, must be 'plain', 'conservative', 'decayed' or 'conservative_decayed'"
                                                 : "option, must be 'plain' or 'conservative'",
                                      [&](std::string_view name) {
                                          const auto parsed = parseCountMinOption(name);
                                          return parsed && *parsed <= last_option ? parsed : std::nullopt;
                                      })
                                                    : CountMinOption::Plain;
    return CountMinParameters(static_cast<UInt32>(num_hashes), static_cast<UInt32>(num_buckets), seed, row_seeds, option);
}

Array printCountMinParameters(const CountMinParameters & sketch)
{
    const bool has_option = sketch.option() != CountMinOption::Plain;
    const bool has_row_seeds = has_option || sketch.rowSeeds() != RowSeeds::LibStdCxx;
    Array printed{UInt64{sketch.numHashes()}, UInt64{sketch.numBuckets()}};
    if (has_row_seeds || sketch.seed() != COUNT_MIN_DEFAULT_SEED)
        printed.emplace_back(sketch.seed());
    if (has_row_seeds)
        printed.emplace_back(std::string(toString(sketch.rowSeeds())));
    if (has_option)
        printed.emplace_back(std::string(toString(sketch.option())));
    return printed;
}

void requireCountMinKey(std::string_view function, const IDataType & type)
{
    if (type.getTypeId() != TypeIndex::String && sizeOfNumber(type.getTypeId()) == 0)
        throwError(
            ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
            concat("The key of aggregate function ", function, " must be a number or a String, not ", type.getName()));
}

TypeIndex requireCountMinWeight(std::string_view function, const IDataType & type)
{
    std::optional<TypeIndex> weight;
    dispatchNumber(type.getTypeId(), [&]<typename T>() {
        if constexpr (std::is_floating_point_v<T>)
            weight = TypeIndex::Float64;
        else
            weight = std::is_signed_v<T> ? TypeIndex::Int64 : TypeIndex::UInt64;
    });
    if (!weight)
        throwError(
            ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
            concat("The weight of aggregate function ", function, " must be a number, not ", type.getName()));
    return *weight;
}

void requireUnsignedWeight(std::string_view function, const IDataType & type)
{
    if (requireCountMinWeight(function, type) != TypeIndex::UInt64)
        throwError(
            ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
            concat("The weight of aggregate function ", function, " must be an unsigned integer, not ", type.getName()));
}

}
