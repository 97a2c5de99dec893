#pragma once

#include "StoredDataType.h"

#include <functional>

namespace DB::inline statewire
{

/// The keys of the dictionary that parts of a LowCardinality column share, where there is one beside the column: of the one in force, or with `update`
/// of the next one. Valid until the next call.
using SharedKeys = std::function<const IColumn &(bool update)>;

/** LowCardinality(T): a dictionary of keys, and for each value the index of its key. Columns hold the values themselves.
  *
  * The bytes in bulk are ClickHouse's "shared dictionaries with additional keys": a u64 version, 1, in front of all; then parts, each
  *     u64 flags      0 to 3 for indexes of 1 to 8 bytes; 0x100 needs the shared dictionary, 0x200 has keys of its own, 0x400 needs the next one
  *     u64 n, n keys  where it has keys of its own
  *     u64 n, n indexes  into the shared keys where it needs them, behind these into its own
  * Key 0 of a dictionary is the default; where values may be NULL, it stands for that, and the default is key 1. Own keys behind shared ones have
  * neither. Native has own keys alone; MergeTree parts share dictionaries (Storages/MergeTreeDictionary.h).
  *
  * Errors: INCORRECT_DATA for another version, other flags, an index without a key; NOT_IMPLEMENTED for shared keys where there are none;
  *     TOO_LARGE_STRING_SIZE for values of more than 1 GiB in one call, since few bytes of indexes can name a long key many times.
  */
class DataTypeLowCardinality final : public StoredDataType
{
public:
    /// A type that makeLowCardinality takes.
    explicit DataTypeLowCardinality(DataTypePtr nested_);

    [[nodiscard]] std::string getName() const override { return "LowCardinality(" + getStorageType()->getName() + ")"; }
    [[nodiscard]] bool canBeInsideNullable() const noexcept override { return false; }
    [[nodiscard]] bool hasOwnText() const noexcept override { return false; }

    void serializeBinaryBulkStatePrefix(WriteBuffer & out) const override;
    void deserializeBinaryBulkStatePrefix(ReadBuffer & in) const override;
    void serializeBinaryBulk(const IColumn & column, WriteBuffer & out, size_t begin, size_t rows) const override;
    void deserializeBinaryBulk(IColumn & column, ReadBuffer & in, size_t rows) const override
    {
        deserializeWithSharedKeys(column, in, rows, {});
    }

    /// The same where shared keys may be needed.
    void deserializeWithSharedKeys(IColumn & column, ReadBuffer & in, size_t rows, const SharedKeys & shared_keys) const;
    /// u64 n and n keys: a shared dictionary, or a part's own keys.
    [[nodiscard]] MutableColumnPtr readKeys(ReadBuffer & in) const;

private:
    void readPart(IColumn & column, ReadBuffer & in, UInt64 rows_left, UInt64 & expanded, const SharedKeys & shared_keys) const;
    /// `may_be_null`: key 0 stands for NULL where there are NULLs.
    void insertKey(IColumn & column, const IColumn & keys, size_t index, bool may_be_null) const;

    DataTypePtr key_type;
    bool is_nullable;
};

/// Also behind SimpleAggregateFunction; nothing for other types.
[[nodiscard]] const DataTypeLowCardinality * tryLowCardinality(const IDataType & type) noexcept;

}
