#pragma once

#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/ZeroCopyReader.h>
#include <statewire/base/unaligned.h>

#include <string>
#include <string_view>

namespace statewire_program
{

/// Calls f(key, weight) for the entries of a small countMinSketch state's bytes (docs/count_min_sketch_state_format.md), which were read and
/// accepted before.
template <typename W, typename F>
void forEachEntry(std::string_view bytes, F && f)
{
    DB::ReadBufferFromMemory in(bytes);
    DB::ZeroCopyReader reader(in);
    reader.skip(1);
    const DB::UInt64 entries = reader.readVarUInt();
    if (entries != 0)
        reader.skip(sizeof(W));
    for (DB::UInt64 i = 0; i < entries; ++i)
    {
        const std::string key(reader.borrow(reader.readVarUInt()));
        f(key, DB::unalignedLoadLittleEndian<W>(reader.borrow(sizeof(W)).data()));
    }
}

}
