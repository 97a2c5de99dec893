#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace DB::inline statewire
{

/** A job that several threads run, each with its own number from 0 on. The threads are made for the job, so that the system places them on
 * processors that are free then; threads that slept between short jobs were seen to stay on one processor.
 *
 * The destructor waits for the job. Errors: std::system_error when a thread cannot be made; no thread runs the job then.
 * Threads: used by one.
 */
class WorkerThreads
{
public:
    using Job = std::function<void(size_t)>;

    WorkerThreads(size_t count, Job job_);
    ~WorkerThreads();
    WorkerThreads(const WorkerThreads &) = delete;
    WorkerThreads & operator=(const WorkerThreads &) = delete;

    /// Until all have ended; then throws what the thread of the lowest number threw, if one did.
    void wait();

private:
    enum class Start
    {
        Waiting,
        Run,
        Cancel
    };

    void run(size_t number) noexcept;
    void begin(Start how) noexcept;
    void join() noexcept;

    Job job;
    std::atomic<Start> start{Start::Waiting};
    std::vector<std::exception_ptr> errors;
    std::vector<std::thread> threads;
};

}
