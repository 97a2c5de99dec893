#include "QueryExecutor.h"

#include "../Columns/ColumnNullable.h"
#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeArray.h"
#include "../DataTypes/DataTypeNullable.h"
#include "../DataTypes/DataTypeTuple.h"
#include "../DataTypes/StoredDataType.h"
#include "../DataTypes/dispatchNumber.h"
#include "Operators.h"
#include "QueryError.h"

#include <algorithm>
#include <limits>

namespace DB::inline statewire
{

namespace
{
/// Rows of a result block, as readers make them.
constexpr size_t MAX_RESULT_ROWS = 65536;

using Items = std::vector<ExpressionNode>;

/// The item with this alias; nullptr when there is none.
const ExpressionNode * findAlias(const Items & items, std::string_view name) noexcept
{
    for (const ExpressionNode & item : items)
        if (item.kind != ExpressionNode::Kind::AllColumns && item.result_name == name)
            return &item;
    return nullptr;
}

/// Puts the items' expressions where their aliases are used; `items` are those that may be used, already resolved.
void resolveAliases(ExpressionNode & node, const NamesAndTypes & input, const Items & items)
{
    for (ExpressionNode & argument : node.arguments)
        resolveAliases(argument, input, items);
    if (node.kind != ExpressionNode::Kind::Column || findName(input, node.name))
        return;
    if (const ExpressionNode * item = findAlias(items, node.name))
    {
        /// Taken apart first: the item may be the very node.
        ExpressionNode expression = *item;
        expression.result_name = std::move(node.result_name);
        node = std::move(expression);
    }
}

[[noreturn]] void throwIllegal(const ExpressionNode & node, std::string text)
{
    throw QueryError(ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT, concat(text, " at position ", node.position + 1), node.position);
}

bool hasOrder(const IDataType & type)
{
    if (type.getTypeId() == TypeIndex::Array)
        return hasOrder(*static_cast<const DataTypeArray &>(type).getNestedType());
    if (type.getTypeId() == TypeIndex::Tuple)
    {
        const DataTypes & elements = static_cast<const DataTypeTuple &>(type).getElements();
        return std::all_of(elements.begin(), elements.end(), [](const DataTypePtr & element) { return hasOrder(*element); });
    }
    return type.getTypeId() != TypeIndex::AggregateFunction;
}

/// Copies rows into a new block, column by column: `at(i)` gives the block and the row of result row i.
template <typename At>
Block gather(const Block & like, size_t columns, size_t rows, At && at)
{
    Block result;
    for (size_t c = 0; c < columns; ++c)
    {
        const ColumnWithTypeAndName & model = like.getByPosition(c);
        MutableColumnPtr column = model.type->createColumn();
        for (size_t i = 0; i < rows; ++i)
        {
            const auto [block, row] = at(i);
            column->insertFrom(*block->getByPosition(c).column, row);
        }
        result.insert({std::move(column), model.type, model.name});
    }
    return result;
}
}

QueryExecutor::QueryExecutor(Query query, const NamesAndTypes & input, const FunctionFactory & factory)
    : limit(query.limit), offset(query.offset)
{
    Items resolved;
    for (ExpressionNode & item : query.items)
    {
        resolveAliases(item, input, resolved);
        resolved.push_back(std::move(item));
    }
    if (query.where)
    {
        resolveAliases(*query.where, input, resolved);
        condition.emplace(Items{*query.where}, input, factory);
        const DataTypePtr & type = condition->getHeader().front().type;
        if (!isTruthValue(type))
            throwIllegal(*query.where, concat("WHERE takes a truth value, an integer, not ", type->getName()));
    }

    size_t columns = 0;
    for (const ExpressionNode & item : resolved)
        columns += item.kind == ExpressionNode::Kind::AllColumns ? input.size() : 1;
    Items all = resolved;
    for (OrderByElement & element : query.order_by)
    {
        ExpressionNode & node = element.expression;
        SortKey key{columns + (all.size() - resolved.size()), element.is_descending};
        if (node.kind == ExpressionNode::Kind::Literal && node.literal.kind == Literal::Kind::Integer)
        {
            if (node.literal.negative || node.literal.magnitude == 0 || node.literal.magnitude > columns)
                throwIllegal(node, concat("ORDER BY takes the number of an item, 1 to ", columns, ", or an expression"));
            key.column = static_cast<size_t>(node.literal.magnitude) - 1;
        }
        else
        {
            resolveAliases(
                node, node.kind == ExpressionNode::Kind::Column && findAlias(resolved, node.name) ? NamesAndTypes{} : input, resolved);
            all.push_back(node);
        }
        sort_keys.push_back(key);
    }
    results.emplace(all, input, factory);
    header = results->getHeader();
    header.resize(columns);
    for (size_t i = 0; i < sort_keys.size(); ++i)
        if (const IDataType & type = *results->getHeader()[sort_keys[i].column].type; !hasOrder(type))
            throwIllegal(query.order_by[i].expression, concat("Values of type ", type.getName(), " have no order"));
}

Block QueryExecutor::filter(const Block & block) const
{
    const Block truth = condition->execute(block);
    const DataTypePtr type = asFunctionArgument(truth.getByPosition(0).type);
    const IColumn * column = truth.getByPosition(0).column.get();
    const ColumnNullable * nullable = nullptr;
    if (isNullable(type))
    {
        nullable = static_cast<const ColumnNullable *>(column);
        column = &nullable->getNestedColumn();
    }
    std::vector<size_t> selected;
    dispatchInteger(removeNullable(type)->getTypeId(), [&]<typename T>() {
        const auto & values = static_cast<const ColumnVector<T> &>(*column).getData();
        for (size_t row = 0; row < values.size(); ++row)
            if (values[row] != 0 && !(nullable && nullable->isNullAt(row)))
                selected.push_back(row);
    });
    if (selected.size() == block.rows())
        return block;
    return gather(block, block.columns(), selected.size(), [&](size_t i) { return std::pair(&block, selected[i]); });
}

void QueryExecutor::execute(const Block & block, const Consume & consume)
{
    if (isDone())
        return;
    const Block filtered = condition ? filter(block) : block;
    if (filtered.rows() == 0)
        return;
    Block result = results->execute(filtered);
    if (sort_keys.empty())
    {
        give(result, consume);
        return;
    }
    kept_rows += result.rows();
    kept.push_back(std::make_unique<Block>(std::move(result)));
    if (mostRows() < std::numeric_limits<UInt64>::max() / 4 && kept_rows > 2 * mostRows() + MAX_RESULT_ROWS)
        dropHopelessRows();
}

UInt64 QueryExecutor::mostRows() const noexcept
{
    constexpr UInt64 ALL = std::numeric_limits<UInt64>::max();
    return !limit || *limit > ALL - offset ? ALL : *limit + offset;
}

bool QueryExecutor::isDone() const noexcept { return limit && (*limit == 0 || (sort_keys.empty() && rows_given == *limit)); }

void QueryExecutor::give(const Block & block, const Consume & consume)
{
    const UInt64 rows = block.rows();
    const UInt64 skipped = std::min(rows, offset - std::min(offset, rows_passed));
    rows_passed += rows;
    const UInt64 wanted = std::min(rows - skipped, limit ? *limit - rows_given : rows);
    rows_given += wanted;
    if (wanted == rows)
        consume(block);
    else if (wanted != 0)
        consume(gather(block, header.size(), static_cast<size_t>(wanted), [&](size_t i) {
            return std::pair(&block, static_cast<size_t>(skipped) + i);
        }));
}

std::vector<QueryExecutor::Row> QueryExecutor::sortedRows() const
{
    std::vector<Row> rows;
    rows.reserve(static_cast<size_t>(kept_rows));
    for (const std::unique_ptr<Block> & block : kept)
        for (size_t row = 0; row < block->rows(); ++row)
            rows.push_back({block.get(), row});
    std::stable_sort(rows.begin(), rows.end(), [&](const Row & left, const Row & right) {
        for (const SortKey & key : sort_keys)
        {
            const IColumn & left_column = *left.block->getByPosition(key.column).column;
            const int order = left_column.compareAt(left.row, *right.block->getByPosition(key.column).column, right.row);
            if (order != 0)
                return (order < 0) != key.is_descending;
        }
        return false;
    });
    if (rows.size() > mostRows())
        rows.resize(static_cast<size_t>(mostRows()));
    return rows;
}

void QueryExecutor::dropHopelessRows()
{
    const std::vector<Row> rows = sortedRows();
    auto best = std::make_unique<Block>(
        gather(*kept.front(), kept.front()->columns(), rows.size(), [&](size_t i) { return std::pair(rows[i].block, rows[i].row); }));
    kept.clear();
    kept.push_back(std::move(best));
    kept_rows = rows.size();
}

void QueryExecutor::finish(const Consume & consume)
{
    if (kept.empty())
        return;
    const std::vector<Row> rows = sortedRows();
    for (size_t begin = static_cast<size_t>(std::min<UInt64>(offset, rows.size())); begin < rows.size(); begin += MAX_RESULT_ROWS)
        consume(gather(*kept.front(), header.size(), std::min(MAX_RESULT_ROWS, rows.size() - begin), [&](size_t i) {
            return std::pair(rows[begin + i].block, rows[begin + i].row);
        }));
    kept.clear();
    kept_rows = 0;
}

}
