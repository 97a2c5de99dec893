#pragma once

#include <cstddef>
#include <string>
#include <vector>

/** The system calls that reading and writing files make, under the test's control: SystemCalls.cpp defines the C library's functions anew
  * in this program, counts the calls of the thread that asked for it, and lets one of them go wrong.
  */
namespace statewire_tests
{

enum class Fault
{
    None,
    Error, /// The call does nothing and fails with `error`. A close() closes all the same, as the system's does.
    Short, /// A read or a write moves only one byte; other calls are left alone.
    KillBefore, /// The process is gone (SIGKILL) before the call does anything,
    KillInside, /// or in the middle of it: a write has moved some bytes,
    KillAfter /// or when it is done.
};

struct FaultPlan
{
    Fault fault = Fault::None;
    /// Which call, counted from 0 over all watched calls.
    size_t index = 0;
    int error = 0;
    /// Every later call of the same name goes wrong too.
    bool persistent = false;
};

/// While it lives, the calls of this thread are counted and the plan is carried out. fsync is counted and not done: it only takes time.
class WatchedSystemCalls
{
public:
    explicit WatchedSystemCalls(const FaultPlan & plan);
    ~WatchedSystemCalls();
    WatchedSystemCalls(const WatchedSystemCalls &) = delete;
    WatchedSystemCalls & operator=(const WatchedSystemCalls &) = delete;

    /// The names of the calls so far, in order.
    [[nodiscard]] const std::vector<std::string> & calls() const;
};

}
