#include "BlockGroups.h"

#include "../Columns/ColumnAggregateFunction.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

BlockGroups::BlockGroups(const Aggregator & aggregator_, std::function<bool(Block &)> read_, std::string name_)
    : aggregator(aggregator_), read(std::move(read_)), name(std::move(name_))
{
}

bool BlockGroups::readBlock()
{
    rows_before += input.rows;
    begin = end = 0;
    input = {};
    if (!read(block))
        return false;
    input = aggregator.findColumns(block, true);
    aggregator.encodeKeys(input, 0, input.rows, encoded);
    return true;
}

bool BlockGroups::next()
{
    const bool is_first = !any;
    last_key = current_key;
    current_key = {};
    begin = end;
    while (begin == input.rows)
        if (!readBlock())
            return false;
    any = true;
    current_key = aggregator.getKeys().bytesAt(encoded.numbers, encoded.views, begin, number_bytes);
    if (!is_first && current_key < std::string_view(last_key))
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat(
                "The rows of ", name, " are not sorted by their keys: row ", rows_before + begin + 1, " has the key ",
                aggregator.getKeys().describe(current_key), ", the row before it has ", aggregator.getKeys().describe(last_key)));
    const bool are_numbers = aggregator.getKeys().kind() == GroupKeys::Kind::Number;
    const bool is_none = aggregator.getKeys().kind() == GroupKeys::Kind::None;
    for (end = begin + 1; end < input.rows; ++end)
        if (!is_none && (are_numbers ? encoded.numbers[end] != encoded.numbers[begin] : encoded.views[end] != encoded.views[begin]))
            break;
    return true;
}

void BlockGroups::appendStates(size_t function, TrackedVector<AggregateDataPtr> & to)
{
    const auto & column = static_cast<const ColumnAggregateFunction &>(*input.arguments[function][0]);
    to.insert(
        to.end(), column.getPlaces().begin() + static_cast<std::ptrdiff_t>(begin), column.getPlaces().begin() + static_cast<std::ptrdiff_t>(end));
}

}
