#include "StateWalker.h"

#include <statewire/AggregateFunctions/AggregateFunctionCountMinSketch.h>
#include <statewire/AggregateFunctions/CountMinRangesState.h>
#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/AggregateFunctions/CountMinTopKState.h>
#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/Columns/ColumnAggregateFunction.h>
#include <statewire/Columns/ColumnArray.h>
#include <statewire/Columns/ColumnString.h>
#include <statewire/Columns/ColumnTuple.h>
#include <statewire/Columns/ColumnVector.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>
#include <statewire/DataTypes/DataTypeAggregateFunction.h>
#include <statewire/DataTypes/DataTypeArray.h>
#include <statewire/DataTypes/DataTypeNumber.h>
#include <statewire/DataTypes/DataTypeTuple.h>
#include <statewire/DataTypes/dispatchNumber.h>
#include <statewire/DataTypes/parseDataType.h>
#include <statewire/Formats/EncodedStates.h>
#include <statewire/Formats/FileColumns.h>
#include <statewire/Formats/FormatFactory.h>
#include <statewire/IO/VarInt.h>
#include <statewire/Storages/MergeTreePartReader.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

using namespace DB;

namespace statewire_program
{

namespace
{
/// Hands a source's bytes on and keeps a copy of those that were read.
class RecordingReadBuffer final : public ReadBuffer
{
public:
    explicit RecordingReadBuffer(ReadBuffer & in_) : ReadBuffer(nullptr, 0), in(in_) { }

    /// The source goes on behind what was read here.
    [[nodiscard]] std::string finish()
    {
        record(offset());
        return std::move(kept);
    }

protected:
    bool nextImpl() override
    {
        record(working_buffer.size());
        if (in.eof())
            return false;
        working_buffer = Buffer{in.position(), in.position() + in.available()};
        recorded = 0;
        return true;
    }

private:
    /// Takes the window's bytes up to `end` over.
    void record(size_t end)
    {
        kept.append(working_buffer.begin() + recorded, end - recorded);
        in.position() += end - recorded;
        recorded = end;
    }

    ReadBuffer & in;
    std::string kept;
    size_t recorded = 0;
};

/// A type in which states are looked for: a tree as the type's.
struct StateTree
{
    StateTree(const DataTypePtr & type_, std::string name_) : type(type_), name(std::move(name_))
    {
        const auto add = [&](const DataTypePtr & nested_type, std::string nested_name) {
            has_states |= nested.emplace_back(nested_type, std::move(nested_name)).has_states;
        };
        if (isState(*type))
        {
            state = stateTypeOf(type);
            has_states = true;
        }
        else if (type->getTypeId() == TypeIndex::Array)
            add(static_cast<const DataTypeArray &>(*type).getNestedType(), name);
        else if (type->getTypeId() == TypeIndex::Tuple)
        {
            const auto & tuple = static_cast<const DataTypeTuple &>(*type);
            for (size_t i = 0; i < tuple.getElements().size(); ++i)
                add(tuple.getElements()[i],
                    concat(name, '.', tuple.getElementNames().empty() ? std::to_string(i + 1) : tuple.getElementNames()[i]));
        }
        if (!has_states)
            scratch = type->createColumn();
    }

