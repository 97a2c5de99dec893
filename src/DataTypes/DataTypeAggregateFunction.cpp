#include "DataTypeAggregateFunction.h"

#include "../Columns/ColumnAggregateFunction.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../IO/ReadBufferFromMemory.h"
#include "../IO/ReadEscaped.h"
#include "../IO/WriteBufferFromVector.h"
#include "../IO/WriteEscaped.h"
#include "DataTypeNumber.h"
#include "printParameters.h"

namespace DB::inline statewire
{

namespace
{
void printParameter(const Field & parameter, WriteBuffer & out)
{
    if (const auto * unsigned_number = std::get_if<UInt64>(&parameter))
        DataTypeUInt64::print(*unsigned_number, out);
    else if (const auto * signed_number = std::get_if<Int64>(&parameter))
        DataTypeInt64::print(*signed_number, out);
    else if (const auto * number = std::get_if<Float64>(&parameter))
        DataTypeFloat64::print(*number, out);
    else
        writeQuotedString(std::get<std::string>(parameter), out);
}

std::string serializeToString(const IAggregateFunction & function, ConstAggregateDataPtr place, size_t version)
{
    std::string bytes;
    WriteBufferFromString out(bytes);
    function.serialize(place, out, version);
    out.finalize();
    return bytes;
}
}

std::string printParameters(const Array & parameters)
{
    std::string text;
    if (parameters.empty())
        return text;
    WriteBufferFromString out(text);
    for (size_t i = 0; i < parameters.size(); ++i)
    {
        out.write(i == 0 ? "(" : ", ", i == 0 ? 1 : 2);
        printParameter(parameters[i], out);
    }
    out.write(')');
    out.finalize();
    return text;
}

DataTypeAggregateFunction::DataTypeAggregateFunction(AggregateFunctionPtr function_, std::optional<size_t> version_)
    : function(std::move(function_)), version(version_)
{
    if (version.value_or(0) != 0 && !function->isVersioned())
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat("The state of ", function->getName(), " has no versions, but version ", *version, " was asked for"));
}

std::string DataTypeAggregateFunction::getName() const
{
    std::string name = "AggregateFunction(";
    WriteBufferFromString out(name, WriteBufferFromString::Mode::Append);
    if (const size_t printed = getVersion())
    {
        DataTypeUInt64::print(printed, out);
        out.write(", ", 2);
    }
    const std::string function_name = function->getName();
    out.write(function_name.data(), function_name.size());
    const std::string parameters = printParameters(function->getParameters());
    out.write(parameters.data(), parameters.size());
    for (const DataTypePtr & argument : function->getArgumentTypes())
    {
        const std::string argument_name = argument->getName();
        out.write(", ", 2);
        out.write(argument_name.data(), argument_name.size());
    }
    out.write(')');
    out.finalize();
    return name;
}

MutableColumnPtr DataTypeAggregateFunction::createColumn() const
{
    return std::make_unique<ColumnAggregateFunction>(function);
}

bool DataTypeAggregateFunction::equals(const IDataType & other) const
{
    if (other.getTypeId() != TypeIndex::AggregateFunction)
        return false;
    const auto & right = static_cast<const DataTypeAggregateFunction &>(other);
    return function->haveSameStateRepresentation(*right.function);
}

void DataTypeAggregateFunction::serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const
{
    function->serialize(static_cast<const ColumnAggregateFunction &>(column)[row], out, getVersion());
}

void DataTypeAggregateFunction::deserializeBinary(IColumn & column, ReadBuffer & in) const
{
    static_cast<ColumnAggregateFunction &>(column).insertSerialized(in, getVersion());
}

void DataTypeAggregateFunction::serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const
{
    function->serializeBatch(static_cast<const ColumnAggregateFunction &>(column).getPlaces(), begin, rows, out, getVersion());
}

void DataTypeAggregateFunction::deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const
{
    auto & states = static_cast<ColumnAggregateFunction &>(column);
    const size_t size_before = states.size();
    states.insertSerializedBatch(in, getVersion(), rows);
    const size_t appended = states.size() - size_before;
    if (appended == rows)
        return;
    states.popBack(appended);
    throwError(
        ErrorCodes::CANNOT_READ_ALL_DATA,
        concat("Cannot read all data of a column of ", getName(), ": the source ends behind ", appended, " rows"));
}

void DataTypeAggregateFunction::serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const
{
    writeEscapedString(serializeToString(*function, static_cast<const ColumnAggregateFunction &>(column)[row], getVersion()), out);
}

void DataTypeAggregateFunction::deserializeTextEscaped(IColumn & column, std::string_view text) const
{
    std::string bytes;
    readEscapedString(bytes, text);
    deserializeWhole(column, bytes);
}

void DataTypeAggregateFunction::serializeTextQuoted(const IColumn & column, size_t row, WriteBuffer & out) const
{
    writeQuotedString(serializeToString(*function, static_cast<const ColumnAggregateFunction &>(column)[row], getVersion()), out);
}

void DataTypeAggregateFunction::deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const
{
    std::string bytes;
    const char * after = pos;
    readQuotedString(bytes, after, end);
    deserializeWhole(column, bytes);
    pos = after;
}

void DataTypeAggregateFunction::deserializeWhole(IColumn & column, std::string_view bytes) const
{
    ReadBufferFromMemory in(bytes);
    deserializeBinary(column, in);
    if (!in.eof())
    {
        column.popBack(1);
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat("A state of ", function->getName(), " ends at byte ", in.count(), ", but ", in.available(), " more bytes follow"));
    }
}

}
