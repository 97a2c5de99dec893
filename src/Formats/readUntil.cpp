#include "readUntil.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

void detail::throwTooLargeField(UInt64 limit)
{
    throwError(ErrorCodes::TOO_LARGE_STRING_SIZE, concat("Too large field, at most ", limit, " bytes are expected"));
}

}
