#pragma once

#include <statewire/IO/VarInt.h>
#include <statewire/IO/WriteBuffer.h>
#include <statewire/base/unaligned.h>

#include <string_view>

/** Values of results in ClickHouse's RowBinary. */
namespace statewire_udf
{

template <typename T>
void writeNumber(T value, DB::WriteBuffer & out)
{
    char bytes[sizeof(T)];
    DB::unalignedStoreLittleEndian<T>(bytes, value);
    out.write(bytes, sizeof(T));
}

inline void writeString(std::string_view bytes, DB::WriteBuffer & out)
{
    DB::writeVarUInt(bytes.size(), out);
    out.write(bytes.data(), bytes.size());
}

}
