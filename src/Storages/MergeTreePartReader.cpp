#include "MergeTreePartReader.h"

#include "MergeTreeDictionary.h"
#include "PartFiles.h"

#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "../IO/ReadBufferFromFilePRead.h"

#include <algorithm>
#include <utility>

namespace DB::inline statewire
{

namespace
{
constexpr const char * COMPACT_DATA = "data";
/// 0 for a row that a DELETE without a mutation of the whole part took away (a lightweight one).
constexpr std::string_view ROW_EXISTS = "_row_exists";

/// Whether the frame at a position has a codec that is read here. What else may be wrong with it is not asked.
bool isCodecKnown(const std::string & path, CompressedPosition position)
{
    ReadBufferFromFilePRead file(path);
    SeekableCompressedReadBuffer frames(file);
    try
    {
        frames.seek({position.offset_in_file, 0});
        static_cast<void>(frames.eof());
    }
    catch (const Exception & e)
    {
        return e.code() != ErrorCodes::UNKNOWN_CODEC;
    }
    return true;
}

/// Whether the column of this number begins with such frames.
bool areCodecsKnown(const MergeTreePart & part, size_t column, const MergeTreeColumnLayout & layout)
{
    if (part.isCompact())
    {
        const MergeTreeMarks marks = part.readMarks(COMPACT_DATA);
        for (size_t i = part.firstStreamOf(column); marks.granules() != 0 && i < part.firstStreamOf(column + 1); ++i)
            if (!isCodecKnown(part.pathOf(std::string(COMPACT_DATA) + ".bin"), marks.position(0, i)))
                return false;
        return true;
    }
    return std::all_of(layout.streams.begin(), layout.streams.end(), [&](const MergeTreeStream & stream) {
        return isCodecKnown(part.pathOf(part.fileOf(stream.name) + ".bin"), {});
    });
}
}

/// A file of frames and its marks.
struct MergeTreePartReader::Stream
{
    Stream(const MergeTreePart & part_, const std::string & name, const PartSettings & settings)
        : part(part_),
          data_file(name + ".bin"),
          path(part.pathOf(data_file)),
          marks(part.readMarks(name)),
          file_size(fileSize(path)),
          file(path, bufferSizeFor(file_size)),
          frames(file, settings.frame_limits)
    {
    }

    /// Goes to a mark. When what lies before it was read last, that must have ended there.
    void seek(size_t granule, size_t mark)
    {
        /// Who only wants to know which columns there are does not pay for it.
        if (!checked)
            part.checkHashOf(data_file);
        checked = true;
        const CompressedPosition position = marks.position(granule, mark);
        if (position.offset_in_file > file_size)
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat("The mark points to byte ", position.offset_in_file, ", behind the end of the file at byte ", file_size));
        const size_t number = granule * marks_of_granule + mark;
        if (dictionary)
            return dictionary->seek(position, read_until == number);
        const bool must_be_here = number != 0 && read_until == number && !frames.isAt(position);
        const CompressedPosition end = frames.getPosition();
        frames.seek(position);
        /// The end of a frame is the begin of the next; of a frame that was read straight to its place only another look tells where it ended.
        if (must_be_here && !(frames.getPosition() == end))
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat(
                    "The mark points to byte ",
                    position.offset_in_block,
                    " of the frame at byte ",
                    position.offset_in_file,
                    ", but what lies before it ends at byte ",
                    end.offset_in_block,
                    " of the frame at byte ",
                    end.offset_in_file));
    }

    /// Behind the last granule.
    void passLastDictionary()
    {
        try
        {
            dictionary->finish();
        }
        catch (Exception & e)
        {
            e.addMessage(concat("while reading the last dictionary in the file ", path, ", at byte ", file.count()));
            throw;
        }
    }

    const MergeTreePart & part;
    std::string data_file;
    bool checked = false;
    std::string path;
    MergeTreeMarks marks;
    UInt64 file_size;
    ReadBufferFromFilePRead file;
    SeekableCompressedReadBuffer frames;
    /// Where it has the dictionaries of LowCardinality.
    std::unique_ptr<MergeTreeDictionary> dictionary;
    size_t marks_of_granule = 1;
    /// The number of the mark before which everything since the last seek was read; 0 for nothing.
    size_t read_until = 0;
};

