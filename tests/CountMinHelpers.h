#pragma once

#include "Serialize.h"

#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/Common/Exception.h>
#include <statewire/CountMin/CountMinSketch.h>
#include <statewire/CountMin/CountMinView.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/base/unaligned.h>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

/** What the count-min tests share. */
namespace statewire_tests
{

/// The code of the DB::Exception that `f` throws, 0 without one.
template <typename F>
int codeOf(F && f)
{
    try
    {
        f();
    }
    catch (const DB::Exception & e)
    {
        return e.code();
    }
    return 0;
}

/// Its text.
template <typename F>
std::string messageOf(F && f)
{
    try
    {
        f();
    }
    catch (const DB::Exception & e)
    {
        return e.message();
    }
    return {};
}

/// The 8 little-endian bytes of a number, as a UInt64 column has them.
inline std::string keyOf(DB::UInt64 value)
{
    std::string result(sizeof(value), '\0');
    DB::unalignedStoreLittleEndian<DB::UInt64>(result.data(), value);
    return result;
}

/// The text of the error that a fresh state gives when it reads `bytes`, and stays fresh; empty without an error.
template <typename State>
std::string readError(State state, std::string_view bytes)
{
    const std::string before = serialize(state);
    DB::ReadBufferFromMemory in(bytes);
    std::string text = messageOf([&] { state.read(in); });
    if (!text.empty())
    {
        EXPECT_EQ(serialize(state), before);
    }
    return text;
}

}
