#include "StateTree.h"

#include <statewire/Columns/ColumnArray.h>
#include <statewire/Columns/ColumnString.h>
#include <statewire/Columns/ColumnTuple.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Formats/EncodedStates.h>
#include <statewire/Formats/FormatFactory.h>
#include <statewire/Formats/RowBinaryInputFormat.h>
#include <statewire/IO/VarInt.h>

using namespace DB;

namespace statewire_program
{

namespace
{
[[noreturn]] void throwNoTypes(std::string_view format)
{
    throwError(ErrorCodes::BAD_ARGUMENTS, concat("The format ", format, " names no types: a structure is required"));
}

/// One value in the binary form of RowBinary. `place` is where it stands.
void walkValue(ReadBuffer & in, const StateTree & tree, StatePlace & place, const StateVisitor & visit)
{
    place.column = tree.name;
    if (tree.state)
    {
        place.offset = in.count();
        walkState(in, tree, place, visit);
    }
    else if (!tree.has_states)
    {
        place.offset = in.count();
        sayingWhere("while reading ", place, [&] { tree.type->deserializeBinary(*tree.scratch, in); });
        tree.scratch->popBack(1);
    }
    else if (tree.type->getTypeId() == TypeIndex::Array)
    {
        UInt64 size = 0;
        readVarUInt(size, in);
        for (UInt64 i = 1; i <= size; ++i)
        {
            place.elements.push_back(i);
            walkValue(in, tree.nested.front(), place, visit);
            place.elements.pop_back();
        }
    }
    else
        for (const StateTree & element : tree.nested)
            walkValue(in, element, place, visit);
}

/// A value of a column in which strings stand for states.
void walkStrings(const IColumn & column, size_t row, const StateTree & tree, StatePlace & place, const StateVisitor & visit)
{
    if (tree.state)
    {
        place.column = tree.name;
        visit(place, *tree.state, static_cast<const ColumnString &>(column)[row]);
    }
    else if (tree.has_states && tree.type->getTypeId() == TypeIndex::Array)
    {
        const auto & arrays = static_cast<const ColumnArray &>(column);
        for (UInt64 i = 0; i < arrays.sizeAt(row); ++i)
        {
            place.elements.push_back(i + 1);
            walkStrings(arrays.getData(), arrays.offsetAt(row) + i, tree.nested.front(), place, visit);
            place.elements.pop_back();
        }
    }
    else
        for (size_t i = 0; i < tree.nested.size() && tree.has_states; ++i)
            walkStrings(static_cast<const ColumnTuple &>(column).element(i), row, tree.nested[i], place, visit);
}

/// `format` is RowBinary, with or without a header of names, or of names and types.
void walkRowBinary(
    std::string_view format, ReadBuffer & in, const std::optional<NamesAndTypes> & wanted, const StateVisitor & visit, UInt64 & rows)
{
    const bool has_types = format.ends_with("Types");
    if (!has_types && !wanted)
        throwNoTypes(format);
    const std::vector<WalkedColumn> columns
        = walkedColumns(format == "RowBinary" ? *wanted : readRowBinaryHeader(in, has_types, FormatSettings()), wanted);
    while (!in.eof())
    {
        StatePlace place;
        place.row = ++rows;
        for (const WalkedColumn & column : columns)
            walkValue(in, column.tree, place, column.visitor(visit));
    }
}

/// Rows of fields: states are read as the strings they stand in, and so have an end whatever they are.
void walkText(
    std::string_view format,
    ReadBuffer & in,
    const NamesAndTypes & structure,
    const std::optional<NamesAndTypes> & wanted,
    const FormatSettings & settings,
    const StateVisitor & visit,
    UInt64 & rows)
{
    const std::vector<WalkedColumn> columns = walkedColumns(structure, wanted);
    NamesAndTypes plain;
    for (const WalkedColumn & column : columns)
        plain.push_back({column.tree.name, column.tree.type});
    const auto reader = createInputFormat(format, in, encodedStructure(plain, StateEncoding::Hex), settings);
    Block block;
    while (reader->read(block))
    {
        for (size_t row = 0; row < block.rows(); ++row)
        {
            StatePlace place;
            place.row = rows + row + 1;
            for (size_t i = 0; i < columns.size(); ++i)
                if (columns[i].is_wanted)
                    walkStrings(*block.getByPosition(i).column, row, columns[i].tree, place, visit);
        }
        rows += block.rows();
    }
}
}

std::string placeText(const StatePlace & place)
{
    std::string text = concat("row ", place.row);
    if (!place.column.empty())
        text += concat(", column ", quoteName(place.column));
    for (size_t i = 0; i < place.elements.size(); ++i)
        text += concat(i == 0 ? ", element " : ", ", place.elements[i]);
    return text;
}

bool isState(const IDataType & type) noexcept { return type.getTypeId() == TypeIndex::AggregateFunction; }

void walkStates(
    std::string_view format,
    ReadBuffer & in,
    const std::optional<NamesAndTypes> & wanted,
    const FormatSettings & settings,
    const StateVisitor & visit,
    UInt64 & rows)
{
    /// States are taken as the strings that they are.
    FormatSettings strings = settings;
    strings.state_encoding = StateEncoding::Bytes;
    if (format == "Native")
        walkNative(in, wanted, visit, rows);
    else if (format.starts_with("RowBinary"))
        walkRowBinary(format, in, wanted, visit, rows);
    else if (constexpr std::string_view SUFFIX = "WithNamesAndTypes"; format.ends_with(SUFFIX))
    {
        /// Reads its header from `in` and nothing more.
        NamesAndTypes header = createInputFormat(format, in, std::nullopt, strings)->getStructure();
        /// A header may call encoded states strings.
        const auto encoded = encodedStructure(wanted, settings.state_encoding);
        for (NameAndType & column : header)
            if (const auto position = wanted ? findName(*wanted, column.name) : std::nullopt)
                if (column.type->equals(*(*encoded)[*position].type))
                    column.type = (*wanted)[*position].type;
        walkText(format.substr(0, format.size() - SUFFIX.size()), in, header, wanted, strings, visit, rows);
    }
    else if (wanted)
        walkText(format, in, *wanted, wanted, strings, visit, rows);
    else
        throwNoTypes(format);
}

}
