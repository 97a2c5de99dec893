#include "DataTypeTuple.h"

#include "../Columns/ColumnTuple.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "backQuote.h"
#include "compositeText.h"

namespace DB::inline statewire
{

namespace
{
constexpr std::string_view WHAT = "a tuple";

ColumnTuple & tuples(IColumn & column) noexcept { return static_cast<ColumnTuple &>(column); }
}

DataTypeTuple::DataTypeTuple(DataTypes elements_, std::vector<std::string> names_)
    : elements(std::move(elements_)), names(std::move(names_))
{
    if (elements.empty() || (!names.empty() && names.size() != elements.size()))
        throwError(ErrorCodes::LOGICAL_ERROR, concat("A tuple of ", elements.size(), " elements with ", names.size(), " names"));
}

std::string DataTypeTuple::getName() const
{
    std::string name = "Tuple(";
    for (size_t i = 0; i < elements.size(); ++i)
        name += concat(i == 0 ? "" : ", ", names.empty() ? std::string() : backQuoteIfNeed(names[i]) + " ", elements[i]->getName());
    return name + ")";
}

MutableColumnPtr DataTypeTuple::createColumn() const
{
    std::vector<MutableColumnPtr> columns;
    for (const DataTypePtr & element : elements)
        columns.push_back(element->createColumn());
    return std::make_unique<ColumnTuple>(std::move(columns));
}

bool DataTypeTuple::equals(const IDataType & other) const
{
    if (other.getTypeId() != TypeIndex::Tuple)
        return false;
    const auto & tuple = static_cast<const DataTypeTuple &>(other);
    if (elements.size() != tuple.elements.size() || names != tuple.names)
        return false;
    for (size_t i = 0; i < elements.size(); ++i)
        if (!elements[i]->equals(*tuple.elements[i]))
            return false;
    return true;
}

void DataTypeTuple::serializeBinary(const IColumn & column, size_t row, WriteBuffer & out) const
{
    const auto & from = static_cast<const ColumnTuple &>(column);
    for (size_t i = 0; i < elements.size(); ++i)
        elements[i]->serializeBinary(from.element(i), row, out);
}

void DataTypeTuple::deserializeBinary(IColumn & column, ReadBuffer & in) const
{
    tuples(column).appendToEach([&](IColumn & element, size_t i) { elements[i]->deserializeBinary(element, in); });
}

void DataTypeTuple::serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const
{
    const auto & from = static_cast<const ColumnTuple &>(column);
    for (size_t i = 0; i < elements.size(); ++i)
        elements[i]->serializeBinaryBulk(from.element(i), out, begin, rows);
}

void DataTypeTuple::deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const
{
    tuples(column).appendToEach([&](IColumn & element, size_t i) { elements[i]->deserializeBinaryBulk(element, in, rows); });
}

void DataTypeTuple::serializeBinaryBulkStatePrefix(WriteBuffer & out) const
{
    for (const DataTypePtr & element : elements)
        element->serializeBinaryBulkStatePrefix(out);
}

void DataTypeTuple::deserializeBinaryBulkStatePrefix(ReadBuffer & in) const
{
    for (const DataTypePtr & element : elements)
        element->deserializeBinaryBulkStatePrefix(in);
}

void DataTypeTuple::insertDefaultInto(IColumn & column) const
{
    tuples(column).appendToEach([&](IColumn & element, size_t i) { elements[i]->insertDefaultInto(element); });
}

void DataTypeTuple::serializeTextEscaped(const IColumn & column, size_t row, WriteBuffer & out) const
{
    const auto & from = static_cast<const ColumnTuple &>(column);
    out.write('(');
    for (size_t i = 0; i < elements.size(); ++i)
    {
        if (i != 0)
            out.write(',');
        elements[i]->serializeTextQuoted(from.element(i), row, out);
    }
    out.write(')');
}

void DataTypeTuple::deserializeTextEscaped(IColumn & column, std::string_view text) const
{
    const char * pos = text.data();
    const char * const end = pos + text.size();
    deserializeTextQuoted(column, pos, end);
    if (pos != end)
    {
        column.popBack(1);
        throwExpectedText(WHAT, "nothing behind the tuple", text.data(), pos, end);
    }
}

void DataTypeTuple::deserializeTextQuoted(IColumn & column, const char *& pos, const char * end) const
{
    const char * const start = pos;
    const char * at = pos;
    tuples(column).appendToEach([&](IColumn & element, size_t i) {
        if (i == 0)
            takeCharacter('(', WHAT, "'('", start, at, end);
        else
            takeCharacter(',', WHAT, "','", start, at, end);
        skipSpaces(at, end);
        if (at == end)
            throwExpectedText(WHAT, "an element", start, at, end);
        elements[i]->deserializeTextQuoted(element, at, end);
        skipSpaces(at, end);
        if (i + 1 < elements.size())
            return;
        if (i == 0 && at != end && *at == ',')
        {
            ++at;
            skipSpaces(at, end);
        }
        takeCharacter(')', WHAT, "')'", start, at, end);
    });
    pos = at;
}

}
