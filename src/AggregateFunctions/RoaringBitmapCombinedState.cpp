#include "RoaringBitmapCombinedState.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

bool detail::readFedFlag(ReadBuffer & in)
{
    ZeroCopyReader reader(in);
    const UInt64 offset = reader.offset();
    const UInt8 flag = reader.readByte();
    if (flag != '0' && flag != '1')
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("Bad flag of a combined groupBitmap state at byte ", offset, ": expected 48 or 49 (the digits 0 and 1), found ", flag));
    return flag == '1';
}

void detail::writeFedFlag(WriteBuffer & out, bool fed)
{
    const char flag = fed ? '1' : '0';
    out.write(&flag, 1);
}

}
