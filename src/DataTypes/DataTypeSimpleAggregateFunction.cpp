#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "StoredDataType.h"
#include "makeStoredDataType.h"

#include <algorithm>
#include <string>

namespace DB::inline statewire
{

namespace
{
/// Those whose states are values: the functions that ClickHouse has there.
constexpr std::string_view FUNCTIONS[]
    = {"any",
       "any_respect_nulls",
       "anyLast",
       "anyLast_respect_nulls",
       "min",
       "max",
       "sum",
       "sumWithOverflow",
       "groupBitAnd",
       "groupBitOr",
       "groupBitXor",
       "sumMap",
       "minMap",
       "maxMap",
       "sumMappedArrays",
       "minMappedArrays",
       "maxMappedArrays",
       "groupArrayArray",
       "groupArrayLastArray",
       "groupUniqArrayArray",
       "groupUniqArrayArrayMap"};

class DataTypeSimpleAggregateFunction final : public StoredDataType
{
public:
    DataTypeSimpleAggregateFunction(std::string function_, DataTypePtr value) : StoredDataType(std::move(value)), function(std::move(function_)) { }

    [[nodiscard]] std::string getName() const override { return concat("SimpleAggregateFunction(", function, ", ", getStorageType()->getName(), ")"); }
    [[nodiscard]] bool canBeInsideNullable() const noexcept override { return false; }
    [[nodiscard]] bool isAlias() const noexcept override { return true; }
    [[nodiscard]] bool hasOwnText() const noexcept override { return false; }

private:
    /// As it is printed, with parameters.
    std::string function;
};
}

DataTypePtr makeSimpleAggregateFunction(std::string_view name, std::string_view parameters, DataTypePtr value)
{
    if (std::find(std::begin(FUNCTIONS), std::end(FUNCTIONS), name) == std::end(FUNCTIONS))
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Unsupported aggregate function ", name, " of a SimpleAggregateFunction"));
    return std::make_shared<DataTypeSimpleAggregateFunction>(concat(name, parameters), std::move(value));
}

}
