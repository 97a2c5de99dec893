#include "typeNames.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "DataTypeNothing.h"
#include "DataTypeNumber.h"
#include "DataTypeString.h"
#include "errorText.h"
#include "makeStoredDataType.h"

#include <algorithm>
#include <iterator>

namespace DB::inline statewire
{

namespace
{
template <typename Type>
DataTypePtr make()
{
    return std::make_shared<Type>();
}

struct SimpleType
{
    std::string_view name;
    DataTypePtr (*create)();
};

constexpr SimpleType SIMPLE_TYPES[] = {
    {"UInt8", make<DataTypeUInt8>},
    {"UInt16", make<DataTypeUInt16>},
    {"UInt32", make<DataTypeUInt32>},
    {"UInt64", make<DataTypeUInt64>},
    {"Int8", make<DataTypeInt8>},
    {"Int16", make<DataTypeInt16>},
    {"Int32", make<DataTypeInt32>},
    {"Int64", make<DataTypeInt64>},
    {"Float32", make<DataTypeFloat32>},
    {"Float64", make<DataTypeFloat64>},
    {"String", make<DataTypeString>},
    {"Nothing", make<DataTypeNothing>},
    {"Bool", makeBool},
    {"Date", makeDate},
    {"Date32", makeDate32},
    {"UUID", makeUUID},
    {"IPv4", makeIPv4},
    {"IPv6", makeIPv6},
};

constexpr std::string_view TYPES_WITH_ARGUMENTS[]
    = {"Array",
       "Tuple",
       "AggregateFunction",
       "SimpleAggregateFunction",
       "Nullable",
       "LowCardinality",
       "FixedString",
       "DateTime",
       "DateTime64",
       "Enum8",
       "Enum16",
       "Decimal"};

/// Types of ClickHouse that are known by name only.
constexpr std::string_view OTHER_TYPES[]
    = {"Int128",
       "Int256",
       "UInt128",
       "UInt256",
       "BFloat16",
       "Decimal128",
       "Decimal256",
       "Map",
       "JSON",
       "Object",
       "Variant",
       "Dynamic",
       "Nested",
       "Time",
       "Time64",
       "Point",
       "Ring",
       "LineString",
       "MultiLineString",
       "Polygon",
       "MultiPolygon",
       "IntervalNanosecond",
       "IntervalMicrosecond",
       "IntervalMillisecond",
       "IntervalSecond",
       "IntervalMinute",
       "IntervalHour",
       "IntervalDay",
       "IntervalWeek",
       "IntervalMonth",
       "IntervalQuarter",
       "IntervalYear"};
}

DataTypePtr tryMakeSimpleType(std::string_view name)
{
    for (const SimpleType & simple : SIMPLE_TYPES)
        if (simple.name == name)
            return simple.create();
    return nullptr;
}

void throwUnknownType(std::string_view name, size_t position)
{
    if (std::find(std::begin(OTHER_TYPES), std::end(OTHER_TYPES), name) != std::end(OTHER_TYPES))
        throwError(ErrorCodes::NOT_IMPLEMENTED, concat("Type ", name, " at position ", position, " of a type name is not supported here"));
    std::vector<std::string> names(std::begin(TYPES_WITH_ARGUMENTS), std::end(TYPES_WITH_ARGUMENTS));
    for (const SimpleType & simple : SIMPLE_TYPES)
        names.emplace_back(simple.name);
    throwError(
        ErrorCodes::UNKNOWN_TYPE,
        concat("Unknown type ", quoteForError(name), " at position ", position, " of a type name", nearNamesHint(name, names)));
}

}
