#pragma once

#include <statewire/IO/WriteBufferFromVector.h>

#include <gtest/gtest.h>

#include <string>

namespace statewire_tests
{

/// What an owner or a state writes, with the format or the version that it takes. Where it says how many bytes that will be, it has to keep to it.
template <typename State, typename... Arguments>
std::string serialize(const State & state, const Arguments &... arguments)
{
    std::string result;
    DB::WriteBufferFromString out(result);
    state.write(out, arguments...);
    out.finalize();
    if constexpr (requires { state.serializedSize(arguments...); })
    {
        EXPECT_EQ(result.size(), state.serializedSize(arguments...));
    }
    return result;
}

}
