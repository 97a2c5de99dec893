#include "stateBytes.h"

#include "../IO/WriteBufferFromVector.h"

namespace DB::inline statewire
{

std::string stateBytes(const IDataType & type, const IColumn & column, size_t row)
{
    std::string bytes;
    WriteBufferFromString out(bytes);
    type.serializeBinary(column, row, out);
    out.finalize();
    return bytes;
}

}
