#include "CompressionCodec.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "CompressionCodecLZ4.h"
#include "CompressionCodecZSTD.h"

#include <charconv>
#include <cstring>

namespace DB::inline statewire
{

namespace
{
class CodecNone final : public ICompressionCodec
{
public:
    [[nodiscard]] CompressionMethod method() const noexcept override { return CompressionMethod::None; }
    [[nodiscard]] std::string description() const override { return "NONE"; }
    [[nodiscard]] size_t maxCompressedSize(size_t size) const noexcept override { return size; }
    size_t compress(const char * from, size_t size, char * to) const override
    {
        std::memcpy(to, from, size);
        return size;
    }
};

std::string toUpperASCII(std::string_view text)
{
    std::string result(text);
    for (char & c : result)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
    return result;
}

int parseLevel(std::string_view level, std::string_view description, int smallest, int largest)
{
    int value = 0;
    const auto [end, error] = std::from_chars(level.data(), level.data() + level.size(), value);
    if (error != std::errc{} || end != level.data() + level.size() || value < smallest || value > largest)
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat("Bad level in codec ", description, ": expected ", smallest, "..", largest, ", found '", level, '\''));
    return value;
}
}

CompressionCodecPtr createCompressionCodec(std::string_view description)
{
    const std::string upper = toUpperASCII(description);
    std::string_view name = upper;
    std::string_view level;
    if (const size_t bracket = name.find('('); bracket != std::string_view::npos && name.ends_with(')'))
    {
        level = name.substr(bracket + 1, name.size() - bracket - 2);
        name = name.substr(0, bracket);
    }
    const bool has_level = name.size() != upper.size();
    if (name == "NONE" && !has_level)
        return std::make_shared<CodecNone>();
    if (name == "LZ4" && !has_level)
        return createCodecLZ4(0);
    if (name == "LZ4HC")
        return createCodecLZ4(has_level ? parseLevel(level, description, 1, 12) : 9);
    if (name == "ZSTD")
        return createCodecZSTD(has_level ? parseLevel(level, description, 1, 22) : 1);
    throwError(ErrorCodes::UNKNOWN_CODEC, concat("Unknown codec ", description, ": expected NONE, LZ4, LZ4HC(level) or ZSTD(level)"));
}

bool isKnownMethod(UInt8 method_byte) noexcept
{
    switch (static_cast<CompressionMethod>(method_byte))
    {
        case CompressionMethod::None:
        case CompressionMethod::LZ4:
        case CompressionMethod::ZSTD:
            return true;
    }
    return false;
}

bool tryDecompressWith(
    DecompressorZSTD & zstd, CompressionMethod method, const char * from, size_t size, char * to, size_t to_size) noexcept
{
    switch (method)
    {
        case CompressionMethod::None:
            if (size != to_size)
                return false;
            if (size != 0)
                std::memcpy(to, from, size);
            return true;
        case CompressionMethod::LZ4:
            return tryDecompressLZ4(from, size, to, to_size);
        case CompressionMethod::ZSTD:
            return zstd.tryDecompress(from, size, to, to_size);
    }
    return false;
}

bool tryDecompress(CompressionMethod method, const char * from, size_t size, char * to, size_t to_size) noexcept
{
    DecompressorZSTD zstd;
    return tryDecompressWith(zstd, method, from, size, to, to_size);
}

bool isPlausibleSize(CompressionMethod method, std::string_view payload, UInt64 to_size) noexcept
{
    /// A byte of an LZ4 block adds at most 255 bytes to a match or to a run of literals.
    constexpr UInt64 LARGEST_LZ4_RATIO = 255;
    switch (method)
    {
        case CompressionMethod::None:
            return payload.size() == to_size;
        case CompressionMethod::LZ4:
            return to_size <= payload.size() * LARGEST_LZ4_RATIO;
        case CompressionMethod::ZSTD:
            return isPlausibleSizeZSTD(payload, to_size);
    }
    return false;
}

}