    DataTypePtr type;
    std::string name;
    bool has_states = false;
    std::optional<StateType> state;
    /// The elements of an array or of a tuple.
    std::vector<StateTree> nested;
    /// Where there are no states: what values are read into, to get behind them.
    MutableColumnPtr scratch;
};

/// A column as a file has it.
struct WalkedColumn
{
    StateTree tree;
    bool is_wanted = true;
};

[[noreturn]] void throwNoTypes(std::string_view format)
{
    throwError(ErrorCodes::BAD_ARGUMENTS, concat("The format ", format, " names no types: a structure is required"));
}

[[noreturn]] void throwNoStates() { throwError(ErrorCodes::BAD_ARGUMENTS, "There is no column of states in the input"); }

std::vector<WalkedColumn> walkedColumns(const NamesAndTypes & header, const std::optional<NamesAndTypes> & wanted)
{
    std::vector<WalkedColumn> columns;
    bool any = false;
    for (const FileColumn & column : matchHeader(header, wanted))
    {
        if (!column.type)
            throwError(ErrorCodes::BAD_ARGUMENTS, concat("Nobody says what type column ", quoteName(column.name), " has"));
        columns.push_back({StateTree(column.type, column.name), column.target.has_value()});
        const WalkedColumn & walked = columns.back();
        any = any || (walked.is_wanted && walked.tree.has_states);
    }
    if (!any)
        throwNoStates();
    return columns;
}

/// The bytes of the state that stands next, found by its own length.
std::string takeState(ReadBuffer & in, const StateType & type)
{
    RecordingReadBuffer recording(in);
    if (type.layout == StateLayout::BitmapState)
        dispatchInteger(type.element, [&]<typename T>() { RoaringBitmapState<T>::skip(recording); });
    else if (type.layout == StateLayout::SketchState)
        dispatchCountMinWeight(type.weight, [&]<typename W>() { CountMinSketchState<W>::skip(recording); });
    else if (type.layout == StateLayout::TopKState)
        CountMinTopKState::skip(recording);
    else if (type.layout == StateLayout::RangesState)
        CountMinRangesState::skip(recording);
    else
    {
        const auto & data_type = static_cast<const DataTypeAggregateFunction &>(*type.data_type);
        ColumnAggregateFunction(data_type.getFunction()).insertSerialized(recording, data_type.getVersion());
    }
    return recording.finish();
}

template <typename F>
void sayingWhere(std::string_view what, const StatePlace & place, F && f)
{
    try
    {
        f();
    }
    catch (Exception & e)
    {
        e.addMessage(concat(what, placeText(place), place.offset ? concat(", at byte ", *place.offset) : std::string()));
        throw;
    }
}

/// `visit` is nothing for columns that are not wanted.
void walkState(ReadBuffer & in, const StateTree & tree, const StatePlace & place, const StateVisitor & visit)
{
    std::string bytes;
    sayingWhere("while looking for the end of the state in ", place, [&] { bytes = takeState(in, *tree.state); });
    if (visit)
        visit(place, *tree.state, bytes);
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

/// The values that stand in bulk, and where they belong: rows, or elements of the arrays of other such values.
struct BulkRows
{
    UInt64 count = 0;
    /// Rows before the first one.
    UInt64 rows_before = 0;
    const BulkRows * arrays = nullptr;
    /// Where each array ends among the elements.
    std::vector<UInt64> ends;

    void describe(UInt64 i, StatePlace & place) const
    {
        if (!arrays)
        {
            place.row = rows_before + i + 1;
            return;
        }
        const auto array = static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), i) - ends.begin());
        arrays->describe(array, place);
        place.elements.push_back(i - (array == 0 ? 0 : ends[array - 1]) + 1);
    }
};

/// Values in bulk, and how to take them.
class BulkSource
{
public:
    BulkSource() = default;
    BulkSource(const BulkSource &) = delete;
    BulkSource & operator=(const BulkSource &) = delete;
    virtual ~BulkSource() = default;

    virtual ReadBuffer & states(const MergeTreeLayout * layout) = 0;
    virtual std::vector<UInt64> arrayEnds(const MergeTreeLayout * layout, UInt64 arrays) = 0;
    /// Values in which there are no states.
    virtual void pass(const StateTree & tree, const MergeTreeLayout * layout, UInt64 values) = 0;
    [[nodiscard]] virtual bool hasOffsets() const noexcept = 0;
};

/// A column of a Native block: all in one stream.
class NativeSource final : public BulkSource
{
public:
    explicit NativeSource(ReadBuffer & in_) : in(in_) { }

