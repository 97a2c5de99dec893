#pragma once

namespace DB::inline statewire
{

class AggregateFunctionFactory;

/// One function a family; registerAggregateFunctions() calls them all.
void registerAggregateFunctionGroupBitmap(AggregateFunctionFactory & factory);
void registerAggregateFunctionsGroupBitmapCombined(AggregateFunctionFactory & factory);
void registerAggregateFunctionCountMinRanges(AggregateFunctionFactory & factory);
void registerAggregateFunctionCountMinSketch(AggregateFunctionFactory & factory);
void registerAggregateFunctionCountMinTopK(AggregateFunctionFactory & factory);
void registerAggregateFunctionCombinatorArray(AggregateFunctionFactory & factory);
void registerAggregateFunctionCombinatorForEach(AggregateFunctionFactory & factory);
void registerAggregateFunctionCombinatorIf(AggregateFunctionFactory & factory);
void registerAggregateFunctionCombinatorState(AggregateFunctionFactory & factory);
void registerAggregateFunctionCombinatorMerge(AggregateFunctionFactory & factory);
void registerAggregateFunctionCombinatorsOrFill(AggregateFunctionFactory & factory);

}
