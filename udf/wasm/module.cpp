#include "../UserDefinedFunction.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>

#include <memory>
#include <new>

/** The functions of functions.inc as a WebAssembly module for ClickHouse's BUFFERED_V1 interface: a call gets the rows of all arguments in
  * RowBinary and answers with the rows of the result. One thread an instance.
  *
  * There are no exceptions: an error goes to the server through clickhouse_throw, which does not return; what the call had allocated is lost
  * with it.
  */

using namespace DB;

extern "C"
{
    __attribute__((import_module("env"), import_name("clickhouse_throw"))) void clickhouse_throw(const char * text, UInt32 size);
    /// Made by the linker: runs the constructors of static objects.
    void __wasm_call_ctors();
}

namespace
{

/// What a call has come to, for error texts.
struct Progress
{
    std::string_view function;
    UInt32 row = 0;
};
Progress progress;

[[noreturn]] void fail(std::string_view text)
{
    clickhouse_throw(text.data(), static_cast<UInt32>(text.size()));
    __builtin_trap();
}

[[noreturn]] void failWithoutMemory()
{
    fail("Code: 241. The memory of the WebAssembly instance is used up (webassembly_udf_max_memory); smaller blocks need less "
         "(webassembly_udf_max_input_block_size). (MEMORY_LIMIT_EXCEEDED)");
}

/// The layout that the server knows is the first two fields.
struct Buffer
{
    char * data = nullptr;
    UInt32 size = 0;
    std::unique_ptr<char[]> input;
    std::string output;
};

Buffer * call(std::string_view name, statewire_udf::RowFunction function, const Buffer & arguments, UInt32 rows)
{
    auto result = std::make_unique<Buffer>();
    ReadBufferFromMemory in(arguments.data, arguments.size);
    WriteBufferFromString out(result->output);
    statewire_udf::RowArguments row_arguments(in);
    progress.function = name;
    for (progress.row = 0; progress.row < rows; ++progress.row)
    {
        row_arguments.nextRow();
        function(row_arguments, out);
    }
    out.finalize();
    result->data = result->output.data();
    result->size = static_cast<UInt32>(result->output.size());
    return result.release();
}

}

namespace DB::inline statewire
{

void throwError(int code, std::string message)
{
    fail(concat(
        "Code: ",
        code,
        ". ",
        message,
        ": (in function ",
        progress.function,
        ", row ",
        progress.row,
        " of the block). (",
        errorCodeName(code),
        ")"));
}

}

extern "C"
{

    __attribute__((export_name("clickhouse_create_buffer"))) Buffer * clickhouse_create_buffer(UInt32 size)
    {
        /// Calling it ourselves, once, keeps the linker from running the constructors at every call of an export.
        static const bool is_initialized = [] {
            __wasm_call_ctors();
            std::set_new_handler(failWithoutMemory);
            return true;
        }();
        static_cast<void>(is_initialized);
        auto buffer = std::make_unique<Buffer>();
        buffer->input = std::unique_ptr<char[]>(new char[size]);
        buffer->data = buffer->input.get();
        buffer->size = size;
        return buffer.release();
    }

    __attribute__((export_name("clickhouse_destroy_buffer"))) void clickhouse_destroy_buffer(Buffer * buffer) { delete buffer; }

#define STATEWIRE_UDF(name, result_type, arguments)                                                                                        \
    __attribute__((export_name(#name))) Buffer * wasm_##name(const Buffer * in, UInt32 rows)                                               \
    {                                                                                                                                      \
        return call(#name, statewire_udf::name, *in, rows);                                                                                \
    }
#include "../functions.inc"
#undef STATEWIRE_UDF
}
