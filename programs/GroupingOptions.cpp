#include "GroupingOptions.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <thread>

using namespace DB;

namespace statewire_program
{

namespace
{
constexpr size_t MAX_DEFAULT_THREADS = 16;

std::string defaultTemporaryDirectory()
{
    const char * directory = std::getenv("TMPDIR");
    return directory && *directory ? directory : "/tmp";
}
}

UInt64 parseSize(std::string_view text)
{
    const auto fail = [&] {
        throwError(
            ErrorCodes::BAD_ARGUMENTS, concat("Bad size ", quoteName(text), ", expected a number of bytes such as 4096, 100M (millions) or 1.5Gi"));
    };
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || !(number >= 0))
        fail();
    std::string_view suffix = text.substr(static_cast<size_t>(end - text.data()));
    if (!suffix.empty() && suffix.back() == 'B')
        suffix.remove_suffix(1);
    if (!suffix.empty())
    {
        const bool is_binary = suffix.back() == 'i';
        if (is_binary)
            suffix.remove_suffix(1);
        const size_t power = std::string_view("KMGT").find(suffix);
        if (suffix.size() != 1 || power == std::string_view::npos)
            fail();
        number *= std::pow(is_binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
    }
    if (!(number < 0x1p64))
        fail();
    return static_cast<UInt64>(number);
}

void GroupingOptions::addTo(CLI::App & command)
{
    grouping_only.push_back(command.add_option("--threads", threads, "Threads that group; the output does not depend on it. Default: one a processor")
                      ->type_name("N"));
    grouping_only.push_back(command
                      .add_option(
                          "--memory-limit",
                          memory_limit,
                          "How much groups and states may take, as 100M or 4Gi: before it is reached they go to temporary files that are merged in "
                          "the end. What needs far more is refused, such as one group that is too large. Default: no limit")
                      ->type_name("SIZE"));
    temporary_directory_option
        = command
              .add_option(
                  "--temporary-directory",
                  temporary_directory,
                  "Where temporary files go; empty for none, so that the limit is an error. They have no names and are gone with the program. "
                  "Default: $TMPDIR or /tmp")
              ->type_name("DIR");
}

AggregatingSettings GroupingOptions::settings() const
{
    AggregatingSettings result;
    result.threads = threads != 0 ? threads : std::clamp<size_t>(std::thread::hardware_concurrency(), 1, MAX_DEFAULT_THREADS);
    if (!memory_limit.empty())
        result.memory_limit = parseSize(memory_limit);
    result.temporary_directory = temporary_directory_option->count() != 0 ? temporary_directory : defaultTemporaryDirectory();
    return result;
}

}
