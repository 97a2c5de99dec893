#include "MergeTreeSubstreams.h"

#include "../Columns/ColumnArray.h"
#include "../Columns/ColumnNullable.h"
#include "../Columns/ColumnString.h"
#include "../Columns/ColumnTuple.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeArray.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/DataTypeString.h"
#include "../IO/VarInt.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
constexpr UInt64 END_OF_GRANULE = UInt64{1} << 62;
constexpr UInt64 MAX_SPARSE_ROWS = UInt64{1} << 22;

/// `rows` lengths, each at most `limit`.
std::vector<UInt64> readSizes(ReadBuffer & in, UInt64 rows, UInt64 limit, std::string_view what, UInt64 & total)
{
    ColumnUInt64 sizes;
    DataTypeUInt64().deserializeBinaryBulk(sizes, in, rows);
    total = 0;
    for (const UInt64 size : sizes.getData())
    {
        if (size > limit || total + size < total)
            throwError(ErrorCodes::INCORRECT_DATA, concat(what, " of size ", size, " is larger than the limit of ", limit));
        total += size;
    }
    return std::move(sizes.getData());
}

void readStrings(const MergeTreeLayout & layout, ColumnString & column, UInt64 rows, MergeTreeSubstreams & streams)
{
    UInt64 total = 0;
    const std::vector<UInt64> sizes = readSizes(streams.get(*layout.head), rows, DataTypeString::MAX_SIZE, "A string", total);
    ReadBuffer & in = streams.get(*layout.values);
    for (const UInt64 size : sizes)
    {
        for (UInt64 left = size; left != 0;)
        {
            if (in.eof())
                throwError(
                    ErrorCodes::CANNOT_READ_ALL_DATA,
                    concat("Cannot read all data of a string. Bytes read: ", size - left, ". Bytes expected: ", size, "."));
            const auto piece = static_cast<size_t>(std::min<UInt64>(left, in.available()));
            column.getChars().append(in.position(), piece);
            in.position() += piece;
            left -= piece;
        }
        column.closeRow();
    }
}

void readNullMap(ColumnNullable::NullMap & null_map, UInt64 rows, ReadBuffer & in)
{
    ColumnUInt8 flags;
    DataTypeUInt8().deserializeBinaryBulk(flags, in, rows);
    for (const UInt8 flag : flags.getData())
        if (flag > 1)
            throwError(ErrorCodes::INCORRECT_DATA, concat("The byte that says whether a value is NULL must be 0 or 1, found ", flag));
    null_map.insert(null_map.end(), flags.getData().begin(), flags.getData().end());
}

/// All values, of sparse ones those that are no defaults.
void readValues(const MergeTreeLayout & layout, IColumn & column, UInt64 rows, MergeTreeSubstreams & streams)
{
    switch (layout.type->getTypeId())
    {
        case TypeIndex::Array: {
            auto & arrays = static_cast<ColumnArray &>(column);
            UInt64 total = 0;
            UInt64 end = arrays.getData().size();
            const std::vector<UInt64> sizes = readArraySizes(layout, rows, streams, total);
            readGranuleValues(layout.nested.front(), arrays.getData(), total, streams);
            for (const UInt64 size : sizes)
                arrays.getOffsets().push_back(end += size);
            break;
        }
        case TypeIndex::Nullable: {
            auto & nullable = static_cast<ColumnNullable &>(column);
            if (layout.head)
                readNullMap(nullable.getNullMap(), rows, streams.get(*layout.head));
            readGranuleValues(layout.nested.front(), nullable.getNestedColumn(), rows, streams);
            nullable.getNullMap().resize(nullable.getNestedColumn().size());
            break;
        }
        case TypeIndex::Tuple:
            for (size_t i = 0; i < layout.nested.size(); ++i)
                readGranuleValues(layout.nested[i], static_cast<ColumnTuple &>(column).element(i), rows, streams);
            break;
        case TypeIndex::String:
            if (layout.head)
            {
                readStrings(layout, static_cast<ColumnString &>(column), rows, streams);
                break;
            }
            [[fallthrough]];
        default:
            if (layout.dictionary)
                tryLowCardinality(*layout.type)
                    ->deserializeWithSharedKeys(column, streams.get(*layout.values), rows, streams.getSharedKeys(*layout.dictionary));
            else
                layout.type->deserializeBinaryBulk(column, streams.get(*layout.values), rows);
    }
}

/// The numbers of defaults before each value of a granule, and behind the last.
std::vector<UInt64> readGaps(UInt64 rows, ReadBuffer & index)
{
    std::vector<UInt64> gaps;
    UInt64 covered = 0;
    for (bool last = false; !last;)
    {
        UInt64 number = 0;
        readVarUInt(number, index);
        last = (number & END_OF_GRANULE) != 0;
        number &= ~END_OF_GRANULE;
        const UInt64 values = last ? 0 : 1;
        if (number > rows - covered || values > rows - covered - number)
            throwError(ErrorCodes::INCORRECT_DATA, concat("A sparse column has more than the ", rows, " rows of its granule"));
        covered += number + values;
        gaps.push_back(number);
    }
    if (covered != rows)
        throwError(ErrorCodes::INCORRECT_DATA, concat("A sparse column has ", covered, " rows in a granule of ", rows));
    return gaps;
}
}

std::vector<UInt64> readArraySizes(const MergeTreeLayout & layout, UInt64 rows, MergeTreeSubstreams & streams, UInt64 & total)
{
    return readSizes(streams.get(*layout.head), rows, DataTypeArray::MAX_SIZE, "An array", total);
}

void readGranuleValues(const MergeTreeLayout & layout, IColumn & column, UInt64 rows, MergeTreeSubstreams & streams)
{
    if (!layout.sparse_index)
        return readValues(layout, column, rows, streams);
    if (rows > MAX_SPARSE_ROWS)
        throwError(
            ErrorCodes::LIMIT_EXCEEDED,
            concat("A granule of ", rows, " rows in a sparse column, at most ", MAX_SPARSE_ROWS, " are expected"));
    const std::vector<UInt64> gaps = readGaps(rows, streams.get(*layout.sparse_index));
    const MutableColumnPtr values = layout.type->createColumn();
    readValues(layout, *values, gaps.size() - 1, streams);
    for (size_t i = 0; i < gaps.size(); ++i)
    {
        for (UInt64 defaults = gaps[i]; defaults != 0; --defaults)
            column.insertDefault();
        if (i + 1 != gaps.size())
            column.insertFrom(*values, i);
    }
}

}
