#include "Aggregator.h"

#include "../Columns/ColumnAggregateFunction.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "../DataTypes/dispatchNumber.h"
#include "SortedGroupsMerge.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <cstring>

namespace DB::inline statewire
{

namespace
{
/// What a function's states are called in a table: its result where that is the state as it is (-StateIf).
DataTypePtr typeOfStates(const IAggregateFunction & function)
{
    if (function.isState() && function.getResultType()->getTypeId() == TypeIndex::AggregateFunction
        && static_cast<const DataTypeAggregateFunction &>(*function.getResultType()).getFunction()->haveSameStateRepresentation(function))
        return function.getResultType();
    return function.getStateType();
}

/// Rows of a piece for each of its groups from which on bringing them together pays.
constexpr size_t MIN_ROWS_OF_GROUP = 4;
/// How far ahead cells of the table are fetched.
constexpr size_t PREFETCH_ROWS = 16;

const ColumnWithTypeAndName & requireColumn(const Block & block, std::string_view name, const IDataType & type)
{
    const ColumnWithTypeAndName * column = block.findByName(name);
    if (!column)
        throwError(ErrorCodes::UNKNOWN_IDENTIFIER, concat("There is no column ", quoteName(name), " in the input"));
    if (!column->type->equals(type))
        throwError(
            ErrorCodes::TYPE_MISMATCH,
            concat("Column ", quoteName(name), " has type ", column->type->getName(), ", expected ", type.getName()));
    return *column;
}
}

Aggregator::Aggregator(NamesAndTypes keys_, std::vector<AggregateDescription> aggregates_)
    : aggregates(std::move(aggregates_)), key_columns(std::move(keys_))
{
    header = key_columns;
    DataTypes key_types;
    for (const NameAndType & key : key_columns)
    {
        if (!GroupKeys::isKey(*key.type))
            throwError(
                ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
                concat("Cannot group by column ", quoteName(key.name), " of type ", key.type->getName()));
        key_types.push_back(key.type);
    }
    keys = std::make_shared<GroupKeys>(std::move(key_types));

    auto layout = std::make_shared<GroupStates>();
    for (const AggregateDescription & aggregate : aggregates)
    {
        layout->add(aggregate.function);
        header.push_back({aggregate.column_name, typeOfStates(*aggregate.function)});
    }
    states = std::move(layout);

    absl::flat_hash_set<std::string_view> names;
    for (const NameAndType & column : header)
        if (!names.insert(column.name).second)
            throwError(ErrorCodes::BAD_ARGUMENTS, concat("Two columns of the result would be called ", quoteName(column.name)));
}

std::unique_ptr<AggregatedData> Aggregator::createData() const
{
    std::unique_ptr<AggregatedData> data(new AggregatedData(states, keys));
    if (data->method == AggregatedData::Method::Single)
        addGroup(0, {}, *data);
    return data;
}

Aggregator::Input Aggregator::findColumns(const Block & block, bool has_states) const
{
    Input input;
    input.rows = block.rows();
    input.has_states = has_states;
    for (const NameAndType & key : key_columns)
        input.keys.push_back(requireColumn(block, key.name, *key.type).column.get());
    for (size_t i = 0; i < aggregates.size(); ++i)
    {
        std::vector<const IColumn *> & columns = input.arguments.emplace_back();
        if (has_states)
            columns.push_back(requireColumn(block, aggregates[i].column_name, *header[key_columns.size() + i].type).column.get());
        else
            for (size_t k = 0; k < aggregates[i].argument_names.size(); ++k)
                columns.push_back(
                    requireColumn(block, aggregates[i].argument_names[k], *aggregates[i].function->getArgumentTypes().at(k)).column.get());
    }
    return input;
}

void Aggregator::executeOnBlock(const Block & block, AggregatedData & data) const
{
    addBlock(findColumns(block, false), data);
}

void Aggregator::mergeOnBlock(const Block & block, AggregatedData & data) const
{
    addBlock(findColumns(block, true), data);
}

void Aggregator::addBlock(const Input & input, AggregatedData & data) const
{
    for (size_t begin = 0; begin < input.rows; begin += PIECE_ROWS)
        addRows(input, begin, std::min(input.rows, begin + PIECE_ROWS), data);
}

void Aggregator::addRows(const Input & input, size_t begin, size_t end, AggregatedData & data) const
{
    MemoryTrackerScope scope(data.tracker);
    encodeKeys(input, begin, end, data.encoded);
    addPiece(input, begin, end, data.encoded, nullptr, data);
}

void Aggregator::addPiece(
    const Input & input, size_t begin, size_t end, const EncodedKeys & encoded, const std::span<const UInt32> * rows, AggregatedData & data) const
{
    const size_t n = rows ? rows->size() : end - begin;
    if (n == 0)
        return;
    MemoryTrackerScope scope(data.tracker);
    if (data.method == AggregatedData::Method::Single && !input.has_states)
    {
        for (size_t i = 0; i < aggregates.size(); ++i)
        {
            TrackedVector<const IColumn *> columns(input.arguments[i].begin(), input.arguments[i].end());
            states->functions[i]->addBatchSinglePlace(begin, end, data.places[0] + states->offsets[i], columns.data(), data.arena.get());
        }
        return;
    }

    const size_t changes = findGroups(encoded, n, data);
    const bool by_group = changes * 2 > n && n >= MIN_ROWS_OF_GROUP * data.size();
    bool is_ordered = false;
    bool is_placed = false;
    for (AggregatedData::GatheredColumn & gathered : data.gathered)
        gathered.source = nullptr;
    for (size_t i = 0; i < aggregates.size(); ++i)
    {
        if (by_group && (input.has_states || canGather(i)))
        {
            if (!is_ordered)
                orderByGroup(begin, rows, n, data);
            is_ordered = true;
            addByGroup(input, i, data);
            continue;
        }
        if (!is_placed)
        {
            if (data.row_places.size() < end)
                data.row_places = TrackedArray<AggregateDataPtr>(end);
            if (rows)
                std::fill(data.row_places.data() + begin, data.row_places.data() + end, nullptr);
            for (size_t j = 0; j < n; ++j)
                data.row_places[begin + (rows ? (*rows)[j] : j)] = data.places[data.row_groups[j]];
        }
        is_placed = true;
        addByRow(input, i, begin, end, data);
    }
}

void Aggregator::addByRow(const Input & input, size_t function, size_t begin, size_t end, AggregatedData & data) const
{
    TrackedVector<const IColumn *> columns(input.arguments[function].begin(), input.arguments[function].end());
    if (input.has_states)
        states->functions[function]->mergeBatch(
            begin, end, data.row_places.data(), states->offsets[function],
            static_cast<const ColumnAggregateFunction &>(*columns[0]).getPlaces().data(), data.arena.get());
    else
        states->functions[function]->addBatch(
            begin, end, data.row_places.data(), states->offsets[function], columns.data(), data.arena.get());
}

void Aggregator::orderByGroup(size_t begin, const std::span<const UInt32> * rows, size_t n, AggregatedData & data)
{
    /// A counting sort: group_ends[g] is first where the rows of g begin and at last where they end.
    data.group_ends.assign(data.size() + 1, 0);
    for (const UInt32 group : data.row_groups)
        ++data.group_ends[group + 1];
    for (size_t group = 1; group <= data.size(); ++group)
        data.group_ends[group] += data.group_ends[group - 1];
    data.order.resize(n);
    for (size_t j = 0; j < n; ++j)
        data.order[data.group_ends[data.row_groups[j]]++] = static_cast<UInt32>(begin + (rows ? (*rows)[j] : j));
    data.group_ends.pop_back();
}

bool Aggregator::canGather(size_t function) const
{
    const DataTypes & types = aggregates[function].function->getArgumentTypes();
    return std::all_of(types.begin(), types.end(), [](const DataTypePtr & type) { return sizeOfNumber(type->getTypeId()) != 0; });
}

void Aggregator::addByGroup(const Input & input, size_t function, AggregatedData & data) const
{
    const IAggregateFunction & descriptor = *states->functions[function];
    const size_t offset = states->offsets[function];
    TrackedVector<const IColumn *> columns(input.arguments[function].begin(), input.arguments[function].end());
    if (input.has_states)
    {
        const TrackedVector<AggregateDataPtr> & places = static_cast<const ColumnAggregateFunction &>(*columns[0]).getPlaces();
        data.sources.resize(data.order.size());
        for (size_t j = 0; j < data.order.size(); ++j)
            data.sources[j] = places[data.order[j]];
        TrackedVector<AggregateDataPtr> targets(data.order.size());
        for (size_t group = 0, j = 0; group < data.group_ends.size(); ++group)
            for (; j < data.group_ends[group]; ++j)
                targets[j] = data.places[group];
        descriptor.mergeBatch(0, targets.size(), targets.data(), offset, data.sources.data(), data.arena.get());
        return;
    }
    for (size_t k = 0; k < columns.size(); ++k)
        columns[k] = &gather(*columns[k], descriptor.getArgumentTypes()[k]->getTypeId(), data);
    size_t from = 0;
    for (size_t group = 0; group < data.group_ends.size(); from = data.group_ends[group++])
        if (from != data.group_ends[group])
            descriptor.addBatchSinglePlace(
                from, data.group_ends[group], data.places[group] + offset, columns.data(), data.arena.get());
}

const IColumn & Aggregator::gather(const IColumn & source, TypeIndex type, AggregatedData & data)
{
    AggregatedData::GatheredColumn * gathered = nullptr;
    for (AggregatedData::GatheredColumn & entry : data.gathered)
    {
        if (entry.source == &source)
            return *entry.column;
        if (!entry.source && entry.type == type)
            gathered = &entry;
    }
    if (!gathered)
        gathered = &data.gathered.emplace_back(AggregatedData::GatheredColumn{nullptr, type, {}, source.cloneEmpty()});
    dispatchNumber(type, [&]<typename T>() {
        const T * const from = static_cast<const ColumnVector<T> &>(source).getData().data();
        std::vector<T> & to = static_cast<ColumnVector<T> &>(*gathered->column).getData();
        const size_t n = data.order.size();
        if (to.capacity() < n)
        {
            to = {};
            gathered->counted.reset();
            gathered->counted.emplace(n * sizeof(T));
            to.reserve(n);
        }
        to.resize(n);
        for (size_t j = 0; j < n; ++j)
            to[j] = from[data.order[j]];
    });
    gathered->source = &source;
    return *gathered->column;
}

void Aggregator::mergeData(AggregatedData & to, const AggregatedData & from) const
{
    MemoryTrackerScope scope(to.tracker);
    EncodedKeys encoded;
    encoded.numbers = from.numbers;
    encoded.views = from.views;
    keys->hash(encoded);
    const size_t rows = from.size();
    findGroups(encoded, rows, to);
    TrackedVector<AggregateDataPtr> targets(rows);
    TrackedVector<AggregateDataPtr> sources(rows);
    for (size_t i = 0; i < aggregates.size(); ++i)
    {
        for (size_t row = 0; row < rows; ++row)
        {
            targets[row] = to.places[to.row_groups[row]];
            sources[row] = from.places[row] + states->offsets[i];
        }
        states->functions[i]->mergeBatch(0, rows, targets.data(), states->offsets[i], sources.data(), to.arena.get());
    }
}

template <typename Find>
size_t Aggregator::findEach(size_t n, TrackedVector<UInt32> & row_groups, Find && find)
{
    size_t changes = 0;
    UInt32 last = static_cast<UInt32>(-1);
    for (size_t row = 0; row < n; ++row)
    {
        const UInt32 group = find(row);
        changes += group != last;
        row_groups[row] = last = group;
    }
    return changes;
}

size_t Aggregator::findGroups(const EncodedKeys & encoded, size_t n, AggregatedData & data) const
{
    data.row_groups.resize(n);
    /// First the cells, then the keys of the groups in them.
    const auto prefetch = [&](size_t row, const auto & group_keys) {
        if (!data.table.isLarge() || row + 2 * PREFETCH_ROWS >= n)
            return;
        data.table.prefetch(encoded.hashes[row + 2 * PREFETCH_ROWS]);
        if (const UInt32 group = data.table.likelyGroup(encoded.hashes[row + PREFETCH_ROWS]); group != GroupTable::MAX_GROUPS)
            __builtin_prefetch(&group_keys[group]);
    };
    switch (data.method)
    {
        case AggregatedData::Method::Single:
            std::fill(data.row_groups.begin(), data.row_groups.end(), 0);
            return 1;
        case AggregatedData::Method::Direct:
            return findEach(n, data.row_groups, [&](size_t row) {
                UInt32 & group_plus_one = data.direct[encoded.numbers[row]];
                if (group_plus_one == 0)
                    group_plus_one = addGroup(encoded.numbers[row], {}, data) + 1;
                return group_plus_one - 1;
            });
        case AggregatedData::Method::Number:
            return findEach(n, data.row_groups, [&](size_t row) {
                prefetch(row, data.numbers);
                const UInt64 number = encoded.numbers[row];
                return data.table.findOrAdd(
                    encoded.hashes[row], [&](UInt32 group) { return data.numbers[group] == number; },
                    [&] { return addGroup(number, {}, data); });
            });
        case AggregatedData::Method::Bytes:
            return findEach(n, data.row_groups, [&](size_t row) {
                prefetch(row, data.views);
                const std::string_view key = encoded.views[row];
                return data.table.findOrAdd(
                    encoded.hashes[row], [&](UInt32 group) { return data.views[group] == key; }, [&] { return addGroup(0, key, data); });
            });
    }
    return 0;
}

UInt32 Aggregator::addGroup(UInt64 number, std::string_view key, AggregatedData & data) const
{
    const size_t group = data.size();
    if (group == GroupTable::MAX_GROUPS)
        throwError(ErrorCodes::LIMIT_EXCEEDED, concat("Too many groups: at most ", GroupTable::MAX_GROUPS, " are possible"));
    /// So that nothing fails once the states are there.
    if (data.places.size() == data.places.capacity())
        data.places.reserve(2 * group + 1);
    if (data.method == AggregatedData::Method::Bytes)
    {
        char * const kept = data.key_arena.alloc(key.size());
        if (!key.empty())
            std::memcpy(kept, key.data(), key.size());
        data.views.emplace_back(kept, key.size());
    }
    else if (data.method != AggregatedData::Method::Single)
        data.numbers.push_back(number);
    AggregateDataPtr place = nullptr;
    try
    {
        place = data.arena->alignedAlloc(states->size, states->alignment);
        states->create(place);
    }
    catch (...)
    {
        data.numbers.resize(std::min(data.numbers.size(), group));
        data.views.resize(std::min(data.views.size(), group));
        throw;
    }
    data.places.push_back(place);
    return static_cast<UInt32>(group);
}

void Aggregator::convertToBlocks(
    AggregatedData & data, const OutputLimits & limits, const std::function<void(const Block &)> & consume) const
{
    MemoryTrackerScope scope(data.tracker);
    std::vector<SortedGroupsPtr> groups;
    groups.push_back(sortedGroups(data));
    mergeSortedGroups(*this, groups, limits, consume);
}

}
