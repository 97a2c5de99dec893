#include "compositeText.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "errorText.h"

namespace DB::inline statewire
{

void skipSpaces(const char *& pos, const char * end) noexcept
{
    while (pos != end && (*pos == ' ' || *pos == '\t' || *pos == '\n' || *pos == '\r'))
        ++pos;
}

void takeCharacter(char c, std::string_view what, std::string_view expected, const char * start, const char *& pos, const char * end)
{
    if (pos == end || *pos != c)
        throwExpectedText(what, expected, start, pos, end);
    ++pos;
}

void throwExpectedText(std::string_view what, std::string_view expected, const char * start, const char * pos, const char * end)
{
    throwError(
        ErrorCodes::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
        concat(
            "Cannot parse ",
            what,
            ": expected ",
            expected,
            " at offset ",
            pos - start,
            ", found ",
            pos == end ? "the end" : quoteForError({pos, static_cast<size_t>(end - pos)})));
}

}
