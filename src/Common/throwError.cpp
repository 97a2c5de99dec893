#include "throwError.h"

#include "Exception.h"

namespace DB::inline statewire
{

void throwError(int code, std::string message)
{
    throw Exception(code, std::move(message));
}

}
