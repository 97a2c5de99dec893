#pragma once

#include <statewire/base/types.h>

#include <chrono>
#include <optional>

namespace statewire_program
{

/** Says on stderr how far the reading is: rows, bytes, rates, and a bar when stderr is a terminal and the size of the input is known.
 * Silent unless it is switched on. Never throws: what cannot be written is left out.
 */
class Progress
{
public:
    /// On when asked for, off when asked against, otherwise on when stderr is a terminal.
    Progress(std::optional<bool> wanted, std::optional<DB::UInt64> total_bytes_);
    ~Progress();
    Progress(const Progress &) = delete;
    Progress & operator=(const Progress &) = delete;

    /// What was read so far. Prints now and then.
    void update(DB::UInt64 rows_, DB::UInt64 bytes_);
    /// Prints the last line. Without it (an error is on its way) an unfinished line is wiped.
    void finish();

private:
    using Clock = std::chrono::steady_clock;

    void print(bool last);
    void wipe();

    bool enabled;
    bool terminal;
    bool line_shown = false;
    std::optional<DB::UInt64> total_bytes;
    DB::UInt64 rows = 0;
    DB::UInt64 bytes = 0;
    Clock::time_point start = Clock::now();
    Clock::time_point last_print = start;
};

}
