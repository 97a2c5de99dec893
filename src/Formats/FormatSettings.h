#pragma once

#include "../base/types.h"

namespace DB::inline statewire
{

/// Limits of readers. They bound memory, never what a file may hold in all.
struct FormatSettings
{
    /// Rows a block of a row format has at most. A Native file's blocks stay as they are. 65536 rows keep a block's columns in cache.
    UInt64 max_block_rows = 65536;
    /// A block of a row format ends after this many bytes of input, however few rows they made: large states would pile up otherwise.
    UInt64 max_block_bytes = UInt64 { 64 } << 20;
    /// One text field, still escaped. Strings of more than 1 GiB are refused by their type as well.
    UInt64 max_field_bytes = UInt64 { 4 } << 30;
    /// Column and type names in headers: no real one comes near.
    UInt64 max_name_bytes = UInt64 { 1 } << 20;
    /// Columns and rows that a header may announce, as ClickHouse limits them.
    UInt64 max_columns = 1000000;
    UInt64 max_native_rows = 1000000000000;
};

}
