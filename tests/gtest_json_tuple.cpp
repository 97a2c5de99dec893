#include "ColumnBuilders.h"

#include <statewire/Columns/ColumnTuple.h>
#include <statewire/Formats/JSONText.h>

using namespace DB;
using namespace statewire_tests;

namespace
{
std::string toJSON(const IDataType & type, const std::string & text)
{
    const MutableColumnPtr column = columnFromText(type, {text});
    return written([&](WriteBuffer & out) { serializeJSON(type, *column, 0, out, {}); });
}

/// What is read, as text; the column keeps its one row when reading fails.
std::string fromJSON(const IDataType & type, const IColumn & first, std::string_view json)
{
    MutableColumnPtr column = first.cloneEmpty();
    column->insertFrom(first, 0);
    ReadBufferFromMemory in(json);
    JSONReader reader(in, 1000);
    try
    {
        deserializeJSON(type, *column, reader, {});
    }
    catch (...)
    {
        for (size_t i = 0; i < static_cast<const ColumnTuple &>(*column).tupleSize(); ++i)
            EXPECT_EQ(static_cast<const ColumnTuple &>(*column).element(i).size(), 1U) << json;
        throw;
    }
    return textOf(type, *column, 1);
}
}

TEST(JSONTuple, IsAnObjectWithNamesAndAnArrayWithout)
{
    const DataTypePtr named = parseDataType("Tuple(a UInt8, b String)");
    EXPECT_EQ(toJSON(*named, "(1,'x\"')"), R"({"a":1,"b":"x\""})");
    EXPECT_EQ(toJSON(*parseDataType("Tuple(UInt8, Array(String))"), "(1,['x','y'])"), R"([1,["x","y"]])");

    const MutableColumnPtr first = columnFromText(*named, {"(7,'seven')"});
    EXPECT_EQ(fromJSON(*named, *first, R"({"a":1,"b":"x"})"), "(1,'x')");
    EXPECT_EQ(fromJSON(*named, *first, R"( { "b" : "x" , "a" : 1 } )"), "(1,'x')");
    EXPECT_EQ(fromJSON(*named, *first, R"({"b":"x"})"), "(0,'x')");
    EXPECT_EQ(fromJSON(*named, *first, "{}"), "(0,'')");
    EXPECT_EQ(fromJSON(*named, *first, R"([1,"x"])"), "(1,'x')");
    const DataTypePtr nullable = parseDataType("Tuple(a Nullable(UInt8), b String)");
    const MutableColumnPtr null_first = columnFromText(*nullable, {"(NULL,'')"});
    EXPECT_EQ(toJSON(*nullable, "(NULL,'x')"), R"({"a":null,"b":"x"})");
    EXPECT_EQ(fromJSON(*nullable, *null_first, R"({"b":"x"})"), "(NULL,'x')");
    EXPECT_EQ(fromJSON(*nullable, *null_first, R"([null,"x"])"), "(NULL,'x')");
    EXPECT_EQ(fromJSON(*nullable, *null_first, R"({"a":3})"), "(3,'')");
    for (const char * bad : {R"({"a":1,"a":2})", R"({"c":1})", R"([1])", R"([1,"x",2])", R"({"a":1)", R"([300,"x"])", "1", R"({"a" 1})"})
        EXPECT_THROW(static_cast<void>(fromJSON(*named, *first, bad)), Exception) << bad;
}
