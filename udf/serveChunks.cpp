#include "serveChunks.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>

#include <limits>

using namespace DB;

namespace statewire_udf
{

namespace
{

/// The number of rows, up to and with the line feed.
UInt64 readHeader(ReadBuffer & in)
{
    const UInt64 start = in.count();
    UInt64 rows = 0;
    for (bool any = false;; any = true)
    {
        char c = 0;
        in.readStrict(c);
        if (c == '\n' && any)
            return rows;
        const auto digit = static_cast<UInt64>(static_cast<UInt8>(c)) - '0';
        if (digit > 9 || rows > (std::numeric_limits<UInt64>::max() - digit) / 10)
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat(
                    "Wrong header of a chunk at byte ",
                    start,
                    ": expected a number of rows and a line feed, found byte ",
                    static_cast<UInt8>(c),
                    " at byte ",
                    in.count() - 1,
                    " (is send_chunk_header set?)"));
        rows = rows * 10 + digit;
    }
}

}

void serveChunks(const UserDefinedFunction & function, ReadBuffer & in, WriteBuffer & out)
{
    RowArguments arguments(in);
    for (UInt64 chunk = 0; !in.eof(); ++chunk)
    {
        const UInt64 rows = readHeader(in);
        for (UInt64 row = 0; row < rows; ++row)
        {
            try
            {
                arguments.nextRow();
                function.row(arguments, out);
            }
            catch (Exception & e)
            {
                e.addMessage(concat("in function ", function.name, ", row ", row, " of chunk ", chunk));
                throw;
            }
        }
        out.next();
    }
}

}
