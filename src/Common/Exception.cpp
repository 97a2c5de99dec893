#include "Exception.h"

#include "ErrorCodes.h"
#include "throwError.h"

#include <system_error>

namespace DB::inline statewire
{

Exception::Exception(int code_, std::string message_) : error_code(code_), text(std::move(message_))
{
    render();
}

void Exception::addMessage(std::string_view context)
{
    text += ": (";
    text += context;
    text += ')';
    render();
}

void Exception::render()
{
    display = concat("Code: ", error_code, ". DB::Exception: ", text, ". (", errorCodeName(error_code), ")");
}

int exitCodeOf(int error_code) noexcept
{
    const int low = error_code & 255;
    return low == 0 ? 1 : low;
}

std::string errnoText(int error_number)
{
    return std::generic_category().message(error_number);
}

}
