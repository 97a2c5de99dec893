#pragma once

#include "../base/types.h"

#include <cstddef>

namespace DB::inline statewire
{

/// How the bytes of an aggregate state stand in a text format.
enum class StateEncoding : UInt8
{
    Bytes, /// as ClickHouse: a string of these bytes, escaped or quoted as the format does with strings
    Hex, /// as of hex() in ClickHouse; either case is read
    Base64 /// as of base64Encode() in ClickHouse, with padding
};

/// What readers and writers of formats may be told. The limits bound memory, never what a file may hold in all.
struct FormatSettings
{
    /// Rows a block of a row format has at most. A Native file's blocks stay as they are. 65536 rows keep a block's columns in cache.
    UInt64 max_block_rows = 65536;
    /// A block of a row format ends after this many bytes of input, however few rows they made: large states would pile up otherwise.
    UInt64 max_block_bytes = UInt64{64} << 20;
    /// One text field, still escaped. Strings of more than 1 GiB are refused by their type as well.
    UInt64 max_field_bytes = UInt64{4} << 30;
    /// Column and type names in headers: no real one comes near.
    UInt64 max_name_bytes = UInt64{1} << 20;
    /// Columns and rows that a header may announce, as ClickHouse limits them.
    UInt64 max_columns = 1000000;
    UInt64 max_native_rows = 1000000000000;

    StateEncoding state_encoding = StateEncoding::Bytes;
    /// NULL in text for a column that has none becomes the type's default (0, an empty string, array or state), as ClickHouse does.
    /// Otherwise it is an error.
    bool null_as_default = true;
    /// Fields of JSON objects that are no wanted column are passed over, as ClickHouse does. Otherwise they are UNKNOWN_IDENTIFIER.
    bool skip_unknown_fields = true;
    /// JSON output: 64-bit integers in quotes, for readers that take every number for a double. ClickHouse's default is off.
    bool json_quote_64bit_integers = false;
    char csv_delimiter = ',';
    /// Native as it goes over the network from revision 54454 on: each column has a byte more in front of its values, 0 where they are
    /// serialized in the ordinary way, which is the only one that is read.
    bool native_custom_serialization = false;
    /// Pretty: rows that are shown in all, and characters of a value.
    UInt64 pretty_max_rows = 10000;
    size_t pretty_max_value_width = 60;
};

}
