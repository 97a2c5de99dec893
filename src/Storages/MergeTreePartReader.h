#pragma once

#include "MergeTreePart.h"
#include "MergeTreeSubstreams.h"

#include "../Formats/IInputFormat.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace DB::inline statewire
{

/** Reads columns of a MergeTree part: all granules one after another as an IInputFormat, or any granule by its mark, which reads no other
 * frames of the files than those that it lies in.
 *
 * Columns may have any type that this library has; the others of the part do not matter. Others are NOT_IMPLEMENTED or UNKNOWN_TYPE.
 * Rows that a lightweight DELETE took away are passed over. The column that says which these are, _row_exists, is read when it is named.
 * Where one granule ends the next one's mark must point, and behind the last the file must end: INCORRECT_DATA otherwise.
 * Errors: DB::Exception of what failed, with `(while reading granule 2, column 's', in the file .../s.bin, at byte 123)`; granules count
 *     from 0, bytes are those of the compressed file. After an error the object is of no more use.
 * Threads: one.
 */
class MergeTreePartReader final : public IInputFormat
{
public:
    /// The columns of these names, in their order; all columns without one. UNKNOWN_IDENTIFIER for one that the part does not have.
    MergeTreePartReader(const std::string & folder, const std::vector<std::string> & names, const PartSettings & settings_ = {});
    MergeTreePartReader(MergeTreePart part_, const std::vector<std::string> & names, const PartSettings & settings_ = {});
    /// The columns of a structure: TYPE_MISMATCH where the part has another type.
    MergeTreePartReader(const std::string & folder, const NamesAndTypes & wanted, const PartSettings & settings_ = {});
    ~MergeTreePartReader() override;

    [[nodiscard]] const NamesAndTypes & getStructure() override { return structure; }
    [[nodiscard]] bool read(Block & block) override;
    [[nodiscard]] UInt64 rowsRead() const noexcept override { return rows_read; }

    [[nodiscard]] const MergeTreePart & getPart() const noexcept { return part; }
    /// Descriptors that it holds while it lives: one a stream.
    [[nodiscard]] size_t openFiles() const noexcept { return streams.size(); }
    [[nodiscard]] size_t granules() const noexcept;
    /// With deleted ones.
    [[nodiscard]] UInt64 rowsOf(size_t granule) const noexcept;
    /// One granule. ARGUMENT_OUT_OF_BOUND when there is none of this number. read() goes on behind it.
    [[nodiscard]] Block readGranule(size_t granule);
    /// For who looks at the bytes: calls `take` for each column with its streams at the begin of a granule, instead of reading its values. It takes
    /// exactly the granule's bytes of each of them. Deleted rows are in them.
    using TakeStreams = std::function<void(size_t column, const MergeTreeLayout & layout, UInt64 rows, MergeTreeSubstreams & streams)>;
    void takeGranule(size_t granule, const TakeStreams & take);

private:
    struct Stream;
    struct Column;

    [[nodiscard]] std::unique_ptr<Column> makeColumn(const std::string & name) const;
    void addColumn(const std::string & name);
    template <typename Take>
    void takeColumn(size_t granule, Column & column, Take && take);
    /// Appends the values of a column in one granule.
    void readColumn(size_t granule, Column & column, IColumn & to);
    void openStreams();
    [[nodiscard]] Stream & openStream(const std::string & name);
    void appendGranule(size_t granule, std::vector<MutableColumnPtr> & columns);
    void finish();
    void requireGranule(UInt64 granule) const;
    [[nodiscard]] Block makeBlock(std::vector<MutableColumnPtr> && columns) const;
    [[nodiscard]] std::vector<MutableColumnPtr> createColumns() const;
    [[nodiscard]] UInt64 bytesPassed() const noexcept;

    PartSettings settings;
    MergeTreePart part;
    NamesAndTypes structure;
    std::vector<std::unique_ptr<Stream>> streams;
    std::vector<std::unique_ptr<Column>> wanted_columns;
    /// Of a part with deleted rows.
    std::unique_ptr<Column> row_exists;
    size_t next_granule = 0;
    size_t end_granule = 0;
    UInt64 rows_read = 0;
};

/// A column that openPart left out.
struct UnreadableColumn
{
    std::string name;
    std::string type_name;
    /// The error of reading it.
    int code = 0;
    std::string reason;
};

/// A part as an input like a file: the columns of a structure, or without one all that can be read here. Those of types (Map, Int128,
/// ...) or with codecs (Delta, ...) that cannot are left out, so that they do not hinder the others, and appended to `left_out`.
[[nodiscard]] std::unique_ptr<MergeTreePartReader> openPart(
    const std::string & folder,
    const std::optional<NamesAndTypes> & structure = std::nullopt,
    const PartSettings & settings = {},
    std::vector<UnreadableColumn> * left_out = nullptr);

}
