#pragma once

#include "IDataType.h"

namespace DB::inline statewire
{

/// Calls f.template operator()<T>() with the C++ type of an integer type (UInt8..Int64). Returns false, without a call, for other types.
template <typename F>
bool dispatchInteger(TypeIndex type, F && f)
{
    switch (type)
    {
        case TypeIndex::UInt8: f.template operator()<UInt8>(); return true;
        case TypeIndex::UInt16: f.template operator()<UInt16>(); return true;
        case TypeIndex::UInt32: f.template operator()<UInt32>(); return true;
        case TypeIndex::UInt64: f.template operator()<UInt64>(); return true;
        case TypeIndex::Int8: f.template operator()<Int8>(); return true;
        case TypeIndex::Int16: f.template operator()<Int16>(); return true;
        case TypeIndex::Int32: f.template operator()<Int32>(); return true;
        case TypeIndex::Int64: f.template operator()<Int64>(); return true;
        default: return false;
    }
}

/// The same for floats as well.
template <typename F>
bool dispatchNumber(TypeIndex type, F && f)
{
    switch (type)
    {
        case TypeIndex::Float32: f.template operator()<Float32>(); return true;
        case TypeIndex::Float64: f.template operator()<Float64>(); return true;
        default: return dispatchInteger(type, std::forward<F>(f));
    }
}

/// Bytes of a number's type; 0 for other types.
[[nodiscard]] inline UInt32 sizeOfNumber(TypeIndex type)
{
    UInt32 size = 0;
    dispatchNumber(type, [&]<typename T>() { size = sizeof(T); });
    return size;
}

}
