#include "Terminal.h"

#include <sys/ioctl.h>

namespace statewire_program
{

size_t terminalWidth(int descriptor) noexcept
{
    struct winsize size
    {
    };
    return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}

}
