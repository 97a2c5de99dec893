#include "StateWalker.h"

#include <statewire/AggregateFunctions/AggregateFunctionCountMinSketch.h>
#include <statewire/AggregateFunctions/CountMinRangesState.h>
#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/AggregateFunctions/CountMinTopKState.h>
#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/Columns/ColumnAggregateFunction.h>
#include <statewire/Columns/ColumnString.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>
#include <statewire/DataTypes/DataTypeAggregateFunction.h>
#include <statewire/DataTypes/DataTypeString.h>
#include <statewire/DataTypes/dispatchNumber.h>
#include <statewire/DataTypes/parseDataType.h>
#include <statewire/Formats/FileColumns.h>
#include <statewire/Formats/FormatFactory.h>
#include <statewire/IO/VarInt.h>

#include <memory>
#include <vector>

using namespace DB;

namespace statewire_program
{

namespace
{
/// Hands a source's bytes on and keeps a copy of those that were read.
class RecordingReadBuffer final : public ReadBuffer
{
public:
    explicit RecordingReadBuffer(ReadBuffer & in_) : ReadBuffer(nullptr, 0), in(in_) { }

    /// The source goes on behind what was read here.
    [[nodiscard]] std::string finish()
    {
        record(offset());
        return std::move(kept);
    }

protected:
    bool nextImpl() override
    {
        record(working_buffer.size());
        if (in.eof())
            return false;
        working_buffer = Buffer{in.position(), in.position() + in.available()};
        recorded = 0;
        return true;
    }

private:
    /// Takes the window's bytes up to `end` over.
    void record(size_t end)
    {
        kept.append(working_buffer.begin() + recorded, end - recorded);
        in.position() += end - recorded;
        recorded = end;
    }

