#pragma once

#include <string>

namespace DB::inline statewire
{

/** A file without a name in a directory, for what does not fit into memory: it is gone with its descriptor, also when the process is killed.
 *
 * Where the file system cannot make such files, one with a unique name is created exclusively, locked, and loses its name at once.
 * A resource, not copied. Errors: CANNOT_OPEN_FILE with the directory and the system's text.
 */
class TemporaryFile
{
public:
    explicit TemporaryFile(const std::string & directory);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile & operator=(const TemporaryFile &) = delete;

    [[nodiscard]] int descriptor() const noexcept { return fd; }
    /// For error texts.
    [[nodiscard]] const std::string & description() const noexcept { return name; }

private:
    std::string name;
    int fd = -1;
};

}
