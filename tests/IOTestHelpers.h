#pragma once

#include <gtest/gtest.h>

#include <statewire/Common/Exception.h>
#include <statewire/IO/ReadBuffer.h>
#include <statewire/IO/WriteBuffer.h>

#include <cstdlib>
#include <filesystem>
#include <list>
#include <random>
#include <string>
#include <string_view>

namespace statewire_tests
{

/// The code of the DB::Exception that `call` throws; 0 when it throws none.
template <typename Call>
int codeOf(Call && call)
{
    try
    {
        call();
    }
    catch (const DB::Exception & exception)
    {
        return exception.code();
    }
    return 0;
}

/// The text of the DB::Exception that `call` throws; empty when it throws none.
template <typename Call>
std::string messageOf(Call && call)
{
    try
    {
        call();
    }
    catch (const DB::Exception & exception)
    {
        return exception.message();
    }
    return {};
}

inline std::string readAll(DB::ReadBuffer & in)
{
    std::string result;
    while (!in.eof())
    {
        result.append(in.position(), in.available());
        in.position() += in.available();
    }
    return result;
}

/// Bytes that no codec makes smaller.
inline std::string randomBytes(size_t size, unsigned seed)
{
    std::mt19937_64 random(seed);
    std::string result(size, '\0');
    for (char & byte : result)
        byte = static_cast<char>(random());
    return result;
}

/// Bytes with some order in them, as data has.
inline std::string compressibleBytes(size_t size, unsigned seed)
{
    std::mt19937_64 random(seed);
    std::string result;
    while (result.size() < size)
        result += std::to_string(random() % 1000) + (random() % 4 ? ",statewire," : "\n");
    result.resize(size);
    return result;
}

/// A folder that is gone with the object.
class TemporaryFolder
{
public:
    TemporaryFolder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "statewire-XXXXXX").string();
        folder = ::mkdtemp(name.data());
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
    }
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder & operator=(const TemporaryFolder &) = delete;

    [[nodiscard]] std::string path(const std::string & name) const { return (folder / name).string(); }
    [[nodiscard]] size_t files() const
    {
        return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
    }
    [[nodiscard]] const std::filesystem::path & get() const noexcept { return folder; }

private:
    std::filesystem::path folder;
};

/// The other end of a WriteBufferToObject: keeps what comes, and fails from a given call on.
struct RecordingObject
{
    std::string received;
    int calls = 0;
    int calls_before_failure = -1;

    void write(const char * from, size_t n)
    {
        ++calls;
        if (calls_before_failure >= 0 && calls > calls_before_failure)
            throw DB::Exception(75, "the device failed");
        received.append(from, n);
    }
};

/// Serves `good` in pieces and then fails, every time it is asked.
class FailingReadBuffer final : public DB::ReadBuffer
{
public:
    FailingReadBuffer(std::string_view good, size_t piece_) : ReadBuffer(nullptr, 0), rest(good), piece(piece_) { }
    int failures = 0;

protected:
    bool nextImpl() override
    {
        if (rest.empty())
        {
            ++failures;
            throw DB::Exception(74, "the device failed");
        }
        consumed.push_back(rest.substr(0, piece));
        rest = rest.size() > piece ? rest.substr(piece) : std::string();
        working_buffer = Buffer{consumed.back().data(), consumed.back().data() + consumed.back().size()};
        return true;
    }

private:
    std::string rest;
    size_t piece;
    std::list<std::string> consumed;
};

}
