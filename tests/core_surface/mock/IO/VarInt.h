#pragma once

#include "ReadBuffer.h"
#include "WriteBuffer.h"

/// The part of VarInt that core files may use, and nothing else.
namespace DB::inline statewire
{

inline constexpr size_t VAR_UINT_MAX_SIZE = 10;

size_t getLengthOfVarUInt(std::uint64_t value);
char * writeVarUInt(std::uint64_t value, char * to);
void writeVarUInt(std::uint64_t value, WriteBuffer & out);
void readVarUInt(std::uint64_t & value, ReadBuffer & in);

}
