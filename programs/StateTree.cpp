#include "StateTree.h"

#include <statewire/AggregateFunctions/AggregateFunctionCountMinSketch.h>
#include <statewire/AggregateFunctions/CountMinRangesState.h>
#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/AggregateFunctions/CountMinTopKState.h>
#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/Columns/ColumnAggregateFunction.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/DataTypes/DataTypeAggregateFunction.h>
#include <statewire/DataTypes/DataTypeArray.h>
#include <statewire/DataTypes/DataTypeTuple.h>
#include <statewire/DataTypes/dispatchNumber.h>
#include <statewire/Formats/FileColumns.h>

#include <utility>

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
}

StateTree::StateTree(const DataTypePtr & type_, std::string name_) : type(type_), name(std::move(name_))
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

const StateVisitor & WalkedColumn::visitor(const StateVisitor & visit) const noexcept
{
    static const StateVisitor NOTHING;
    return is_wanted ? visit : NOTHING;
}

void walkState(ReadBuffer & in, const StateTree & tree, const StatePlace & place, const StateVisitor & visit)
{
    std::string bytes;
    sayingWhere("while looking for the end of the state in ", place, [&] { bytes = takeState(in, *tree.state); });
    if (visit)
        visit(place, *tree.state, bytes);
}

}
