#pragma once

#include "UserDefinedFunction.h"

#include <statewire/IO/ReadBuffer.h>
#include <statewire/IO/WriteBuffer.h>

namespace statewire_udf
{

/** The process of an executable user-defined function with send_chunk_header: chunks of `rows\n` and that many rows of arguments in RowBinary
  * come, and as many results leave, flushed after each chunk; until the input ends between two chunks.
  *
  * Errors: what the function says, with its name and the row; INCORRECT_DATA for a header that is no number; CANNOT_READ_ALL_DATA when the
  *     input ends inside a chunk. The results of the rows before may have left.
  */
void serveChunks(const UserDefinedFunction & function, DB::ReadBuffer & in, DB::WriteBuffer & out);

}