/// A column that is read.
struct MergeTreePartReader::Column : MergeTreeSubstreams
{
    [[nodiscard]] ReadBuffer & get(size_t stream) override
    {
        current = streams[stream];
        return current->frames;
    }
    [[nodiscard]] SharedKeys getSharedKeys(size_t stream) override
    {
        if (!streams[stream]->dictionary)
            return {};
        return [this, stream](bool update) -> const IColumn & {
            Stream * indexes = std::exchange(current, streams[stream]);
            const IColumn & keys = current->dictionary->keys(update);
            current = indexes;
            return keys;
        };
    }

    std::string name;
    MergeTreeColumnLayout layout;
    /// Those of the layout: in a compact part the same for all.
    std::vector<Stream *> streams;
    Stream * current = nullptr;
    /// The first mark of the column in a granule, and the one behind its last.
    size_t first_mark = 0;
    size_t end_mark = 1;
};

MergeTreePartReader::~MergeTreePartReader() = default;

MergeTreePartReader::MergeTreePartReader(const std::string & folder, const std::vector<std::string> & names, const PartSettings & settings_)
    : MergeTreePartReader(MergeTreePart(folder, settings_), names, settings_)
{
}

MergeTreePartReader::MergeTreePartReader(MergeTreePart part_, const std::vector<std::string> & names, const PartSettings & settings_)
    : settings(settings_), part(std::move(part_))
{
    for (const std::string & name : names)
        addColumn(name);
    if (names.empty())
        for (const MergeTreeColumn & column : part.columns().columns())
            if (column.name != ROW_EXISTS)
                addColumn(column.name);
    openStreams();
}

MergeTreePartReader::MergeTreePartReader(const std::string & folder, const NamesAndTypes & wanted, const PartSettings & settings_)
    : settings(settings_), part(folder, settings_)
{
    for (const NameAndType & column : wanted)
    {
        addColumn(column.name);
        if (!structure.back().type->equals(*column.type))
            throwError(
                ErrorCodes::TYPE_MISMATCH,
                concat(
                    "Column ",
                    quoteName(column.name),
                    " of the part ",
                    part.folder(),
                    " has type ",
                    structure.back().type->getName(),
                    ", expected ",
                    column.type->getName()));
    }
    openStreams();
}

std::unique_ptr<MergeTreePartReader::Column> MergeTreePartReader::makeColumn(const std::string & name) const
{
    const std::optional<size_t> position = part.columns().find(name);
    if (!position)
        throwError(ErrorCodes::UNKNOWN_IDENTIFIER, concat("There is no column ", quoteName(name), " in the part ", part.folder()));
    const MergeTreeColumn & description = part.columns().columns()[*position];
    auto column = std::make_unique<Column>();
    column->name = name;
    try
    {
        column->layout = makeLayout(description, part.columns());
    }
    catch (Exception & e)
    {
        e.addMessage(concat("while looking at column ", quoteName(name), " of the part ", part.folder()));
        throw;
    }
    column->first_mark = part.isCompact() ? part.firstStreamOf(*position) : 0;
    column->end_mark = part.isCompact() ? part.firstStreamOf(*position + 1) : 1;
    return column;
}

void MergeTreePartReader::addColumn(const std::string & name)
{
    wanted_columns.push_back(makeColumn(name));
    structure.push_back({name, wanted_columns.back()->layout.root.type});
}

MergeTreePartReader::Stream & MergeTreePartReader::openStream(const std::string & name)
{
    Stream & stream = *streams.emplace_back(std::make_unique<Stream>(part, name, settings));
    if (part.isCompact())
        stream.marks_of_granule = part.firstStreamOf(part.columns().columns().size());
    if (!stream.marks.sameGranules(streams.front()->marks))
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("The marks of the files ", streams.front()->path, " and ", stream.path, " cut other granules"));
    return stream;
}

