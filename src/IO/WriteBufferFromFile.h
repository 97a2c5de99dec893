#pragma once

#include "WriteBufferFromFileDescriptor.h"

namespace DB::inline statewire
{

/** Writes a file that appears under its name only when it is complete.
  *
  * Until finalize() the bytes are in `<path>.<unique>.tmp` beside it, created exclusively and locked (flock). finalize() flushes, fsyncs,
  * renames over `path` and fsyncs the directory. cancel(), an exception or a destructor removes the temporary and leaves an older file
  * under `path` whole; a process that dies leaves at most the temporary, which a later writer of the same path removes once it can take
  * the lock. Two writers of one path at once: both end well, the last to finalize wins.
  * The new file has the permissions of a new file. A symbolic link under `path` is replaced, not followed.
  * sync() makes the temporary's bytes durable; the name is not there before finalize().
  * Errors: CANNOT_OPEN_FILE, CANNOT_WRITE_TO_FILE_DESCRIPTOR, CANNOT_FSYNC, SYSTEM_ERROR (rename), CANNOT_CLOSE_FILE, each with the path
  *     and the system's text. An error behind the rename (fsync of the directory, close) leaves the new file in place, whole.
  */
class WriteBufferFromFile final : public WriteBufferFromFileDescriptor
{
public:
    explicit WriteBufferFromFile(std::string path_, size_t buffer_size = DEFAULT_FILE_BUFFER_SIZE);
    ~WriteBufferFromFile() override;

    /// For who removes it when the program is interrupted. After finalize() there is none of this name.
    [[nodiscard]] const std::string & temporaryPath() const noexcept { return temporary_path; }

protected:
    void finalizeImpl() override;
    void cancelImpl() noexcept override;
    void syncImpl() override;

private:
    /// Creates and locks one temporary and returns 0, or the errno that says that its name or its lock was taken, so that another is tried.
    int tryCreateTemporary();
    void closeDescriptor() noexcept;

    std::string path;
    std::string temporary_path;
};

}
