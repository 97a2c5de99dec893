#pragma once

#include <statewire/DataTypes/DataTypeNumber.h>
#include <statewire/IO/WriteBufferFromVector.h>

#include <string>
#include <type_traits>

namespace statewire_program
{

/// As the TabSeparated format prints it, but a Float32 with all digits of its value: who reads it as a double gets the same number.
template <typename T>
[[nodiscard]] std::string numberText(T value)
{
    using Printed = std::conditional_t<std::is_same_v<T, float>, double, T>;
    std::string text;
    DB::WriteBufferFromString out(text);
    DB::DataTypeNumber<Printed>::print(static_cast<Printed>(value), out);
    out.finalize();
    return text;
}

}
