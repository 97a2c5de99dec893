#include "FunctionFactory.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/errorText.h"
#include "FunctionOverNulls.h"
#include "registerFunctions.h"

namespace DB::inline statewire
{

void FunctionFactory::registerFunction(FunctionPtr function)
{
    std::string name = function->getName();
    if (has(name))
        throwError(ErrorCodes::LOGICAL_ERROR, concat("The function ", name, " is registered already"));
    functions.emplace(std::move(name), std::make_shared<FunctionOverNulls>(std::move(function)));
}

FunctionPtr FunctionFactory::get(std::string_view name) const
{
    const auto found = functions.find(name);
    if (found == functions.end())
        throwError(ErrorCodes::UNKNOWN_FUNCTION, concat("Unknown function ", quoteForError(name), nearNamesHint(name, getNames())));
    return found->second;
}

std::vector<std::string> FunctionFactory::getNames() const
{
    std::vector<std::string> names;
    for (const auto & [name, function] : functions)
        names.push_back(name);
    return names;
}

void registerFunctions(FunctionFactory & factory, const FunctionLimits & limits)
{
    registerFunctionsBitmap(factory, limits);
    registerFunctionsBitmapBytes(factory);
    registerFunctionsBitmapPair(factory);
    registerFunctionsBitmapRanges(factory);
    registerFunctionsCountMinRanges(factory);
    registerFunctionsCountMinSketch(factory);
    registerFunctionsCountMinSketchStates(factory);
    registerFunctionsCountMinSumForEach(factory, limits);
    registerFunctionsCountMinTopK(factory);
}

}
