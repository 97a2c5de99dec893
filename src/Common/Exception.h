#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace DB::inline statewire
{

/** The only exception type that leaves this library.
  *
  * Printed as ClickHouse does: `Code: 117. DB::Exception: <what>: (while reading ...). (INCORRECT_DATA)`.
  */
class Exception : public std::exception
{
public:
    Exception(int code_, std::string message_);

    [[nodiscard]] int code() const noexcept { return error_code; }
    /// The text alone, without code and name.
    [[nodiscard]] const std::string & message() const noexcept { return text; }
    /// The whole line a person sees.
    [[nodiscard]] const std::string & displayText() const noexcept { return display; }
    [[nodiscard]] const char * what() const noexcept override { return display.c_str(); }

    /// Adds where it happened: `text: (context)`. Called while the exception travels outwards.
    void addMessage(std::string_view context);

private:
    void render();

    int error_code;
    std::string text;
    std::string display;
};

/// The process's exit code for an error: the code's low 8 bits, and 1 where those are 0, so that no failure looks like success.
[[nodiscard]] int exitCodeOf(int error_code) noexcept;

/// The text of an errno value, as strerror gives it, safe to call from any thread.
[[nodiscard]] std::string errnoText(int error_number);

}
