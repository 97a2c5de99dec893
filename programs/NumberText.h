#pragma once

#include <statewire/DataTypes/DataTypeNumber.h>
#include <statewire/IO/WriteBufferFromVector.h>

#include <string>

namespace statewire_program
{

/// As the TabSeparated format prints it.
template <typename T>
[[nodiscard]] std::string numberText(T value)
{
    std::string text;
    DB::WriteBufferFromString out(text);
    DB::DataTypeNumber<T>::print(value, out);
    out.finalize();
    return text;
}

}
