#include "CountMinStateKind.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../CountMin/CountMinEntries.h"

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

bool skipCountMinState(ZeroCopyReader & reader)
{
    /// Weights of every type, and the total, have 8 bytes.
    constexpr UInt64 WEIGHT_SIZE = sizeof(UInt64);
    const UInt64 start = reader.offset();
    const UInt8 whole_kind = reader.readByte();
    const UInt8 kind = whole_kind % COUNT_MIN_KINDS_OF_AN_OPTION;
    if (kind > COUNT_MIN_KIND_LAST_TABLE || whole_kind / COUNT_MIN_KINDS_OF_AN_OPTION >= COUNT_MIN_OPTIONS)
        throwIncorrectCountMinState(start, concat("expected kind 0, 1 or 2, or 16, 32 or 48 more, found ", whole_kind));
    const UInt64 number_start = reader.offset();
    const UInt64 number = reader.readVarUInt();
    if (kind != COUNT_MIN_KIND_SMALL)
    {
        reader.skip(number);
        return false;
    }
    if (number == 0)
        return true;
    const UInt64 most = COUNT_MIN_MAX_SMALL_BYTES / CountMinEntries<UInt64>::entrySize(0);
    if (number > most)
        throwIncorrectCountMinState(number_start, concat("expected at most ", most, " entries, found ", number));
    reader.skip(WEIGHT_SIZE);
    for (UInt64 i = 0; i < number; ++i)
    {
        const UInt64 length_start = reader.offset();
        const UInt64 length = reader.readVarUInt();
        if (length > COUNT_MIN_MAX_SMALL_BYTES)
            throwIncorrectCountMinState(
                length_start, concat("expected a key of at most ", COUNT_MIN_MAX_SMALL_BYTES, " bytes, found a length of ", length));
        reader.skip(length + WEIGHT_SIZE);
    }
    return true;
}

void throwIncorrectCountMinState(UInt64 offset, std::string_view text)
{
    throwError(ErrorCodes::INCORRECT_DATA, concat("Incorrect count-min state at byte ", offset, ": ", text));
}

}