void MergeTreePartReader::openStreams()
{
    if (part.columns().find(ROW_EXISTS))
    {
        row_exists = makeColumn(std::string(ROW_EXISTS));
        if (row_exists->layout.root.type->getTypeId() != TypeIndex::UInt8)
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat(
                    "The column ",
                    ROW_EXISTS,
                    " of the part ",
                    part.folder(),
                    " is no UInt8 but ",
                    row_exists->layout.root.type->getName()));
    }
    Stream * const data = part.isCompact() ? &openStream(COMPACT_DATA) : nullptr;
    const auto open = [&](Column & column) {
        for (const MergeTreeStream & stream : column.layout.streams)
        {
            column.streams.push_back(data ? data : &openStream(part.fileOf(stream.name)));
            if (stream.dictionaries_of && !data)
                column.streams.back()->dictionary
                    = std::make_unique<MergeTreeDictionary>(column.streams.back()->frames, stream.dictionaries_of);
        }
    };
    for (const auto & column : wanted_columns)
        open(*column);
    if (row_exists)
        open(*row_exists);
    end_granule = granules();
    if (settings.only_granule)
    {
        requireGranule(*settings.only_granule);
        next_granule = *settings.only_granule;
        end_granule = next_granule + 1;
    }
}

size_t MergeTreePartReader::granules() const noexcept { return streams.empty() ? 0 : streams.front()->marks.granules(); }
UInt64 MergeTreePartReader::rowsOf(size_t granule) const noexcept { return streams.front()->marks.rowsOf(granule); }

template <typename Take>
void MergeTreePartReader::takeColumn(size_t granule, Column & column, Take && take)
{
    column.current = column.streams.front();
    try
    {
        /// In a compact part the streams of a column follow each other, so the first one's mark is enough.
        const size_t seeks = part.isCompact() ? 1 : column.streams.size();
        for (size_t j = 0; j < seeks; ++j)
        {
            column.current = column.streams[j];
            column.current->seek(granule, column.first_mark);
        }
        /// What a file of its own has once stands before each granule of a compact part.
        if (part.isCompact())
            column.layout.root.type->deserializeBinaryBulkStatePrefix(column.current->frames);
        take(column);
        for (Stream * stream : column.streams)
            stream->read_until = granule * stream->marks_of_granule + column.end_mark;
    }
    catch (Exception & e)
    {
        e.addMessage(concat(
            "while reading granule ",
            granule,
            ", column ",
            quoteName(column.name),
            ", in the file ",
            column.current->path,
            " with the marks ",
            column.current->marks.file(),
            ", at byte ",
            column.current->file.count()));
        throw;
    }
}

void MergeTreePartReader::takeGranule(size_t granule, const TakeStreams & take)
{
    for (size_t i = 0; i < wanted_columns.size(); ++i)
        takeColumn(granule, *wanted_columns[i], [&](Column & column) { take(i, column.layout.root, rowsOf(granule), column); });
}

void MergeTreePartReader::readColumn(size_t granule, Column & column, IColumn & to)
{
    takeColumn(granule, column, [&](Column & streams) { readGranuleValues(streams.layout.root, to, rowsOf(granule), streams); });
}

void MergeTreePartReader::appendGranule(size_t granule, std::vector<MutableColumnPtr> & columns)
{
    ColumnUInt8 exists;
    if (row_exists)
        readColumn(granule, *row_exists, exists);
    const bool any_deleted = std::find(exists.getData().begin(), exists.getData().end(), 0) != exists.getData().end();
    for (size_t i = 0; i < wanted_columns.size(); ++i)
    {
        if (!any_deleted)
        {
            readColumn(granule, *wanted_columns[i], *columns[i]);
            continue;
        }
        const MutableColumnPtr all = columns[i]->cloneEmpty();
        readColumn(granule, *wanted_columns[i], *all);
        for (size_t row = 0; row < all->size(); ++row)
            if (exists.getData()[row] != 0)
                columns[i]->insertFrom(*all, row);
    }
}

