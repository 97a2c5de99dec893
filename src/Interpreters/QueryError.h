#pragma once

#include "../Common/Exception.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace DB::inline statewire
{

/** An error in a text that somebody typed (a query, a structure), with the place in it. Everything else is Exception's. */
class QueryError final : public Exception
{
public:
    QueryError(int code_, std::string message_, size_t position_) : Exception(code_, std::move(message_)), place(position_) { }

    /// Where in the text, in bytes from 0.
    [[nodiscard]] size_t position() const noexcept { return place; }
    /// Says which text the error is about, unless it is known already.
    void showIn(std::string_view text);
    /// The text's line that has the place, and a caret under it: two lines without a line feed at the end. Empty until showIn().
    [[nodiscard]] const std::string & excerpt() const noexcept { return shown; }

private:
    size_t place;
    std::string shown;
};

/// Runs `parse`; what it throws about `text` shows the place in it.
template <typename Parse>
decltype(auto) showingErrorsIn(std::string_view text, Parse && parse)
{
    try
    {
        return parse();
    }
    catch (QueryError & e)
    {
        e.showIn(text);
        throw;
    }
}

}
