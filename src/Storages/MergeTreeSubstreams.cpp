#include "MergeTreeSubstreams.h"

#include "../Columns/ColumnArray.h"
#include "../Columns/ColumnString.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeArray.h"
#include "../DataTypes/DataTypeNumber.h"
#include "../DataTypes/DataTypeString.h"
#include "../DataTypes/dispatchNumber.h"
#include "../IO/VarInt.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
constexpr UInt64 END_OF_GRANULE = UInt64{1} << 62;

std::string sizeSuffix(size_t level) { return ".size" + std::to_string(level); }

void appendSuffixes(const IDataType & type, const MergeTreeSerialization & serialization, size_t level, std::vector<std::string> & to)
{
    const TypeIndex id = type.getTypeId();
    if (id == TypeIndex::Array)
    {
        to.push_back(sizeSuffix(level));
        return appendSuffixes(*static_cast<const DataTypeArray &>(type).getNestedType(), serialization, level + 1, to);
    }
    if (id == TypeIndex::String && serialization.strings_have_sizes)
        to.emplace_back(".size");
    else if (id != TypeIndex::String && id != TypeIndex::AggregateFunction && sizeOfNumber(id) == 0)
        throwError(ErrorCodes::NOT_IMPLEMENTED, concat("Columns of type ", type.getName(), " are not read from parts"));
    to.emplace_back();
}

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

void readStrings(ColumnString & column, UInt64 rows, MergeTreeSubstreams & streams)
{
    UInt64 total = 0;
    const std::vector<UInt64> sizes = readSizes(streams.get(".size"), rows, DataTypeString::MAX_SIZE, "A string", total);
    ReadBuffer & in = streams.get({});
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

void readValues(
    const IDataType & type,
    IColumn & column,
    UInt64 rows,
    const MergeTreeSerialization & serialization,
    size_t level,
    MergeTreeSubstreams & streams)
{
    const TypeIndex id = type.getTypeId();
    if (id == TypeIndex::Array)
    {
        auto & arrays = static_cast<ColumnArray &>(column);
        UInt64 total = 0;
        const std::vector<UInt64> sizes = readSizes(streams.get(sizeSuffix(level)), rows, DataTypeArray::MAX_SIZE, "An array", total);
        UInt64 end = arrays.getData().size();
        readValues(*static_cast<const DataTypeArray &>(type).getNestedType(), arrays.getData(), total, serialization, level + 1, streams);
        for (const UInt64 size : sizes)
            arrays.getOffsets().push_back(end += size);
    }
    else if (id == TypeIndex::String && serialization.strings_have_sizes)
        readStrings(static_cast<ColumnString &>(column), rows, streams);
    else
        type.deserializeBinaryBulk(column, streams.get({}), rows);
}
}

std::vector<std::string> substreamSuffixes(const IDataType & type, const MergeTreeSerialization & serialization)
{
    std::vector<std::string> suffixes;
    if (serialization.sparse)
        suffixes.emplace_back(".sparse.idx");
    appendSuffixes(type, serialization, 0, suffixes);
    return suffixes;
}

void readGranuleValues(
    const IDataType & type, IColumn & column, UInt64 rows, const MergeTreeSerialization & serialization, MergeTreeSubstreams & streams)
{
    if (!serialization.sparse)
        return readValues(type, column, rows, serialization, 0, streams);
    if (rows > serialization.max_sparse_rows)
        throwError(
            ErrorCodes::LIMIT_EXCEEDED,
            concat("A granule of ", rows, " rows in a sparse column, at most ", serialization.max_sparse_rows, " are expected"));
    ReadBuffer & index = streams.get(".sparse.idx");
    /// The numbers of defaults before each value, and behind the last.
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
    const MutableColumnPtr values = type.createColumn();
    readValues(type, *values, gaps.size() - 1, serialization, 0, streams);
    for (size_t i = 0; i < gaps.size(); ++i)
    {
        for (UInt64 defaults = gaps[i]; defaults != 0; --defaults)
            column.insertDefault();
        if (i + 1 != gaps.size())
            column.insertFrom(*values, i);
    }
}

}
