#include "WorkerThreads.h"

#include <algorithm>
#include <utility>

namespace DB::inline statewire
{

WorkerThreads::WorkerThreads(size_t count, Job job_) : job(std::move(job_)), errors(count)
{
    threads.reserve(count);
    /// A single one has no others to wait for.
    if (count == 1)
        start = Start::Run;
    try
    {
        for (size_t number = 0; number < count; ++number)
            threads.emplace_back([this, number] { run(number); });
    }
    catch (...)
    {
        begin(Start::Cancel);
        join();
        throw;
    }
    begin(Start::Run);
}

WorkerThreads::~WorkerThreads()
{
    join();
}

void WorkerThreads::begin(Start how) noexcept
{
    start.store(how, std::memory_order_release);
    start.notify_all();
}

void WorkerThreads::run(size_t number) noexcept
{
    start.wait(Start::Waiting, std::memory_order_acquire);
    if (start.load(std::memory_order_acquire) == Start::Cancel)
        return;
    try
    {
        job(number);
    }
    catch (...)
    {
        errors[number] = std::current_exception();
    }
}

void WorkerThreads::join() noexcept
{
    for (std::thread & thread : threads)
        thread.join();
    threads.clear();
}

void WorkerThreads::wait()
{
    join();
    const auto first = std::find_if(errors.begin(), errors.end(), [](const std::exception_ptr & error) { return error != nullptr; });
    if (first == errors.end())
        return;
    const std::exception_ptr error = *first;
    errors.clear();
    std::rethrow_exception(error);
}

}
