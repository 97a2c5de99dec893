#include "UserDefinedFunction.h"

namespace statewire_udf
{

namespace
{

constexpr UserDefinedFunction FUNCTIONS[] = {
#define STATEWIRE_UDF(name, result_type, arguments) {#name, result_type, arguments, name},
#include "functions.inc"
#undef STATEWIRE_UDF
};

/// Takes `name Type` off the front of a list of them; commas inside parentheses separate nothing.
std::string_view takeArgument(std::string_view & rest)
{
    size_t end = 0;
    for (int depth = 0; end < rest.size() && !(depth == 0 && rest[end] == ','); ++end)
        depth += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
    const std::string_view argument = rest.substr(0, end);
    rest.remove_prefix(end == rest.size() ? end : end + 2);
    return argument;
}

}

std::span<const UserDefinedFunction> userDefinedFunctions() noexcept { return FUNCTIONS; }

std::string executableConfiguration(std::string_view command)
{
    std::string xml = "<functions>\n";
    for (const UserDefinedFunction & function : FUNCTIONS)
    {
        xml.append("    <function>\n        <type>executable_pool</type>\n        <name>").append(function.name).append("</name>\n");
        for (std::string_view rest = function.arguments; !rest.empty();)
        {
            const std::string_view argument = takeArgument(rest);
            const size_t space = argument.find(' ');
            xml.append("        <argument><name>").append(argument.substr(0, space));
            xml.append("</name><type>").append(argument.substr(space + 1)).append("</type></argument>\n");
        }
        xml.append("        <return_type>").append(function.result_type).append("</return_type>\n        <format>RowBinary</format>\n");
        xml.append("        <command>").append(command).append(" udf ").append(function.name).append("</command>\n");
        xml.append("        <send_chunk_header>1</send_chunk_header>\n        <pool_size>4</pool_size>\n");
        xml.append("        <stderr_reaction>throw</stderr_reaction>\n        <deterministic>1</deterministic>\n    </function>\n");
    }
    return xml += "</functions>\n";
}

std::string webAssemblyStatements(std::string_view module, bool has_fuel)
{
    std::string sql;
    for (const UserDefinedFunction & function : FUNCTIONS)
    {
        sql.append("CREATE OR REPLACE FUNCTION ").append(function.name).append(" LANGUAGE WASM FROM '").append(module);
        sql.append("' ARGUMENTS (").append(function.arguments).append(") RETURNS ").append(function.result_type);
        sql.append(" ABI BUFFERED_V1 DETERMINISTIC SETTINGS serialization_format = 'RowBinary'");
        sql.append(has_fuel ? ";\n" : ", webassembly_udf_enable_fuel = 0;\n");
    }
    return sql;
}

}
