#include "RowArguments.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>

#include <charconv>
#include <limits>

using namespace DB;

namespace statewire_udf
{

namespace
{

constexpr UInt64 MAX_NUMBERS = std::numeric_limits<UInt64>::max() / sizeof(UInt64);

[[noreturn]] void throwBadParameters(std::string_view text, std::string_view what)
{
    throwError(
        ErrorCodes::BAD_ARGUMENTS,
        concat(
            "Wrong parameters of a count-min sketch '",
            text.substr(0, 100),
            "': ",
            what,
            "; expected num_hashes, num_buckets[, seed[, row_seeds]], such as 5, 2719"));
}

/// Takes the next part up to a comma, without the spaces around it.
std::string_view takePart(std::string_view & rest)
{
    const size_t comma = std::min(rest.find(','), rest.size());
    std::string_view part = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    while (part.starts_with(' '))
        part.remove_prefix(1);
    while (part.ends_with(' '))
        part.remove_suffix(1);
    return part;
}

template <typename T>
T parseNumber(std::string_view text, std::string_view part, std::string_view name)
{
    T value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size())
        throwBadParameters(text, concat(name, " is no whole number of its range"));
    return value;
}

CountMinParameters parseParameters(std::string_view text)
{
    std::string_view rest = text;
    const auto num_hashes = parseNumber<UInt32>(text, takePart(rest), "num_hashes");
    const auto num_buckets = parseNumber<UInt32>(text, takePart(rest), "num_buckets");
    UInt64 seed = COUNT_MIN_DEFAULT_SEED;
    std::optional<RowSeeds> row_seeds = RowSeeds::LibStdCxx;
    if (!rest.empty())
        seed = parseNumber<UInt64>(text, takePart(rest), "seed");
    if (!rest.empty())
    {
        std::string_view name = takePart(rest);
        if (name.size() >= 2 && name.starts_with('\'') && name.ends_with('\''))
            name = name.substr(1, name.size() - 2);
        row_seeds = parseRowSeeds(name);
    }
    if (!row_seeds)
        throwBadParameters(text, "row_seeds is neither libstdcxx nor libcxx");
    if (!rest.empty() || text.ends_with(','))
        throwBadParameters(text, "there is more behind them");
    if (const UInt64 cells = UInt64{num_hashes} * num_buckets; cells > RowArguments::MAX_CELLS)
        throwBadParameters(text, concat(cells, " cells, at most ", RowArguments::MAX_CELLS, " are taken"));
    return CountMinParameters(num_hashes, num_buckets, seed, *row_seeds);
}

}

const CountMinParameters & RowArguments::readParameters()
{
    const std::string_view text = readString();
    if (!parameters || text != parameters_text)
    {
        parameters.emplace(parseParameters(text));
        parameters_text = text;
    }
    return *parameters;
}

std::string_view RowArguments::readBytes(UInt64 n)
{
    DB::PinnedBytes pinned = reader.pin(n);
    const std::string_view bytes = pinned.bytes();
    /// Many bytes have memory of their own.
    if (pinned.owner().use_count() != 0)
        kept.push_back(std::move(pinned));
    return bytes;
}

std::string_view RowArguments::readNumbers(UInt64 count)
{
    if (count > MAX_NUMBERS)
        throwError(
            ErrorCodes::TOO_LARGE_ARRAY_SIZE,
            concat("An array declares ", count, " numbers, more than any memory holds, before byte ", reader.offset()));
    return readBytes(count * sizeof(UInt64));
}

}
