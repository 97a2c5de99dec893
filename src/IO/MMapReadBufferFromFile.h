#pragma once

#include "MappedFile.h"
#include "SeekableReadBuffer.h"

namespace DB::inline statewire
{

/** Reads a mapped file in place. Stable. See MappedFile for which files are fit for it.
  *
  * Pinning: give mapping() to ZeroCopyReader as the owner, and what it pins outlives this buffer without a copy.
  */
class MMapReadBufferFromFile final : public SeekableReadBuffer
{
public:
    explicit MMapReadBufferFromFile(const std::string & path) : MMapReadBufferFromFile(MappedFile::open(path)) { }
    explicit MMapReadBufferFromFile(std::shared_ptr<const MappedFile> mapped_) noexcept
        : SeekableReadBuffer(const_cast<char *>(mapped_->bytes().data()), mapped_->bytes().size()), mapped(std::move(mapped_))
    {
    }

    void seek(UInt64 position) override { seekInside(position); }
    [[nodiscard]] bool isStable() const noexcept override { return true; }
    [[nodiscard]] const std::shared_ptr<const MappedFile> & mapping() const noexcept { return mapped; }

private:
    std::shared_ptr<const MappedFile> mapped;
};

}
