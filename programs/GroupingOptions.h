#pragma once

#include <CLI/App.hpp>

#include <statewire/Interpreters/AggregatingTransform.h>

#include <string>
#include <string_view>
#include <vector>

namespace statewire_program
{

/// How groups are made: the options that `aggregate` and `merge --sort` share.
struct GroupingOptions
{
    size_t threads = 0;
    std::string memory_limit;
    std::string temporary_directory;
    CLI::Option * temporary_directory_option = nullptr;
    /// Those that only make sense where rows are grouped.
    std::vector<CLI::Option *> grouping_only;

    void addTo(CLI::App & command);
    /// BAD_ARGUMENTS for a limit that is no size.
    [[nodiscard]] DB::AggregatingSettings settings() const;
};

/// "4096", "100M", "1.5GiB": K, M, G and T are powers of 1000, Ki, Mi, Gi and Ti of 1024, as ClickHouse takes them; a B may follow.
/// BAD_ARGUMENTS for anything else and above 2^64.
[[nodiscard]] DB::UInt64 parseSize(std::string_view text);

}
