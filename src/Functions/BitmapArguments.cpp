#include "BitmapArguments.h"

namespace DB::inline statewire
{

void requireInteger(std::string_view function, const DataTypes & types, size_t index, bool is_unsigned)
{
    bool fits = false;
    dispatchInteger(types[index]->getTypeId(), [&]<typename T>() { fits = !is_unsigned || std::is_unsigned_v<T>; });
    if (!fits)
        throwIllegalArgument(function, index, is_unsigned ? "an unsigned integer" : "an integer", *types[index]);
}

}
