#pragma once

#include "../base/types.h"

#include <string>
#include <string_view>

namespace DB::inline statewire
{

/** The one function through which this library fails. A standalone build throws DB::Exception; a build without exceptions
  * (WebAssembly) replaces the definition by one that reports the text and never returns. Core code never catches.
  *
  * `code` is one of ErrorCodes; `message` says what, where (the byte offset), what was expected and what was found.
  */
[[noreturn]] void throwError(int code, std::string message);

/// Joins the parts of an error text: strings as they are, integers in decimal.
namespace detail
{
inline void appendPart(std::string & to, std::string_view part)
{
    to += part;
}
inline void appendPart(std::string & to, char part)
{
    to += part;
}
template <typename T>
    requires std::is_integral_v<T>
inline void appendPart(std::string & to, T part)
{
    to += std::to_string(part);
}
}

template <typename... Parts>
[[nodiscard]] std::string concat(const Parts &... parts)
{
    std::string result;
    (detail::appendPart(result, parts), ...);
    return result;
}

}
