#pragma once

#include "../CountMin/CountMinParameters.h"
#include "IAggregateFunction.h"

#include <optional>

namespace DB::inline statewire
{

/// What a function whose places hold a CountMinSketchState<W> is fed: countMinSketch, with or without combinators.
struct CountMinSketchArguments
{
    DataTypePtr key;
    /// UInt64, Int64 or Float64: the type of W.
    TypeIndex weight;
    /// Lives as long as the function.
    const CountMinParameters * sketch;
};

/// Nothing for other functions.
[[nodiscard]] std::optional<CountMinSketchArguments> countMinSketchArguments(const IAggregateFunction & function);

/// The function of what the states of `base`, a countMinSketch without combinators, become by decay.
[[nodiscard]] AggregateFunctionPtr decayedCountMinSketch(const IAggregateFunction & base);

/// Calls f.template operator()<W>() for CountMinSketchArguments::weight.
template <typename F>
void dispatchCountMinWeight(TypeIndex weight, F && f)
{
    if (weight == TypeIndex::UInt64)
        f.template operator()<UInt64>();
    else if (weight == TypeIndex::Int64)
        f.template operator()<Int64>();
    else
        f.template operator()<Float64>();
}

}
