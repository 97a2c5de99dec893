#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace DB::inline statewire
{

/** A file in memory, mapped read-only, whole.
  *
  * Only for files that nobody changes meanwhile: after a truncation the bytes that are gone cannot be read, and the system ends the process
  * (SIGBUS). Files written by WriteBufferFromFile are replaced and never changed, so they are fit for it.
  * The shared object is what a PinnedBytes takes as its owner.
  * Errors: FILE_DOESNT_EXIST, CANNOT_OPEN_FILE, CANNOT_FSTAT, CANNOT_ALLOCATE_MEMORY, each with the path and the system's text.
  */
class MappedFile
{
public:
    [[nodiscard]] static std::shared_ptr<const MappedFile> open(const std::string & path);
    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile & operator=(const MappedFile &) = delete;

    [[nodiscard]] std::string_view bytes() const noexcept { return {begin, size}; }

private:
    MappedFile(char * begin_, size_t size_) noexcept : begin(begin_), size(size_) { }

    char * begin;
    size_t size;
};

}
