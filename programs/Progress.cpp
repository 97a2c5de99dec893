#include "Progress.h"
#include "Terminal.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace statewire_program
{

namespace
{
/// Often enough to look alive, rare enough to cost nothing.
constexpr std::chrono::milliseconds TERMINAL_PERIOD{100};
constexpr std::chrono::milliseconds LOG_PERIOD{2000};

std::string format(const char * pattern, double value, const char * unit)
{
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), pattern, value, unit);
    return text.data();
}

/// As ClickHouse writes them: 1.23 million rows, 4.56 MB.
std::string rowsText(double rows)
{
    if (rows < 1e4)
        return format("%.0f%s rows", rows, "");
    return rows < 1e6 ? format("%.2f %s rows", rows / 1e3, "thousand")
        : rows < 1e9  ? format("%.2f %s rows", rows / 1e6, "million")
                      : format("%.2f %s rows", rows / 1e9, "billion");
}

std::string bytesText(double bytes)
{
    return bytes < 1e3 ? format("%.0f %s", bytes, "B")
        : bytes < 1e6  ? format("%.2f %s", bytes / 1e3, "KB")
        : bytes < 1e9  ? format("%.2f %s", bytes / 1e6, "MB")
                       : format("%.2f %s", bytes / 1e9, "GB");
}
}

Progress::Progress(std::optional<bool> wanted, std::optional<DB::UInt64> total_bytes_)
    : terminal(::isatty(STDERR_FILENO) == 1), total_bytes(total_bytes_)
{
    enabled = wanted.value_or(terminal);
}

Progress::~Progress() { wipe(); }

void Progress::update(DB::UInt64 rows_, DB::UInt64 bytes_)
{
    rows = rows_;
    bytes = bytes_;
    if (!enabled)
        return;
    const Clock::time_point now = Clock::now();
    if (now - last_print < (terminal ? TERMINAL_PERIOD : LOG_PERIOD))
        return;
    last_print = now;
    print(false);
}

void Progress::finish()
{
    if (!enabled)
        return;
    print(true);
    enabled = false;
}

void Progress::wipe()
{
    if (!line_shown)
        return;
    std::fputs("\r\033[K", stderr);
    line_shown = false;
}

void Progress::print(bool last)
{
    const double seconds = std::max(std::chrono::duration<double>(Clock::now() - start).count(), 1e-3);
    const auto row_count = static_cast<double>(rows);
    const auto byte_count = static_cast<double>(bytes);
    std::string line = (last ? "Processed " : "Progress: ") + rowsText(row_count) + ", " + bytesText(byte_count) + " ("
        + rowsText(row_count / seconds) + "/s., " + bytesText(byte_count / seconds) + "/s.)";
    if (last)
        line += format(" in %.3f %s.", seconds, "s");
    else if (terminal && total_bytes.value_or(0) != 0)
    {
        const double part = std::min(1.0, byte_count / static_cast<double>(*total_bytes));
        line += format(" %.0f%s ", part * 100, "%");
        const size_t width = terminalWidth(STDERR_FILENO);
        if (width > line.size() + 12)
        {
            const size_t room = std::min<size_t>(width - line.size() - 3, 50);
            const auto full = static_cast<size_t>(part * static_cast<double>(room));
            line += '[' + std::string(full, '#') + std::string(room - full, '.') + ']';
        }
    }
    wipe();
    if (terminal && !last)
    {
        std::fputs(line.c_str(), stderr);
        std::fflush(stderr);
        line_shown = true;
        return;
    }
    line += '\n';
    std::fputs(line.c_str(), stderr);
}

}
