#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace statewire_tests
{

/// A folder of its own, gone with the object.
class ScratchDirectory
{
public:
    ScratchDirectory()
    {
        std::string name = (std::filesystem::temp_directory_path() / "statewire-interop-XXXXXX").string();
        if (!mkdtemp(name.data()))
            throw std::runtime_error("cannot create a temporary directory");
        path = name;
    }
    ~ScratchDirectory() { std::filesystem::remove_all(path); }
    ScratchDirectory(const ScratchDirectory &) = delete;
    ScratchDirectory & operator=(const ScratchDirectory &) = delete;
    [[nodiscard]] std::string file(const std::string & name) const { return (path / name).string(); }
    [[nodiscard]] std::string name() const { return path.string(); }

private:
    std::filesystem::path path;
};

inline void writeWholeFile(const std::string & path, std::string_view bytes)
{
    std::FILE * file = std::fopen(path.c_str(), "wb");
    ASSERT_NE(file, nullptr) << path;
    ASSERT_EQ(std::fwrite(bytes.data(), 1, bytes.size(), file), bytes.size());
    ASSERT_EQ(std::fclose(file), 0);
}

}
