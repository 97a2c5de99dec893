#include "GroupBitmapValidation.h"

#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/Common/throwError.h>
#include <statewire/IO/VarInt.h>
#include <statewire/base/unaligned.h>

#include <algorithm>
#include <vector>

using namespace DB;

namespace statewire_udf
{

template <typename T>
std::string groupBitmapStateError(std::string_view bytes)
{
    using State = RoaringBitmapState<T>;
    if (bytes.empty())
        return "the state ends at byte 0, before its kind";
    const auto kind = static_cast<UInt8>(bytes[0]);
    if (kind > 1)
        return concat("unknown kind at byte 0: expected 0 or 1, found ", kind);
    const char * pos = bytes.data() + 1;
    const char * const end = bytes.data() + bytes.size();
    UInt64 size = 0;
    switch (tryReadVarUInt(size, pos, end))
    {
        case VarUIntResult::Done:
            break;
        case VarUIntResult::Truncated:
            return "the state ends inside the number at byte 1";
        case VarUIntResult::TooLong:
            return "the number at byte 1 has more than 64 bits";
        case VarUIntResult::Overlong:
            return "the number at byte 1 has a shorter spelling";
    }
    const auto offset = static_cast<UInt64>(pos - bytes.data());
    const auto left = static_cast<UInt64>(end - pos);
    if (kind == 0)
    {
        if (size > State::MAX_SMALL)
            return concat("too many values in a small state, at byte 1: expected at most ", State::MAX_SMALL, ", found ", size);
        if (size * sizeof(T) != left)
            return concat("wrong length of a small state behind byte ", offset, ": expected ", size * sizeof(T), " bytes, found ", left);
        std::vector<T> values(static_cast<size_t>(size));
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = unalignedLoadLittleEndian<T>(pos + i * sizeof(T));
        std::sort(values.begin(), values.end());
        if (const auto twice = std::adjacent_find(values.begin(), values.end()); twice != values.end())
            return concat("the value ", *twice, " is twice in a small state");
        return {};
    }
    if (size > State::MAX_BITMAP_BYTES)
        return concat("too large a bitmap, at byte 1: expected at most ", State::MAX_BITMAP_BYTES, " bytes, found ", size);
    if (size != left)
        return concat("wrong length of a bitmap behind byte ", offset, ": expected ", size, " bytes, found ", left);
    RoaringView view;
    if (const RoaringParseResult parsed = RoaringView::tryParse({pos, static_cast<size_t>(size)}, State::FORMAT, Validation::Full, view);
        !parsed.ok())
        return parsed.describe(offset);
    if (view.sizeInBytes() != size)
        return concat("bytes behind the bitmap at byte ", offset, ": expected ", view.sizeInBytes(), " bytes, found ", size);
    return {};
}

template std::string groupBitmapStateError<UInt32>(std::string_view bytes);
template std::string groupBitmapStateError<UInt64>(std::string_view bytes);

}
