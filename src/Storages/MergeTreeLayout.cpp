#include "MergeTreeLayout.h"

#include "PartFiles.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeArray.h"
#include "../DataTypes/DataTypeLowCardinality.h"
#include "../DataTypes/DataTypeNullable.h"
#include "../DataTypes/DataTypeTuple.h"
#include "../DataTypes/StoredDataType.h"
#include "../DataTypes/dispatchNumber.h"
#include "../DataTypes/errorText.h"
#include "../DataTypes/parseDataType.h"

#include <algorithm>

namespace DB::inline statewire
{

namespace
{
/// The part of a name before its first dot, when something stands on both sides: ClickHouse's Nested.
std::string_view nestedTableName(std::string_view column)
{
    const size_t dot = column.find('.');
    return dot == std::string_view::npos || dot == 0 || dot + 1 == column.size() ? column : column.substr(0, dot);
}

class LayoutBuilder
{
public:
    LayoutBuilder(const MergeTreeColumn & column_, const MergeTreeColumns & part_) : column(column_), part(part_) { }

    MergeTreeColumnLayout make()
    {
        MergeTreeColumnLayout result;
        result.root = make(parseDataType(column.type_name), escapeForFileName(column.name), Place{.kind = &column.serialization});
        listed_first.insert(listed_first.end(), listed.begin(), listed.end());
        if (part.haveSubstreams() && column.substreams != listed_first)
            throwOtherStreams();
        result.streams = std::move(streams);
        return result;
    }

private:
    /// Where in the column's type a type stands.
    struct Place
    {
        /// What serialization.json says of it; nothing inside of arrays and Nullable.
        const MergeTreeSerializationKind * kind = nullptr;
        size_t arrays = 0;
        bool is_column = true;
        bool is_in_nullable = false;
    };

    MergeTreeLayout make(const DataTypePtr & type, const std::string & name, const Place & place)
    {
        if (place.kind && !place.kind->other_kind.empty())
            throwError(ErrorCodes::NOT_IMPLEMENTED, concat("Its serialization ", quoteForError(place.kind->other_kind), " is not read"));
        if (const StoredDataType * stored = tryStored(*type); stored && stored->isAlias())
            return make(stored->getStorageType(), name, place);
        MergeTreeLayout layout;
        layout.type = type;
        if (isSparse(*type, name, place))
            layout.sparse_index = add(name + ".sparse.idx");
        switch (type->getTypeId())
        {
            case TypeIndex::Array:
                layout.head = add(
                    place.is_column ? escapeForFileName(nestedTableName(column.name)) + ".size0" : concat(name, ".size", place.arrays));
                layout.nested.push_back(make(
                    static_cast<const DataTypeArray &>(*type).getNestedType(),
                    name,
                    Place{.arrays = place.arrays + 1, .is_column = false}));
                break;
            case TypeIndex::Nullable:
                if (!layout.sparse_index)
                    layout.head = add(name + ".null");
                layout.nested.push_back(
                    make(removeNullable(type), name, Place{.arrays = place.arrays, .is_column = false, .is_in_nullable = true}));
                break;
            case TypeIndex::Tuple:
                addElements(layout, name, place);
                break;
            case TypeIndex::String:
                if (stringsHaveSizes(name, place))
                    layout.head = add(name + ".size");
                layout.values = add(name);
                break;
            default:
                if (tryLowCardinality(*type))
                    layout.dictionary = addDictionary(name, type);
                else if (!isOneStream(*type))
                    throwError(ErrorCodes::NOT_IMPLEMENTED, concat("Columns of type ", type->getName(), " are not read from parts"));
                layout.values = add(name);
        }
        return layout;
    }

    void addElements(MergeTreeLayout & layout, const std::string & name, const Place & place)
    {
        const auto & tuple = static_cast<const DataTypeTuple &>(*layout.type);
        const std::vector<std::string> & names = tuple.getElementNames();
        for (size_t i = 0; i < tuple.getElements().size(); ++i)
        {
            const std::string element = "." + (names.empty() ? std::to_string(i + 1) : names[i]);
            const bool has_kind = place.kind && i < place.kind->elements.size();
            layout.nested.push_back(make(
                tuple.getElements()[i],
                name + escapeForFileName(element),
                Place{.kind = has_kind ? &place.kind->elements[i] : nullptr, .arrays = place.arrays, .is_column = false}));
        }
    }

    [[nodiscard]] bool isListed(const std::string & name) const
    {
        return std::find(column.substreams.begin(), column.substreams.end(), name) != column.substreams.end();
    }

    [[nodiscard]] bool isSparse(const IDataType & type, const std::string & name, const Place & place) const
    {
        if (type.getTypeId() == TypeIndex::Tuple || place.is_in_nullable)
            return false;
        if (part.haveSubstreams())
            return isListed(name + ".sparse.idx");
        return place.kind && place.kind->sparse && (type.getTypeId() != TypeIndex::Nullable || part.nullablesMayBeSparse());
    }

    [[nodiscard]] bool stringsHaveSizes(const std::string & name, const Place & place) const
    {
        if (part.haveSubstreams())
            return isListed(name + ".size");
        return part.stringsHaveSizes() && (part.nestedStringsHaveSizes() || (place.arrays == 0 && !place.is_in_nullable));
    }

    /// Whether values lie in one file as Native has them.
    [[nodiscard]] static bool isOneStream(const IDataType & type) noexcept
    {
        const TypeIndex id = storageOf(type).getTypeId();
        return &textTypeOf(type) == &type
            && (id == TypeIndex::AggregateFunction || sizeOfNumber(id) != 0 || (id == TypeIndex::String && tryStored(type)));
    }

    size_t add(const std::string & name)
    {
        listed.push_back(name);
        streams.push_back({name, nullptr});
        return streams.size() - 1;
    }

    /// What is written before all values comes first in the list: the version, which in compact parts has a name of its own.
    size_t addDictionary(const std::string & name, const DataTypePtr & type)
    {
        const bool has_prefix = isListed(name + ".dict_prefix");
        if (has_prefix)
            listed.push_back(name + ".dict");
        listed_first.push_back(name + (has_prefix ? ".dict_prefix" : ".dict"));
        streams.push_back({name + ".dict", type});
        return streams.size() - 1;
    }

    [[noreturn]] void throwOtherStreams() const
    {
        const auto namesOf = [](const std::vector<std::string> & names) {
            std::string text;
            for (const std::string & name : names)
                text += (text.empty() ? "" : ", ") + name;
            return quoteForError(text);
        };
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat(
                "columns_substreams.txt lists the streams ",
                namesOf(column.substreams),
                ", expected ",
                namesOf(listed_first),
                " for its type"));
    }

    const MergeTreeColumn & column;
    const MergeTreeColumns & part;
    std::vector<MergeTreeStream> streams;
    /// Their names as columns_substreams.txt lists them, in two pieces.
    std::vector<std::string> listed_first;
    std::vector<std::string> listed;
};
}

MergeTreeColumnLayout makeLayout(const MergeTreeColumn & column, const MergeTreeColumns & part)
{
    return LayoutBuilder(column, part).make();
}

}
