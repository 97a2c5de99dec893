#pragma once

#include <string>
#include <string_view>

namespace statewire_program
{

/// Digits in pairs, in either case, and nothing else. BAD_ARGUMENTS with the position otherwise.
[[nodiscard]] std::string decodeHex(std::string_view digits);

/// The standard alphabet with its padding, and nothing else. BAD_ARGUMENTS with the position otherwise.
[[nodiscard]] std::string decodeBase64(std::string_view text);

}
