#include "WorkerThreads.h"

#include <algorithm>

namespace DB::inline statewire
{

WorkerThreads::WorkerThreads(size_t count) : errors(count)
{
    try
    {
        threads.reserve(count);
        for (size_t number = 0; number < count; ++number)
            threads.emplace_back([this, number] { work(number); });
    }
    catch (...)
    {
        stop();
        throw;
    }
}

WorkerThreads::~WorkerThreads()
{
    {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return phase == phases.size(); });
    }
    stop();
}

void WorkerThreads::stop() noexcept
{
    {
        const std::lock_guard lock(mutex);
        stopping = true;
    }
    changed.notify_all();
    for (std::thread & thread : threads)
        thread.join();
}

void WorkerThreads::start(std::vector<Phase> phases_)
{
    const std::lock_guard lock(mutex);
    phases = std::move(phases_);
    phase = 0;
    if (phases.empty())
        return;
    running = threads.size();
    ++started;
    changed.notify_all();
}

void WorkerThreads::wait()
{
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return phase == phases.size(); });
    phases.clear();
    phase = 0;
    const auto first = std::find_if(errors.begin(), errors.end(), [](const std::exception_ptr & error) { return error != nullptr; });
    if (first == errors.end())
        return;
    const std::exception_ptr error = *first;
    std::fill(errors.begin(), errors.end(), nullptr);
    std::rethrow_exception(error);
}

void WorkerThreads::work(size_t number)
{
    size_t seen = 0;
    std::unique_lock lock(mutex);
    while (true)
    {
        changed.wait(lock, [&] { return stopping || started != seen; });
        if (stopping)
            return;
        seen = started;
        const Phase & run = phases[phase];
        lock.unlock();
        std::exception_ptr error;
        try
        {
            run(number);
        }
        catch (...)
        {
            error = std::current_exception();
        }
        lock.lock();
        errors[number] = error;
        if (--running != 0)
            continue;
        const bool failed = std::any_of(errors.begin(), errors.end(), [](const std::exception_ptr & e) { return e != nullptr; });
        phase = failed ? phases.size() : phase + 1;
        if (phase != phases.size())
        {
            running = threads.size();
            ++started;
        }
        changed.notify_all();
    }
}

}
