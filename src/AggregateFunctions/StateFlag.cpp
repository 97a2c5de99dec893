#include "StateFlag.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

bool readStateFlag(ReadBuffer & in, const char * meaning)
{
    char flag = 0;
    in.readStrict(flag);
    if (flag != 0 && flag != 1)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("The flag ", meaning, " must be 0 or 1, found ", static_cast<UInt8>(flag), " at byte ", in.count() - 1));
    return flag != 0;
}

}
