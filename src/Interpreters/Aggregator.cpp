#include "Aggregator.h"

#include "../Columns/ColumnAggregateFunction.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/dispatchNumber.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <type_traits>

namespace DB::inline statewire
{

namespace
{
const ColumnWithTypeAndName & requireColumn(const Block & block, std::string_view name)
{
    const ColumnWithTypeAndName * column = block.findByName(name);
    if (!column)
        throwError(ErrorCodes::UNKNOWN_IDENTIFIER, concat("There is no column ", quoteName(name), " in the input"));
    return *column;
}

const ColumnWithTypeAndName & requireColumn(const Block & block, std::string_view name, const IDataType & type)
{
    const ColumnWithTypeAndName & column = requireColumn(block, name);
    if (!column.type->equals(type))
        throwError(
            ErrorCodes::TYPE_MISMATCH,
            concat("Column ", quoteName(name), " has type ", column.type->getName(), ", expected ", type.getName()));
    return column;
}

template <typename T>
UInt64 bitsOf(T value) noexcept
{
    if constexpr (std::is_floating_point_v<T>)
        return std::bit_cast<std::conditional_t<sizeof(T) == 4, UInt32, UInt64>>(value);
    else
        return static_cast<std::make_unsigned_t<T>>(value);
}
}

Aggregator::Aggregator(NamesAndTypes keys_, std::vector<AggregateDescription> aggregates_)
    : keys(std::move(keys_)), aggregates(std::move(aggregates_))
{
    header = keys;
    size_t number_bytes = 0;
    bool only_numbers = true;
    for (const NameAndType & key : keys)
    {
        const size_t size = sizeOfNumber(key.type->getTypeId());
        if (size == 0 && key.type->getTypeId() != TypeIndex::String)
            throwError(
                ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT,
                concat("Cannot group by column ", quoteName(key.name), " of type ", key.type->getName(), ": keys are numbers and strings"));
        only_numbers = only_numbers && size != 0;
        number_bytes += size;
    }
    if (keys.empty())
        method = Method::Single;
    else if (only_numbers && number_bytes <= sizeof(UInt64))
        method = Method::Number;
    else if (keys.size() == 1)
        method = Method::String;

    auto layout = std::make_shared<AggregatedData::States>();
    for (const AggregateDescription & aggregate : aggregates)
    {
        const size_t alignment = aggregate.function->alignOfData();
        layout->size = (layout->size + alignment - 1) / alignment * alignment;
        layout->alignment = std::max(layout->alignment, alignment);
        layout->functions.push_back(aggregate.function);
        layout->offsets.push_back(layout->size);
        layout->size += aggregate.function->sizeOfData();
        header.push_back({ aggregate.column_name, aggregate.function->getStateType() });
    }
    states = std::move(layout);

    absl::flat_hash_set<std::string_view> names;
    for (const NameAndType & column : header)
        if (!names.insert(column.name).second)
            throwError(ErrorCodes::BAD_ARGUMENTS, concat("Two columns of the result would be called ", quoteName(column.name)));
}

std::unique_ptr<AggregatedData> Aggregator::createData() const
{
    std::vector<MutableColumnPtr> key_columns;
    for (const NameAndType & key : keys)
        key_columns.push_back(key.type->createColumn());
    std::unique_ptr<AggregatedData> data(new AggregatedData(states, std::move(key_columns)));
    if (method == Method::Single)
        addGroup({}, 0, *data);
    return data;
}

std::vector<const IColumn *> Aggregator::findKeyColumns(const Block & block) const
{
    std::vector<const IColumn *> columns;
    for (const NameAndType & key : keys)
        columns.push_back(requireColumn(block, key.name, *key.type).column.get());
    return columns;
}

void Aggregator::executeOnBlock(const Block & block, AggregatedData & data) const
{
    const size_t rows = block.rows();
    std::vector<std::vector<const IColumn *>> arguments(aggregates.size());
    for (size_t i = 0; i < aggregates.size(); ++i)
        for (size_t k = 0; k < aggregates[i].argument_names.size(); ++k)
        {
            const IDataType & type = *aggregates[i].function->getArgumentTypes().at(k);
            arguments[i].push_back(requireColumn(block, aggregates[i].argument_names[k], type).column.get());
        }
    findGroups(findKeyColumns(block), rows, data);
    for (size_t i = 0; i < aggregates.size(); ++i)
    {
        if (method == Method::Single)
            aggregates[i].function->addBatchSinglePlace(
                0, rows, data.places[0] + states->offsets[i], arguments[i].data(), data.arena.get());
        else
            aggregates[i].function->addBatch(0, rows, data.row_places.data(), states->offsets[i], arguments[i].data(), data.arena.get());
    }
}

void Aggregator::mergeOnBlock(const Block & block, AggregatedData & data) const
{
    const size_t rows = block.rows();
    std::vector<const ColumnAggregateFunction *> sources;
    for (size_t i = 0; i < aggregates.size(); ++i)
        sources.push_back(static_cast<const ColumnAggregateFunction *>(
            requireColumn(block, aggregates[i].column_name, *header[keys.size() + i].type).column.get()));
    findGroups(findKeyColumns(block), rows, data);
    for (size_t i = 0; i < aggregates.size(); ++i)
        aggregates[i].function->mergeBatch(
            0, rows, data.row_places.data(), states->offsets[i], sources[i]->getPlaces().data(), data.arena.get());
}

void Aggregator::mergeData(AggregatedData & to, const AggregatedData & from) const
{
    std::vector<const IColumn *> key_columns;
    for (const MutableColumnPtr & column : from.key_columns)
        key_columns.push_back(column.get());
    const size_t rows = from.size();
    findGroups(key_columns, rows, to);
    std::vector<AggregateDataPtr> sources(rows);
    for (size_t i = 0; i < aggregates.size(); ++i)
    {
        for (size_t row = 0; row < rows; ++row)
            sources[row] = from.places[row] + states->offsets[i];
        aggregates[i].function->mergeBatch(0, rows, to.row_places.data(), states->offsets[i], sources.data(), to.arena.get());
    }
}

void Aggregator::findGroups(const std::vector<const IColumn *> & key_columns, size_t rows, AggregatedData & data) const
{
    data.row_places.resize(rows);
    AggregateDataPtr * const row_places = data.row_places.data();
    if (method == Method::Single)
    {
        std::fill(row_places, row_places + rows, data.places[0]);
        return;
    }
    if (method == Method::Number)
    {
        packNumbers(key_columns, rows, data.numbers);
        const UInt64 * const numbers = data.numbers.data();
        for (size_t row = 0; row < rows; ++row)
        {
            /// Clustered input repeats its keys.
            if (row != 0 && numbers[row] == numbers[row - 1])
            {
                row_places[row] = row_places[row - 1];
                continue;
            }
            const auto [it, inserted] = data.by_number.try_emplace(numbers[row], nullptr);
            if (inserted)
                it->second = addGroup(key_columns, row, data);
            row_places[row] = it->second;
        }
        return;
    }
    for (size_t row = 0; row < rows; ++row)
    {
        const std::string_view key = keyBytes(key_columns, row, data.key_bytes);
        const auto it = data.by_bytes.find(key);
        if (it != data.by_bytes.end())
        {
            row_places[row] = it->second;
            continue;
        }
        char * const kept = data.arena->alloc(key.size());
        if (!key.empty())
            std::memcpy(kept, key.data(), key.size());
        row_places[row] = addGroup(key_columns, row, data);
        data.by_bytes.emplace(std::string_view(kept, key.size()), row_places[row]);
    }
}

void Aggregator::packNumbers(const std::vector<const IColumn *> & key_columns, size_t rows, std::vector<UInt64> & numbers) const
{
    numbers.assign(rows, 0);
    size_t shift = 0;
    for (size_t i = 0; i < keys.size(); ++i)
        dispatchNumber(keys[i].type->getTypeId(), [&]<typename T>() {
            const T * const values = static_cast<const ColumnVector<T> &>(*key_columns[i]).getData().data();
            for (size_t row = 0; row < rows; ++row)
                numbers[row] |= bitsOf(values[row]) << shift;
            shift += 8 * sizeof(T);
        });
}

std::string_view Aggregator::keyBytes(const std::vector<const IColumn *> & key_columns, size_t row, std::string & scratch) const
{
    if (method == Method::String)
        return key_columns[0]->getDataAt(row);
    scratch.clear();
    for (size_t i = 0; i < keys.size(); ++i)
    {
        const std::string_view bytes = key_columns[i]->getDataAt(row);
        if (keys[i].type->getTypeId() == TypeIndex::String)
        {
            const UInt64 size = bytes.size();
            scratch.append(reinterpret_cast<const char *>(&size), sizeof(size));
        }
        scratch += bytes;
    }
    return scratch;
}

AggregateDataPtr Aggregator::addGroup(const std::vector<const IColumn *> & key_columns, size_t row, AggregatedData & data) const
{
    AggregateDataPtr place = data.arena->alignedAlloc(states->size, states->alignment);
    size_t created = 0;
    try
    {
        for (; created < aggregates.size(); ++created)
            states->functions[created]->create(place + states->offsets[created]);
        for (size_t i = 0; i < keys.size(); ++i)
            data.key_columns[i]->insertFrom(*key_columns[i], row);
        data.places.push_back(place);
    }
    catch (...)
    {
        while (created != 0)
        {
            --created;
            states->functions[created]->destroy(place + states->offsets[created]);
        }
        throw;
    }
    return place;
}

std::vector<size_t> Aggregator::sortedGroups(const AggregatedData & data) const
{
    std::vector<size_t> groups(data.size());
    std::iota(groups.begin(), groups.end(), size_t { 0 });
    std::sort(groups.begin(), groups.end(), [&](size_t left, size_t right) {
        for (const MutableColumnPtr & column : data.key_columns)
            if (const int order = column->compareAt(left, *column, right); order != 0)
                return order < 0;
        return false;
    });
    return groups;
}

void Aggregator::convertToBlocks(
    AggregatedData & data, const OutputLimits & limits, const std::function<void(const Block &)> & consume) const
{
    const std::vector<size_t> groups = sortedGroups(data);
    size_t next = 0;
    while (next < groups.size())
    {
        std::vector<MutableColumnPtr> columns;
        for (const NameAndType & column : header)
            columns.push_back(column.type->createColumn());
        for (size_t i = 0; i < aggregates.size(); ++i)
            static_cast<ColumnAggregateFunction &>(*columns[keys.size() + i]).keepAlive(data.arena);
        UInt64 bytes = 0;
        const size_t begin = next;
        for (; next < groups.size() && next - begin < limits.max_block_rows && bytes < limits.max_block_bytes; ++next)
        {
            const size_t group = groups[next];
            for (size_t i = 0; i < keys.size(); ++i)
                columns[i]->insertFrom(*data.key_columns[i], group);
            data.released_group = group;
            for (size_t i = 0; i < aggregates.size(); ++i)
            {
                const AggregateDataPtr place = data.places[group] + states->offsets[i];
                bytes += states->functions[i]->sizeOfData() + states->functions[i]->heldBytes(place);
                static_cast<ColumnAggregateFunction &>(*columns[keys.size() + i]).adopt(place);
                data.released_functions = i + 1;
            }
            data.places[group] = nullptr;
            data.released_functions = 0;
        }
        Block block;
        for (size_t i = 0; i < header.size(); ++i)
            block.insert({ std::move(columns[i]), header[i].type, header[i].name });
        consume(block);
    }
}

}
