#include "Vectors.h"

namespace statewire_tests
{

const std::filesystem::path & sourceDirectory()
{
    static const std::filesystem::path directory(STATEWIRE_SOURCE_DIR);
    return directory;
}

}
