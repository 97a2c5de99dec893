#include "MergeTreeColumns.h"

#include "PartFiles.h"

#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "../DataTypes/errorText.h"
#include "../Formats/JSONText.h"
#include "../IO/ReadBufferFromMemory.h"

namespace DB::inline statewire
{

namespace
{
/// Calls f(name) for each field of the object that is next; f reads or skips the value.
template <typename F>
void forEachField(JSONReader & reader, F && f)
{
    reader.expect('{');
    for (bool next = false; !reader.accept('}'); next = true)
    {
        if (next)
            reader.expect(',');
        const std::string name(reader.readString());
        reader.expect(':');
        f(name);
    }
}

template <typename F>
void forEachElement(JSONReader & reader, F && f)
{
    reader.expect('[');
    for (bool next = false; !reader.accept(']'); next = true)
    {
        if (next)
            reader.expect(',');
        f();
    }
}

/// What a file may nest: tuples in tuples.
constexpr size_t MAX_DEPTH = 100;

/// The object of a column, or of a tuple's element, which has no name.
MergeTreeSerializationKind readKind(JSONReader & reader, std::string & name, size_t depth)
{
    if (depth > MAX_DEPTH)
        throwError(ErrorCodes::INCORRECT_DATA, concat("More than ", MAX_DEPTH, " tuples in each other"));
    MergeTreeSerializationKind result;
    forEachField(reader, [&](const std::string & field) {
        if (field == "name")
            name = reader.readString();
        else if (field == "kind")
        {
            const std::string_view kind = reader.readString();
            result.sparse = kind == "Sparse";
            if (kind != "Sparse" && kind != "Default")
                result.other_kind = kind;
        }
        else if (field == "subcolumns")
            forEachElement(reader, [&] {
                std::string unused;
                result.elements.push_back(readKind(reader, unused, depth + 1));
            });
        else
            reader.skipValue(nullptr);
    });
    return result;
}
}

MergeTreeColumns MergeTreeColumns::parse(
    std::string_view columns_text,
    const std::optional<std::string> & substreams_text,
    const std::optional<std::string> & serialization_text,
    const std::string & folder)
{
    MergeTreeColumns result;
    const std::string file = folder + "/columns.txt";
    PartText text(columns_text, file);
    text.expect("columns format version: 1\n");
    const UInt64 count = text.readNumber();
    text.expect(" columns:\n");
    for (UInt64 i = 0; i < count; ++i)
    {
        MergeTreeColumn column;
        column.name = text.readBackquoted();
        text.expect(" ");
        column.type_name = text.readLine();
        if (!result.positions.emplace(column.name, i).second)
            throwError(ErrorCodes::INCORRECT_DATA, concat("The file ", file, " names the column ", quoteForError(column.name), " twice"));
        result.list.push_back(std::move(column));
    }
    if (!text.atEnd())
        text.throwBad("the end");
    if (substreams_text)
        result.parseSubstreams(*substreams_text, folder + "/columns_substreams.txt");
    if (serialization_text)
        result.parseSerialization(*serialization_text, folder + "/serialization.json");
    return result;
}

void MergeTreeColumns::parseSubstreams(std::string_view bytes, const std::string & file)
{
    have_substreams = true;
    PartText text(bytes, file);
    text.expect("columns substreams version: 1\n");
    if (text.readNumber() != list.size())
        text.throwBad(concat(list.size(), " columns, as columns.txt has"));
    text.expect(" columns:\n");
    for (MergeTreeColumn & column : list)
    {
        const UInt64 count = text.readNumber();
        text.expect(" substreams for column ");
        if (text.readBackquoted() != column.name)
            text.throwBad(concat("column ", quoteForError(column.name), " before it"));
        text.expect(":\n");
        for (UInt64 i = 0; i < count; ++i)
        {
            text.expect("\t");
            column.substreams.emplace_back(text.readLine());
        }
    }
    if (!text.atEnd())
        text.throwBad("the end");
}

void MergeTreeColumns::parseSerialization(const std::string & bytes, const std::string & file)
{
    ReadBufferFromMemory in(bytes);
    JSONReader reader(in, bytes.size());
    const auto parseColumn = [&] {
        std::string name;
        MergeTreeSerializationKind kind = readKind(reader, name, 1);
        if (const std::optional<size_t> position = find(name))
            list[*position].serialization = std::move(kind);
    };
    try
    {
        forEachField(reader, [&](const std::string & field) {
            if (field == "columns")
                forEachElement(reader, parseColumn);
            else if (field == "types_serialization_versions")
                forEachField(reader, [&](const std::string & type) {
                    if (type == "string")
                        strings_have_sizes = reader.readToken() == "1";
                    else if (type == "nullable")
                        nullables_may_be_sparse = reader.readToken() == "1";
                    else
                        reader.skipValue(nullptr);
                });
            else if (field == "propagate_types_serialization_versions_to_nested_types")
                nested_strings_have_sizes = reader.readToken() == "true";
            else
                reader.skipValue(nullptr);
        });
    }
    catch (Exception & e)
    {
        e.addMessage(concat("while reading the file ", file, ", at byte ", in.count()));
        throw;
    }
}

std::optional<size_t> MergeTreeColumns::find(std::string_view name) const
{
    const auto found = positions.find(std::string(name));
    if (found == positions.end())
        return std::nullopt;
    return found->second;
}

}
