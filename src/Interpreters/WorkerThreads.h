#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace DB::inline statewire
{

/** A few threads that wait for work. A job is a list of phases; every thread runs each phase with its own number, and a phase begins when all
 * threads ended the one before, so that what one phase wrote the next one may read.
 *
 * Used by one other thread. When phases throw, the phases behind are left out, and wait() throws what the thread of the lowest number threw.
 * The destructor waits for a running job. Errors: std::system_error when a thread cannot be made.
 */
class WorkerThreads
{
public:
    using Phase = std::function<void(size_t)>;

    explicit WorkerThreads(size_t count);
    ~WorkerThreads();
    WorkerThreads(const WorkerThreads &) = delete;
    WorkerThreads & operator=(const WorkerThreads &) = delete;

    [[nodiscard]] size_t size() const noexcept { return threads.size(); }
    /// Only when no job is running.
    void start(std::vector<Phase> phases_);
    /// Until the job has ended. Without a job returns at once.
    void wait();

private:
    void work(size_t number);
    void stop() noexcept;

    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Phase> phases;
    /// The phase that runs; phases.size() when there is none.
    size_t phase = 0;
    /// Counts phases over all jobs: what threads wait for.
    size_t started = 0;
    size_t running = 0;
    bool stopping = false;
    std::vector<std::exception_ptr> errors;
    std::vector<std::thread> threads;
};

}