    ReadBuffer & in;
    std::string kept;
    size_t recorded = 0;
};

/// A column as a file has it.
struct WalkedColumn
{
    NameAndType column;
    bool is_wanted = true;
    /// Of states.
    std::optional<StateType> state_type;
};

[[noreturn]] void throwNoTypes(std::string_view format)
{
    throwError(ErrorCodes::BAD_ARGUMENTS, concat("The format ", format, " names no types: a structure is required"));
}

[[noreturn]] void throwNoStates() { throwError(ErrorCodes::BAD_ARGUMENTS, "There is no column of states in the input"); }

std::vector<WalkedColumn> walkedColumns(const NamesAndTypes & header, const std::optional<NamesAndTypes> & wanted)
{
    std::vector<WalkedColumn> columns;
    bool any = false;
    for (const FileColumn & column : matchHeader(header, wanted))
    {
        WalkedColumn & walked = columns.emplace_back();
        walked.column = {column.name, column.type};
        walked.is_wanted = column.target.has_value();
        if (!column.type)
            throwError(ErrorCodes::BAD_ARGUMENTS, concat("Nobody says what type column ", quoteName(column.name), " has"));
        if (!isState(*column.type))
            continue;
        walked.state_type = stateTypeOf(column.type);
        any = any || walked.is_wanted;
    }
    if (!any)
        throwNoStates();
    return columns;
}

/// The bytes of the state that stands next, found by its own length.
std::string takeState(ReadBuffer & in, const StateType & type)
{
    RecordingReadBuffer recording(in);
    if (type.layout == StateLayout::BitmapState)
        dispatchInteger(type.element, [&]<typename T>() { RoaringBitmapState<T>::skip(recording); });
    else if (type.layout == StateLayout::SketchState)
        dispatchCountMinWeight(type.weight, [&]<typename W>() { CountMinSketchState<W>::skip(recording); });
    else if (type.layout == StateLayout::TopKState)
        CountMinTopKState::skip(recording);
    else if (type.layout == StateLayout::RangesState)
        CountMinRangesState::skip(recording);
    else
    {
        const auto & data_type = static_cast<const DataTypeAggregateFunction &>(*type.data_type);
        ColumnAggregateFunction(data_type.getFunction()).insertSerialized(recording, data_type.getVersion());
    }
    return recording.finish();
}

void walkState(ReadBuffer & in, const WalkedColumn & column, UInt64 row, const StateVisitor & visit)
{
    const UInt64 offset = in.count();
    std::string bytes;
    try
    {
        bytes = takeState(in, *column.state_type);
    }
    catch (Exception & e)
    {
        e.addMessage(concat(
            "while looking for the end of the state in row ", row, ", column ", quoteName(column.column.name), ", at byte ", offset));
        throw;
    }
    if (column.is_wanted)
        visit({column.column.name, row, offset}, *column.state_type, bytes);
}

template <typename F>
void sayingWhere(UInt64 row, const WalkedColumn & column, UInt64 offset, F && f)
{
    try
    {
        f();
    }
    catch (Exception & e)
    {
        e.addMessage(concat("while reading row ", row, ", column ", quoteName(column.column.name), ", at byte ", offset));
        throw;
    }
}

void requireFew(UInt64 columns)
{
    if (const UInt64 most = FormatSettings().max_columns; columns > most)
        throwError(ErrorCodes::INCORRECT_DATA, concat("Suspiciously many columns: ", columns, ", at most ", most, " are expected"));
}

/// `format` is RowBinary, with or without a header of names, or of names and types.
void walkRowBinary(
    std::string_view format, ReadBuffer & in, const std::optional<NamesAndTypes> & wanted, const StateVisitor & visit, UInt64 & rows)
{
    const bool has_types = format.ends_with("Types");
    if (!has_types && !wanted)
        throwNoTypes(format);
    NamesAndTypes header;
    if (format == "RowBinary")
        header = *wanted;
    else
    {
        const UInt64 limit = FormatSettings().max_name_bytes;
        UInt64 count = 0;
        readVarUInt(count, in);
        requireFew(count);
        for (UInt64 i = 0; i < count; ++i)
            header.push_back({readLimitedString(in, limit), nullptr});
        for (size_t i = 0; i < header.size() && has_types; ++i)
            header[i].type = parseDataType(readLimitedString(in, limit));
    }

    const std::vector<WalkedColumn> columns = walkedColumns(header, wanted);
    std::vector<MutableColumnPtr> scratch;
    for (const WalkedColumn & column : columns)
        scratch.push_back(column.column.type->createColumn());
    while (!in.eof())
    {
        ++rows;
        for (size_t i = 0; i < columns.size(); ++i)
        {
            if (columns[i].state_type)
            {
                walkState(in, columns[i], rows, visit);
                continue;
            }
            sayingWhere(rows, columns[i], in.count(), [&] { columns[i].column.type->deserializeBinary(*scratch[i], in); });
            scratch[i]->popBack(1);
        }
    }
}

void walkNative(ReadBuffer & in, const std::optional<NamesAndTypes> & wanted, const StateVisitor & visit, UInt64 & rows)
{
    const UInt64 limit = FormatSettings().max_name_bytes;
    bool any_states = false;
    while (!in.eof())
    {
        UInt64 columns = 0;
        UInt64 block_rows = 0;
        readVarUInt(columns, in);
        readVarUInt(block_rows, in);
        requireFew(columns);
        if (columns == 0 && block_rows != 0)
            throwError(ErrorCodes::INCORRECT_DATA, concat("Incorrect block: ", block_rows, " rows of no columns"));
        for (UInt64 c = 0; c < columns; ++c)
        {
            WalkedColumn column;
            column.column.name = readLimitedString(in, limit);
            column.column.type = parseDataType(readLimitedString(in, limit));
            column.is_wanted = !wanted || findName(*wanted, column.column.name);
            if (!isState(*column.column.type))
            {
                const MutableColumnPtr scratch = column.column.type->createColumn();
                if (block_rows != 0)
                    sayingWhere(rows + 1, column, in.count(), [&] { column.column.type->deserializeBinaryBulk(*scratch, in, block_rows); });
                continue;
            }
            any_states = any_states || column.is_wanted;
            column.state_type = stateTypeOf(column.column.type);
            for (UInt64 row = 1; row <= block_rows; ++row)
                walkState(in, column, rows + row, visit);
        }
        if (columns != 0 && !any_states)
            throwNoStates();
        rows += block_rows;
    }
}

/// Rows of fields: states are read as the strings they stand in, and so have an end whatever they are.
void walkText(
    std::string_view format,
    ReadBuffer & in,
    const NamesAndTypes & structure,
    const std::optional<NamesAndTypes> & wanted,
    const StateVisitor & visit,
    UInt64 & rows)
{
    const std::vector<WalkedColumn> columns = walkedColumns(structure, wanted);
    NamesAndTypes as_strings;
    for (const WalkedColumn & column : columns)
        as_strings.push_back({column.column.name, column.state_type ? std::make_shared<DataTypeString>() : column.column.type});
    const auto reader = createInputFormat(format, in, as_strings);
    Block block;
    while (reader->read(block))
    {
        for (size_t row = 0; row < block.rows(); ++row)
            for (size_t i = 0; i < columns.size(); ++i)
                if (columns[i].state_type && columns[i].is_wanted)
                    visit(
                        {columns[i].column.name, rows + row + 1, std::nullopt},
                        *columns[i].state_type,
                        static_cast<const ColumnString &>(*block.getByPosition(i).column)[row]);
        rows += block.rows();
    }
}
}

bool isState(const IDataType & type) noexcept { return type.getTypeId() == TypeIndex::AggregateFunction; }

void walkStates(
    std::string_view format, ReadBuffer & in, const std::optional<NamesAndTypes> & wanted, const StateVisitor & visit, UInt64 & rows)
{
    if (format == "Native")
        walkNative(in, wanted, visit, rows);
    else if (format.starts_with("RowBinary"))
        walkRowBinary(format, in, wanted, visit, rows);
    else if (constexpr std::string_view SUFFIX = "WithNamesAndTypes"; format.ends_with(SUFFIX))
    {
        /// Reads its header from `in` and nothing more.
        const NamesAndTypes header = createInputFormat(format, in)->getStructure();
        walkText(format.substr(0, format.size() - SUFFIX.size()), in, header, wanted, visit, rows);
    }
    else if (wanted)
        walkText(format, in, *wanted, wanted, visit, rows);
    else
        throwNoTypes(format);
}

}