std::vector<MutableColumnPtr> MergeTreePartReader::createColumns() const
{
    std::vector<MutableColumnPtr> columns;
    for (const auto & column : wanted_columns)
        columns.push_back(column->layout.root.type->createColumn());
    return columns;
}

Block MergeTreePartReader::makeBlock(std::vector<MutableColumnPtr> && columns) const
{
    Block block;
    for (size_t i = 0; i < structure.size(); ++i)
        block.insert({std::move(columns[i]), structure[i].type, structure[i].name});
    return block;
}

void MergeTreePartReader::requireGranule(UInt64 granule) const
{
    if (granule >= granules())
        throwError(
            ErrorCodes::ARGUMENT_OUT_OF_BOUND,
            concat("There is no granule ", granule, " in the part ", part.folder(), ", which has ", granules()));
}

Block MergeTreePartReader::readGranule(size_t granule)
{
    requireGranule(granule);
    std::vector<MutableColumnPtr> columns = createColumns();
    appendGranule(granule, columns);
    next_granule = granule + 1;
    return makeBlock(std::move(columns));
}

UInt64 MergeTreePartReader::bytesPassed() const noexcept
{
    UInt64 total = 0;
    for (const auto & stream : streams)
        total += stream->frames.count();
    return total;
}

void MergeTreePartReader::finish()
{
    /// The last column of a compact part, which was read before the others.
    if (row_exists && part.isCompact() && granules() != 0)
    {
        ColumnUInt8 exists;
        readColumn(granules() - 1, *row_exists, exists);
    }
    for (const auto & stream : streams)
    {
        const size_t all_marks = stream->marks.granules() * stream->marks_of_granule;
        if (stream->read_until == all_marks && all_marks != 0 && stream->dictionary)
            stream->passLastDictionary();
        if (stream->read_until == all_marks && all_marks != 0 && !stream->frames.eof())
            throwError(
                ErrorCodes::INCORRECT_DATA,
                concat(
                    "The file ", stream->path, " goes on behind the last of its ", part.rows(), " rows, at byte ", stream->file.count()));
    }
}

bool MergeTreePartReader::read(Block & block)
{
    block.clear();
    std::vector<MutableColumnPtr> columns = createColumns();
    if (columns.empty())
        return false;
    const UInt64 begin = bytesPassed();
    const auto rows = [&] { return columns.front()->size(); };
    while (next_granule < end_granule && rows() < settings.max_block_rows
           && (rows() == 0 || bytesPassed() - begin < settings.max_block_bytes))
        appendGranule(next_granule++, columns);
    if (next_granule == granules())
        finish();
    if (rows() == 0)
        return false;
    rows_read += rows();
    block = makeBlock(std::move(columns));
    return true;
}

std::unique_ptr<MergeTreePartReader> openPart(
    const std::string & folder,
    const std::optional<NamesAndTypes> & structure,
    const PartSettings & settings,
    std::vector<UnreadableColumn> * left_out)
{
    if (structure)
        return std::make_unique<MergeTreePartReader>(folder, *structure, settings);
    MergeTreePart part(folder, settings);
    std::vector<std::string> readable;
    for (size_t i = 0; i < part.columns().columns().size(); ++i)
    {
        const MergeTreeColumn & column = part.columns().columns()[i];
        if (column.name == ROW_EXISTS)
            continue;
        try
        {
            if (!areCodecsKnown(part, i, makeLayout(column, part.columns())))
                throwError(ErrorCodes::UNKNOWN_CODEC, "It has a codec that is not read");
            readable.push_back(column.name);
        }
        catch (const Exception & e)
        {
            if (left_out)
                left_out->push_back({column.name, column.type_name, e.code(), e.message()});
        }
    }
    if (readable.empty())
        throwError(
            ErrorCodes::NOT_IMPLEMENTED, concat("The part ", part.folder(), " has no column of a type and codec that are read here"));
    return std::make_unique<MergeTreePartReader>(std::move(part), readable, settings);
}

}
