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
/// What `text` stands for. INCORRECT_DATA with the offset of what is no digit, or what readEscapedString says.
[[nodiscard]] std::string decode(Encoding encoding, std::string_view text);
[[nodiscard]] std::string encode(Encoding encoding, std::string_view bytes);

}
