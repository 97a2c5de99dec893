#pragma once

#include "RowArguments.h"

#include <statewire/IO/WriteBuffer.h>
#include <statewire/base/types.h>

#include <span>
#include <string>
#include <string_view>

/** Scalar functions over states for an unmodified ClickHouse server: one table that serves executable user-defined functions
  * (`statewire udf`), the WebAssembly module, and the configuration and SQL that declare them.
  */
namespace statewire_udf
{

/// Reads one row's arguments and writes its result, both in RowBinary.
using RowFunction = void (*)(RowArguments & arguments, DB::WriteBuffer & result);

struct UserDefinedFunction
{
    std::string_view name;
    std::string_view result_type;
    /// `name Type, name Type`, as in CREATE FUNCTION.
    std::string_view arguments;
    RowFunction row;
};

/// All of them, in the order of functions.inc.
[[nodiscard]] std::span<const UserDefinedFunction> userDefinedFunctions() noexcept;

/// The `<functions>` file for user_defined_executable_functions_config. `command` is what the server finds in its user_scripts folder.
[[nodiscard]] std::string executableConfiguration(std::string_view command);
/// CREATE OR REPLACE FUNCTION statements over a module of system.webassembly_modules. Without `has_fuel` the server does not count the
/// instructions of a call: webassembly_udf_max_fuel means nothing to these functions.
[[nodiscard]] std::string webAssemblyStatements(std::string_view module, bool has_fuel = true);

#define STATEWIRE_UDF(name, result_type, arguments) void name(RowArguments & row, DB::WriteBuffer & result);
#include "functions.inc"
#undef STATEWIRE_UDF

}
