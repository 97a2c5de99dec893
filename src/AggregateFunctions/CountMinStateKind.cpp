#include "CountMinStateKind.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

UInt8 countMinSmallKind(const CountMinParameters & parameters) noexcept
{
    return static_cast<UInt8>(COUNT_MIN_KIND_SMALL + COUNT_MIN_KINDS_OF_AN_OPTION * static_cast<UInt8>(parameters.option()));
}

UInt8 countMinTableKind(const CountMinParameters & parameters) noexcept
{
    return static_cast<UInt8>(countMinSmallKind(parameters) + (parameters.rowSeeds() == RowSeeds::LibStdCxx ? 1 : 2));
}

bool readCountMinKindIsSmall(ZeroCopyReader & reader, const CountMinParameters & parameters, UInt64 table_size)
{
    const UInt64 start = reader.offset();
    const UInt8 kind = reader.readByte();
    const UInt8 small_kind = countMinSmallKind(parameters);
    if (kind == small_kind)
        return true;
    const UInt8 table_kind = countMinTableKind(parameters);
    if (kind != table_kind)
        throwIncorrectCountMinState(
            start,
            concat("expected kind ", small_kind, " or ", table_kind, " (row seeds ", toString(parameters.rowSeeds()),
                   parameters.option() == CountMinOption::Plain ? "" : ", ",
                   parameters.option() == CountMinOption::Plain ? "" : toString(parameters.option()), "), found ", kind));
    const UInt64 size_start = reader.offset();
    const UInt64 size = reader.readVarUInt();
    if (size != table_size)
        throwIncorrectCountMinState(size_start, concat("expected an image of ", table_size, " bytes, found a size of ", size));
    return false;
}

void throwIncorrectCountMinState(UInt64 offset, std::string_view text)
{
    throwError(ErrorCodes::INCORRECT_DATA, concat("Incorrect count-min state at byte ", offset, ": ", text));
}

}
