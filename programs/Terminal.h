#pragma once

#include <cstddef>

namespace statewire_program
{

/// Columns of the terminal behind a descriptor; 80 when it is none or does not say.
[[nodiscard]] size_t terminalWidth(int descriptor) noexcept;

}
