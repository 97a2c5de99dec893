#include "WriteEscaped.h"

namespace DB::inline statewire
{

namespace
{
/// The character that stands behind the backslash, or 0 for a byte that is written as it is.
constexpr char escapeOf(char byte) noexcept
{
    switch (byte)
    {
        case '\b': return 'b';
        case '\f': return 'f';
        case '\n': return 'n';
        case '\r': return 'r';
        case '\t': return 't';
        case '\0': return '0';
        case '\'': return '\'';
        case '\\': return '\\';
        default: return 0;
    }
}
}

void writeEscapedString(std::string_view value, WriteBuffer & out)
{
    const char * plain = value.data();
    const char * const end = plain + value.size();
    for (const char * pos = plain; pos != end; ++pos)
    {
        if (const char escape = escapeOf(*pos))
        {
            out.write(plain, static_cast<size_t>(pos - plain));
            const char pair[2] = {'\\', escape};
            out.write(pair, 2);
            plain = pos + 1;
        }
    }
    out.write(plain, static_cast<size_t>(end - plain));
}

void writeQuotedString(std::string_view value, WriteBuffer & out)
{
    out.write('\'');
    writeEscapedString(value, out);
    out.write('\'');
}

}
