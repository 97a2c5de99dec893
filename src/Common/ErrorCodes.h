#pragma once

#include <string_view>

/** ClickHouse's numeric error codes, as far as this library raises them. The numbers are frozen: users' scripts match them.
  *
  * Included by .cpp files only, so that a header of ours never brings a second `ErrorCodes` into a tree that has its own.
  */
namespace DB::inline statewire
{

namespace ErrorCodes
{
inline constexpr int INCORRECT_NUMBER_OF_COLUMNS = 7;
inline constexpr int CANNOT_PARSE_ESCAPE_SEQUENCE = 25;
inline constexpr int CANNOT_PARSE_INPUT_ASSERTION_FAILED = 27;
inline constexpr int ATTEMPT_TO_READ_AFTER_EOF = 32;
inline constexpr int CANNOT_READ_ALL_DATA = 33;
inline constexpr int TOO_FEW_ARGUMENTS_FOR_FUNCTION = 35;
inline constexpr int BAD_ARGUMENTS = 36;
inline constexpr int CANNOT_PARSE_DATE = 38;
inline constexpr int TOO_LARGE_SIZE_COMPRESSED = 39;
inline constexpr int CHECKSUM_DOESNT_MATCH = 40;
inline constexpr int CANNOT_PARSE_DATETIME = 41;
inline constexpr int NUMBER_OF_ARGUMENTS_DOESNT_MATCH = 42;
inline constexpr int ILLEGAL_TYPE_OF_ARGUMENT = 43;
inline constexpr int UNKNOWN_FUNCTION = 46;
inline constexpr int UNKNOWN_IDENTIFIER = 47;
inline constexpr int NOT_IMPLEMENTED = 48;
inline constexpr int LOGICAL_ERROR = 49;
inline constexpr int UNKNOWN_TYPE = 50;
inline constexpr int TYPE_MISMATCH = 53;
inline constexpr int SYNTAX_ERROR = 62;
inline constexpr int UNKNOWN_AGGREGATE_FUNCTION = 63;
inline constexpr int ARGUMENT_OUT_OF_BOUND = 69;
inline constexpr int CANNOT_CONVERT_TYPE = 70;
inline constexpr int CANNOT_WRITE_AFTER_END_OF_BUFFER = 71;
inline constexpr int CANNOT_PARSE_NUMBER = 72;
inline constexpr int UNKNOWN_FORMAT = 73;
inline constexpr int CANNOT_READ_FROM_FILE_DESCRIPTOR = 74;
inline constexpr int CANNOT_WRITE_TO_FILE_DESCRIPTOR = 75;
inline constexpr int CANNOT_OPEN_FILE = 76;
inline constexpr int CANNOT_CLOSE_FILE = 77;
inline constexpr int CANNOT_SEEK_THROUGH_FILE = 87;
inline constexpr int UNKNOWN_COMPRESSION_METHOD = 89;
inline constexpr int EMPTY_DATA_PASSED = 92;
inline constexpr int FILE_DOESNT_EXIST = 107;
inline constexpr int INCORRECT_DATA = 117;
inline constexpr int TOO_LARGE_ARRAY_SIZE = 128;
inline constexpr int TOO_LARGE_STRING_SIZE = 131;
inline constexpr int AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS = 133;
inline constexpr int CANNOT_ALLOCATE_MEMORY = 173;
inline constexpr int ILLEGAL_AGGREGATION = 184;
inline constexpr int SIZES_OF_ARRAYS_DONT_MATCH = 190;
inline constexpr int CANNOT_FSYNC = 204;
inline constexpr int UNEXPECTED_AST_STRUCTURE = 223;
inline constexpr int MEMORY_LIMIT_EXCEEDED = 241;
inline constexpr int CORRUPTED_DATA = 246;
inline constexpr int CANNOT_COMPRESS = 270;
inline constexpr int CANNOT_DECOMPRESS = 271;
inline constexpr int LIMIT_EXCEEDED = 290;
inline constexpr int CANNOT_PARSE_UUID = 376;
inline constexpr int QUERY_WAS_CANCELLED = 394;
inline constexpr int CANNOT_STAT = 400;
inline constexpr int DECIMAL_OVERFLOW = 407;
inline constexpr int SYSTEM_ERROR = 425;
inline constexpr int UNKNOWN_CODEC = 432;
inline constexpr int CANNOT_UNLINK = 458;
inline constexpr int CANNOT_PARSE_BOOL = 467;
inline constexpr int CANNOT_FSTAT = 531;
inline constexpr int CANNOT_PARSE_IPV4 = 675;
inline constexpr int CANNOT_PARSE_IPV6 = 676;
inline constexpr int UNKNOWN_ELEMENT_OF_ENUM = 691;
inline constexpr int CANNOT_WRITE_AFTER_BUFFER_CANCELED = 734;
inline constexpr int STD_EXCEPTION = 1001;
}

/// The code's name, such as "INCORRECT_DATA"; "UNKNOWN_ERROR_CODE" for a number that is not listed above.
[[nodiscard]] std::string_view errorCodeName(int code) noexcept;

}
