#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

/** Golden and hostile bytes. Those that we may commit lie in tests/data and are always there; the others are looked for in
  * $STATEWIRE_VECTORS and in ../shared/vectors beside the checkout, and without them the tests that need them are skipped and say so.
  */
namespace statewire_tests
{

/// The root of the source tree; the only thing that differs between two checkouts is compiled once (SourceDirectory.cpp).
const std::filesystem::path & sourceDirectory();

inline std::string readFile(const std::filesystem::path & path)
{
    std::string result;
    std::FILE * file = std::fopen(path.c_str(), "rb");
    EXPECT_NE(file, nullptr) << path;
    if (!file)
        return result;
    char buffer[65536];
    while (const size_t n = std::fread(buffer, 1, sizeof(buffer), file))
        result.append(buffer, n);
    std::fclose(file);
    return result;
}

/// A vector, or its gzip form where the plain one would be large.
inline std::string readVector(const std::filesystem::path & path)
{
    if (std::filesystem::exists(path))
        return readFile(path);
    std::string result;
    std::FILE * pipe = popen(("gzip -dc '" + path.string() + ".gz'").c_str(), "r");
    EXPECT_NE(pipe, nullptr) << path;
    if (!pipe)
        return result;
    char buffer[65536];
    while (const size_t n = std::fread(buffer, 1, sizeof(buffer), pipe))
        result.append(buffer, n);
    EXPECT_EQ(pclose(pipe), 0) << path;
    return result;
}

inline std::filesystem::path dataDirectory()
{
    return sourceDirectory() / "tests" / "data";
}

/// The folder of vectors about `subject`, if it is there.
inline std::optional<std::filesystem::path> findVectors(std::string_view subject)
{
    const std::filesystem::path committed = dataDirectory() / subject;
    if (std::filesystem::is_directory(committed))
        return committed;
    const char * configured = std::getenv("STATEWIRE_VECTORS");
    const std::filesystem::path root = configured ? std::filesystem::path(configured)
                                                  : sourceDirectory() / ".." / "shared" / "vectors";
    const std::filesystem::path folder = root / subject;
    if (!std::filesystem::is_directory(folder))
        return std::nullopt;
    return folder;
}

inline std::string fromHex(std::string_view hex)
{
    std::string result;
    const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; };
    std::string digits;
    for (const char c : hex)
        if (c != '\n' && c != ' ')
            digits += c;
    for (size_t i = 0; i + 1 < digits.size(); i += 2)
        result += static_cast<char>(digit(digits[i]) * 16 + digit(digits[i + 1]));
    return result;
}

inline std::string toHex(std::string_view bytes)
{
    std::string result;
    for (const char c : bytes)
    {
        char text[3];
        std::snprintf(text, sizeof(text), "%02x", static_cast<unsigned char>(c));
        result += text;
    }
    return result;
}

}

/// Skips the running test with one clear sentence where the vectors are absent.
#define REQUIRE_VECTORS(variable, subject) \
    const auto variable##_found = statewire_tests::findVectors(subject); \
    if (!variable##_found) \
        GTEST_SKIP() << "SKIPPED: the " << (subject) << " vectors are not here (set STATEWIRE_VECTORS to their folder)"; \
    const std::filesystem::path variable = *variable##_found
