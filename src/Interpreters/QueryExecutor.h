#pragma once

#include "ExpressionList.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace DB::inline statewire
{

/** Runs a parsed query over blocks: WHERE first, then the items for the rows that are left, ORDER BY, LIMIT.
 *
 * A name is a column of the input or, where there is none, an item's alias; in ORDER BY an alias comes first, and an integer n means item n.
 * Sorting is stable and by the type's order (IColumn::compareAt); it holds all result rows, with LIMIT about twice as many as it gives.
 * Errors: QueryError, as ExpressionList; ILLEGAL_TYPE_OF_ARGUMENT for a WHERE that is no integer and for a sort key without an order
 *     (states).
 * Threads: one.
 */
class QueryExecutor
{
public:
    using Consume = std::function<void(const Block &)>;

    QueryExecutor(Query query, const NamesAndTypes & input, const FunctionFactory & factory);

    /// The columns of the result.
    [[nodiscard]] const NamesAndTypes & getHeader() const noexcept { return header; }
    /// Gives the block's result rows to `consume`, or keeps them until finish() when they are to be sorted.
    void execute(const Block & block, const Consume & consume);
    /// Gives what is sorted.
    void finish(const Consume & consume);
    /// True when LIMIT is reached and no further row can change the result.
    [[nodiscard]] bool isDone() const noexcept;

private:
    struct SortKey
    {
        size_t column = 0;
        bool is_descending = false;
    };

    struct Row
    {
        const Block * block = nullptr;
        size_t row = 0;
    };

    [[nodiscard]] Block filter(const Block & block) const;
    void give(const Block & block, const Consume & consume);
    /// All kept rows in order, those beyond the limit left out.
    [[nodiscard]] std::vector<Row> sortedRows() const;
    /// Leaves only the kept rows that may still be in the result.
    void dropHopelessRows();
    [[nodiscard]] UInt64 mostRows() const noexcept;

    std::optional<ExpressionList> condition;
    std::optional<ExpressionList> results;
    NamesAndTypes header;
    std::vector<SortKey> sort_keys;
    std::optional<UInt64> limit;
    UInt64 offset = 0;

    /// Without sorting: rows seen behind the filter, and given.
    UInt64 rows_passed = 0;
    UInt64 rows_given = 0;
    /// With sorting: result rows with their sort keys, in the order of the input.
    std::vector<std::unique_ptr<Block>> kept;
    UInt64 kept_rows = 0;
};

}