    ReadBuffer & states(const MergeTreeLayout *) override { return in; }
    std::vector<UInt64> arrayEnds(const MergeTreeLayout *, UInt64 arrays) override
    {
        ColumnUInt64 ends;
        DataTypeUInt64().deserializeBinaryBulk(ends, in, arrays);
        if (!std::is_sorted(ends.getData().begin(), ends.getData().end()))
            throwError(ErrorCodes::INCORRECT_DATA, "Array offsets are not ascending");
        return std::move(ends.getData());
    }
    void pass(const StateTree & tree, const MergeTreeLayout *, UInt64 values) override
    {
        const MutableColumnPtr scratch = tree.type->createColumn();
        if (values != 0)
            tree.type->deserializeBinaryBulk(*scratch, in, values);
    }
    [[nodiscard]] bool hasOffsets() const noexcept override { return true; }

private:
    ReadBuffer & in;
};

/// A column in a granule of a part.
class GranuleSource final : public BulkSource
{
public:
    explicit GranuleSource(MergeTreeSubstreams & streams_) : streams(streams_) { }

    ReadBuffer & states(const MergeTreeLayout * layout) override { return streams.get(*layout->values); }
    std::vector<UInt64> arrayEnds(const MergeTreeLayout * layout, UInt64 arrays) override
    {
        UInt64 end = 0;
        std::vector<UInt64> sizes = readArraySizes(*layout, arrays, streams, end);
        std::partial_sum(sizes.begin(), sizes.end(), sizes.begin());
        return sizes;
    }
    void pass(const StateTree & tree, const MergeTreeLayout * layout, UInt64 values) override
    {
        const MutableColumnPtr scratch = tree.type->createColumn();
        readGranuleValues(*layout, *scratch, values, streams);
    }
    [[nodiscard]] bool hasOffsets() const noexcept override { return false; }

private:
    MergeTreeSubstreams & streams;
};

