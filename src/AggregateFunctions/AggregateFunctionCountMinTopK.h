#pragma once

#include "CountMinTopKState.h"
#include "IAggregateFunction.h"

#include <optional>
#include <vector>

namespace DB::inline statewire
{

/// What a function whose places hold a CountMinTopKState is made of: countMinTopK, with or without combinators.
struct CountMinTopKArguments
{
    DataTypePtr key;
    /// How many keys the function answers.
    UInt64 k;
    /// Array(Tuple(key K, estimate UInt64, lower_bound UInt64)).
    DataTypePtr result;
};

/// Nothing for other functions.
[[nodiscard]] std::optional<CountMinTopKArguments> countMinTopKArguments(const IAggregateFunction & function);

/// Appends one array of tuples to a column of CountMinTopKArguments::result.
void insertCountMinTopK(const std::vector<CountMinTopKState::Hitter> & hitters, const IDataType & key_type, IColumn & to);

}
