#include "StateTree.h"

#include <statewire/Columns/ColumnVector.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/DataTypes/DataTypeNumber.h>
#include <statewire/DataTypes/parseDataType.h>
#include <statewire/Formats/FileColumns.h>
#include <statewire/IO/VarInt.h>
#include <statewire/Storages/MergeTreePartReader.h>

#include <algorithm>
#include <numeric>

using namespace DB;

namespace statewire_program
{

namespace
{
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
}

void walkNative(ReadBuffer & in, const std::optional<NamesAndTypes> & wanted, const StateVisitor & visit, UInt64 & rows)
{
    const FormatSettings settings;
    bool any_states = false;
    while (!in.eof())
    {
        UInt64 columns = 0;
        UInt64 block_rows = 0;
        readVarUInt(columns, in);
        readVarUInt(block_rows, in);
        requireFewColumns(columns, settings);
        if (columns == 0 && block_rows != 0)
            throwError(ErrorCodes::INCORRECT_DATA, concat("Incorrect block: ", block_rows, " rows of no columns"));
        for (UInt64 c = 0; c < columns; ++c)
        {
            std::string name = readLimitedString(in, settings.max_name_bytes);
            const WalkedColumn column{
                StateTree(parseDataType(readLimitedString(in, settings.max_name_bytes)), name), !wanted || findName(*wanted, name).has_value()};
            any_states = any_states || (column.is_wanted && column.tree.has_states);
            StatePlace place;
            place.column = column.tree.name;
            place.row = rows + 1;
            place.offset = in.count();
            BulkRows block;
            block.count = block_rows;
            block.rows_before = rows;
            NativeSource source(in);
            const StateVisitor & visit_wanted = column.visitor(visit);
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
            walkBulk(source, columns[i].tree, &layout, granule_rows, columns[i].visitor(visit));
        });
        rows += reader.rowsOf(granule);
    }
}

}
