#pragma once

#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/Common/Arena.h>
#include <statewire/CountMin/CountMinKeys.h>
#include <statewire/CountMin/CountMinParameters.h>
#include <statewire/IO/ReadBuffer.h>
#include <statewire/IO/ZeroCopyReader.h>
#include <statewire/base/unaligned.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace statewire_udf
{

/** The arguments of a user-defined function's rows in ClickHouse's RowBinary, read one after another in the order of their declaration.
  *
  * Views that a row's arguments gave live until nextRow(). From a stable source (memory) nothing is copied; from any other one strings and
  * arrays are copied once. A declared length allocates nothing before the bytes arrive.
  * Errors: through throwError: CANNOT_READ_ALL_DATA and ATTEMPT_TO_READ_AFTER_EOF when the source ends, INCORRECT_DATA, BAD_ARGUMENTS.
  */
class RowArguments
{
public:
    explicit RowArguments(DB::ReadBuffer & in_) : in(in_), reader(in_, ownerOf(in_), &arena) { }
    RowArguments(const RowArguments &) = delete;
    RowArguments & operator=(const RowArguments &) = delete;

    /// Forgets what earlier rows gave.
    void nextRow()
    {
        kept.clear();
        if (arena.allocatedBytes() > KEPT_ARENA_BYTES)
            arena = DB::Arena();
    }

    template <typename T>
    [[nodiscard]] T readNumber()
    {
        return DB::unalignedLoadLittleEndian<T>(reader.borrow(sizeof(T)).data());
    }
    /// Exactly n bytes.
    [[nodiscard]] std::string_view readBytes(DB::UInt64 n);
    [[nodiscard]] std::string_view readString() { return readBytes(reader.readVarUInt()); }
    [[nodiscard]] DB::UInt64 readArraySize() { return reader.readVarUInt(); }
    /// An array of UInt64: its numbers back to back, little-endian.
    [[nodiscard]] std::string_view readNumbers() { return readNumbers(reader.readVarUInt()); }
    /// A state of sumForEach over UInt64: its numbers, without the count.
    [[nodiscard]] std::string_view readSumForEachState() { return readNumbers(readNumber<DB::UInt64>()); }
    template <typename T>
    void readBitmap(DB::RoaringBitmapState<T> & bitmap)
    {
        bitmap.read(in, ownerOf(in), &arena);
    }

    /** The parameters of a sketch, a String as between the parentheses of the type's name: `num_hashes, num_buckets[, seed[, row_seeds]]`, for
      * instance `5, 2719` or `7, 1024, 9001, libcxx` (quotes around the scheme's name are taken too). At most MAX_CELLS cells. They live
      * until the next call of this method.
      */
    [[nodiscard]] const DB::CountMinParameters & readParameters();

    /// The largest table that these functions take, 32 MiB: several must fit into the memory of one WebAssembly instance.
    static constexpr DB::UInt64 MAX_CELLS = DB::UInt64{1} << 22;

private:
    static constexpr size_t KEPT_ARENA_BYTES = size_t{1} << 20;

    /// The bytes of a stable source outlive the call: an owner that owns nothing says so.
    [[nodiscard]] static std::shared_ptr<const void> ownerOf(const DB::ReadBuffer & source)
    {
        return source.isStable() ? std::shared_ptr<const void>(std::shared_ptr<const void>(), &source) : std::shared_ptr<const void>();
    }
    [[nodiscard]] std::string_view readNumbers(DB::UInt64 count);

    DB::ReadBuffer & in;
    DB::Arena arena;
    DB::ZeroCopyReader reader;
    /// What is neither in the arena nor in a stable source.
    std::vector<DB::PinnedBytes> kept;
    std::string parameters_text;
    std::optional<DB::CountMinParameters> parameters;
};

}
