#pragma once

#include <string>
#include <string_view>

namespace statewire_program
{

/// How bytes stand in a text.
enum class Encoding
{
    Raw,
    Hex,
    Base64,
    Escaped /// as a field of TabSeparated
};

inline constexpr const char * ENCODING_NAMES = "raw, hex, base64 or escaped (as in TabSeparated)";

/// By its name; BAD_ARGUMENTS for others.
[[nodiscard]] Encoding parseEncoding(std::string_view name);
/// What `text` stands for. BAD_ARGUMENTS with the position, or what readEscapedString says.
[[nodiscard]] std::string decode(Encoding encoding, std::string_view text);
[[nodiscard]] std::string encode(Encoding encoding, std::string_view bytes);

/// Digits in pairs, in either case, and nothing else. BAD_ARGUMENTS with the position otherwise.
[[nodiscard]] std::string decodeHex(std::string_view digits);

/// The standard alphabet with its padding, and nothing else. BAD_ARGUMENTS with the position otherwise.
[[nodiscard]] std::string decodeBase64(std::string_view text);

}
