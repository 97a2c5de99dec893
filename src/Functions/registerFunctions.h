#pragma once

namespace DB::inline statewire
{

class FunctionFactory;
struct FunctionLimits;

/// One function a family; registerFunctions() calls them all.
void registerFunctionsBitmap(FunctionFactory & factory, const FunctionLimits & limits);
void registerFunctionsBitmapBytes(FunctionFactory & factory);
void registerFunctionsBitmapPair(FunctionFactory & factory);
void registerFunctionsBitmapRanges(FunctionFactory & factory);
void registerFunctionsCountMinRanges(FunctionFactory & factory);
void registerFunctionsCountMinSketch(FunctionFactory & factory);
void registerFunctionsCountMinSketchStates(FunctionFactory & factory);
void registerFunctionsCountMinSumForEach(FunctionFactory & factory, const FunctionLimits & limits);
void registerFunctionsCountMinTopK(FunctionFactory & factory);

}
