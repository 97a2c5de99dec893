#pragma once

#include "../IO/NestedBuffer.h"
#include "../IO/WriteBuffer.h"
#include "CompressedFrame.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace DB::inline statewire
{

/** Writes the frames that CompressedWriteBuffer writes, byte for byte, compressing on several threads.
  *
  * Blocks are copied to buffers of their own, handed to the threads, and their frames written to `out` in order by the thread that writes
  * here: `out` is never touched by another one. Memory: two blocks and two frames a thread.
  * A thread that fails cancels this buffer, with its error, at the next write that needs its block or at finalize().
  * Otherwise as CompressedWriteBuffer.
  */
class ParallelCompressedWriteBuffer final : public WriteBuffer
{
public:
    /// threads: 1..256.
    ParallelCompressedWriteBuffer(
        NestedBuffer<WriteBuffer> out_, CompressionCodecPtr codec_, size_t threads, size_t block_size = DEFAULT_COMPRESS_BLOCK_SIZE);
    ~ParallelCompressedWriteBuffer() override;

protected:
    void nextImpl() override;
    void finalizeImpl() override;
    void cancelImpl() noexcept override;
    void syncImpl() override;

private:
    struct Block
    {
        std::unique_ptr<char[]> raw;
        size_t raw_size = 0;
        std::unique_ptr<char[]> frame;
        size_t frame_size = 0;
        std::exception_ptr error;
        bool done = false;
    };

    void work() noexcept;
    void compress(Block & block) const;
    /// Waits for the oldest block that was handed to the threads and writes its frame.
    void writeOldest();
    void stop() noexcept;

    NestedBuffer<WriteBuffer> out;
    CompressionCodecPtr codec;
    size_t block_size;
    std::vector<std::unique_ptr<Block>> blocks;
    /// Used by the writing thread alone: in the order of the stream.
    std::deque<Block *> handed_out;
    std::vector<Block *> idle;
    Block * current = nullptr;

    std::mutex mutex;
    std::condition_variable work_is_there;
    std::condition_variable work_is_done;
    std::deque<Block *> queue;
    bool stopping = false;
    std::vector<std::thread> workers;
};

}