/// `layout` is that of the tree's type in a part, otherwise nothing.
void walkBulk(BulkSource & source, const StateTree & tree, const MergeTreeLayout * layout, const BulkRows & rows, const StateVisitor & visit)
{
    if (!tree.has_states)
        source.pass(tree, layout, rows.count);
    else if (tree.state)
    {
        ReadBuffer & in = source.states(layout);
        for (UInt64 i = 0; i < rows.count; ++i)
        {
            StatePlace place;
            place.column = tree.name;
            rows.describe(i, place);
            if (source.hasOffsets())
                place.offset = in.count();
            walkState(in, tree, place, visit);
        }
    }
    else if (tree.type->getTypeId() == TypeIndex::Array)
    {
        BulkRows elements;
        elements.arrays = &rows;
        elements.ends = source.arrayEnds(layout, rows.count);
        elements.count = elements.ends.empty() ? 0 : elements.ends.back();
        walkBulk(source, tree.nested.front(), layout ? &layout->nested.front() : nullptr, elements, visit);
    }
    else
        for (size_t i = 0; i < tree.nested.size(); ++i)
            walkBulk(source, tree.nested[i], layout ? &layout->nested[i] : nullptr, rows, visit);
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

void requireFew(UInt64 columns)
{
    if (const UInt64 most = FormatSettings().max_columns; columns > most)
        throwError(ErrorCodes::INCORRECT_DATA, concat("Suspiciously many columns: ", columns, ", at most ", most, " are expected"));
}

/// `format` is RowBinary, with or without a header of names, or of names and types.
void walkRowBinary(
    std::string_view format, ReadBuffer & in, const std::optional<NamesAndTypes> & wanted, const StateVisitor & visit, UInt64 & rows)
{
    const bool has_types = format.ends_with("Types");
    if (!has_types && !wanted)
        throwNoTypes(format);
    NamesAndTypes header;
    if (format == "RowBinary")
        header = *wanted;
    else
    {
        const UInt64 limit = FormatSettings().max_name_bytes;
        UInt64 count = 0;
        readVarUInt(count, in);
        requireFew(count);
        for (UInt64 i = 0; i < count; ++i)
            header.push_back({readLimitedString(in, limit), nullptr});
        for (size_t i = 0; i < header.size() && has_types; ++i)
            header[i].type = parseDataType(readLimitedString(in, limit));
    }

    const std::vector<WalkedColumn> columns = walkedColumns(header, wanted);
    while (!in.eof())
    {
        StatePlace place;
        place.row = ++rows;
        for (const WalkedColumn & column : columns)
            walkValue(in, column.tree, place, column.is_wanted ? visit : StateVisitor());
    }
}

void walkNative(ReadBuffer & in, const std::optional<NamesAndTypes> & wanted, const StateVisitor & visit, UInt64 & rows)
{
    const UInt64 limit = FormatSettings().max_name_bytes;
    bool any_states = false;
    while (!in.eof())
    {
        UInt64 columns = 0;
        UInt64 block_rows = 0;
        readVarUInt(columns, in);
        readVarUInt(block_rows, in);
        requireFew(columns);
        if (columns == 0 && block_rows != 0)
            throwError(ErrorCodes::INCORRECT_DATA, concat("Incorrect block: ", block_rows, " rows of no columns"));
        for (UInt64 c = 0; c < columns; ++c)
        {
            std::string name = readLimitedString(in, limit);
            const WalkedColumn column{
                StateTree(parseDataType(readLimitedString(in, limit)), name), !wanted || findName(*wanted, name).has_value()};
            any_states = any_states || (column.is_wanted && column.tree.has_states);
            StatePlace place;
            place.column = column.tree.name;
            place.row = rows + 1;
            place.offset = in.count();
            BulkRows block;
            block.count = block_rows;
            block.rows_before = rows;
            NativeSource source(in);
            const StateVisitor & visit_wanted = column.is_wanted ? visit : StateVisitor();
            if (block_rows != 0)
                sayingWhere("while reading ", place, [&] { column.tree.type->deserializeBinaryBulkStatePrefix(in); });
            if (column.tree.has_states)
                walkBulk(source, column.tree, nullptr, block, visit_wanted);
            else
                sayingWhere("while reading ", place, [&] { walkBulk(source, column.tree, nullptr, block, visit_wanted); });
        }
        if (columns != 0 && !any_states)
            throwNoStates();
        rows += block_rows;
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

void walkStatesOfPart(
    const std::string & folder,
    const std::optional<NamesAndTypes> & wanted,
    PartSettings settings,
    const StateVisitor & visit,
    UInt64 & rows)
{
    if (!settings.only_granule)
        settings.verification = PartVerification::AllHashes;
    MergeTreePart part(folder, settings);
    std::vector<std::string> names;
    for (const MergeTreeColumn & column : part.columns().columns())
    {
        /// The others may have any type.
        const bool may_have_states = column.type_name.find("AggregateFunction(") != std::string::npos;
        if (wanted ? findName(*wanted, column.name).has_value() : may_have_states)
            names.push_back(column.name);
    }
    if (names.empty())
        throwNoStates();
    MergeTreePartReader reader(std::move(part), names, settings);
    const std::vector<WalkedColumn> columns = walkedColumns(reader.getStructure(), wanted);
    UInt64 rows_before = 0;
    for (size_t granule = 0; granule < reader.granules(); rows_before += reader.rowsOf(granule++))
    {
        if (settings.only_granule && granule != *settings.only_granule)
            continue;
        reader.takeGranule(granule, [&](size_t i, const MergeTreeLayout & layout, UInt64 count, MergeTreeSubstreams & streams) {
            GranuleSource source(streams);
            BulkRows granule_rows;
            granule_rows.count = count;
            granule_rows.rows_before = rows_before;
            walkBulk(source, columns[i].tree, &layout, granule_rows, columns[i].is_wanted ? visit : StateVisitor());
        });
        rows += reader.rowsOf(granule);
    }
}

}
