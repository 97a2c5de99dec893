#include "../Columns/ColumnArray.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeArray.h"
#include "../base/unaligned.h"
#include "AggregateFunctionFactory.h"
#include "ArrayArguments.h"
#include "IAggregateFunctionCombinator.h"
#include "registerAggregateFunctions.h"

#include <algorithm>
#include <memory>

namespace DB::inline statewire
{

namespace
{

/** -ForEach: the nested function over each position of its arguments, which are arrays of one size in each row; the result is an array as
  * long as the longest of them.
  *
  * State's bytes: the number of positions as UInt64, little-endian, then the nested states. When an element cannot be added or merged,
  * those at lower positions may stay; there are never more positions than before.
  */
class AggregateFunctionForEach final : public IAggregateFunctionCombinator<AggregateFunctionForEach>
{
    /// The states of all positions, in blocks that never move.
    struct Data
    {
        TrackedVector<AggregateDataPtr> places;
        TrackedVector<TrackedArray<char>> blocks;
    };

    /// A state read from bytes grows with them, in pieces of at least this many positions.
    static constexpr size_t FIRST_READ = 8;

public:
    AggregateFunctionForEach(const AggregateFunctionPtr & nested_, const DataTypes & argument_types_)
        : IAggregateFunctionCombinator(nested_, argument_types_, std::make_shared<DataTypeArray>(nested_->getResultType())),
          stride((nested_->sizeOfData() + nested_->alignOfData() - 1) / nested_->alignOfData() * nested_->alignOfData())
    {
    }

    [[nodiscard]] std::string getName() const override { return nested->getName() + "ForEach"; }
    [[nodiscard]] bool isState() const noexcept override { return false; }

    [[nodiscard]] size_t sizeOfData() const noexcept override { return sizeof(Data); }
    [[nodiscard]] size_t alignOfData() const noexcept override { return alignof(Data); }
    [[nodiscard]] bool hasTrivialDestructor() const noexcept override { return false; }
    void create(AggregateDataPtr place) const override { new (place) Data; }
    void destroy(AggregateDataPtr place) const noexcept override
    {
        Data & state = data(place);
        for (AggregateDataPtr nested_place : state.places)
            nested->destroy(nested_place);
        state.~Data();
    }
    [[nodiscard]] size_t heldBytes(ConstAggregateDataPtr place) const noexcept override
    {
        const Data & state = data(place);
        size_t bytes = state.places.capacity() * sizeof(AggregateDataPtr) + state.blocks.capacity() * sizeof(state.blocks.front());
        for (const TrackedArray<char> & block : state.blocks)
            bytes += block.size();
        for (ConstAggregateDataPtr nested_place : state.places)
            bytes += nested->heldBytes(nested_place);
        return bytes;
    }
    void seal(AggregateDataPtr place) const override
    {
        for (AggregateDataPtr nested_place : data(place).places)
            nested->seal(nested_place);
    }

    void add(AggregateDataPtr place, const IColumn ** columns, size_t row, Arena * arena) const override
    {
        ArrayArguments arrays(*this, columns, row, row + 1);
        const size_t begin = arrays.begin(row);
        growFor(data(place), arrays.end(row) - begin, [&](Data & state) {
            for (size_t i = begin; i < arrays.end(row); ++i)
                nested->add(state.places[i - begin], arrays.elements(), i, arena);
        });
    }

    /// All elements of the rows in one call of the nested function, each with the place of its position.
    void addBatch(
        size_t row_begin, size_t row_end, AggregateDataPtr * places, size_t place_offset, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        addRows(row_begin, row_end, columns, arena, [&](size_t row) {
            return places[row] && (!flags || flags[row]) ? places[row] + place_offset : nullptr;
        });
    }

    void addBatchSinglePlace(
        size_t row_begin, size_t row_end, AggregateDataPtr place, const IColumn ** columns, Arena * arena,
        std::ptrdiff_t if_argument_pos) const override
    {
        const UInt8 * flags = flagsOf(columns, if_argument_pos);
        addRows(row_begin, row_end, columns, arena, [&](size_t row) { return !flags || flags[row] ? place : nullptr; });
    }

    void merge(AggregateDataPtr place, ConstAggregateDataPtr rhs, Arena * arena) const override
    {
        const Data & other = data(rhs);
        growFor(data(place), other.places.size(), [&](Data & state) {
            for (size_t i = 0; i < other.places.size(); ++i)
                nested->merge(state.places[i], other.places[i], arena);
        });
    }

    void serialize(ConstAggregateDataPtr place, WriteBuffer & out, std::optional<size_t> version) const override
    {
        const Data & state = data(place);
        char size[sizeof(UInt64)];
        unalignedStoreLittleEndian<UInt64>(size, state.places.size());
        out.write(size, sizeof(size));
        nested->serializeBatch(state.places, 0, state.places.size(), out, version);
    }

    void deserialize(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version, Arena * arena) const override
    {
        char bytes[sizeof(UInt64)];
        in.readStrict(bytes, sizeof(bytes));
        const auto size = unalignedLoadLittleEndian<UInt64>(bytes);
        if (size > DataTypeArray::MAX_SIZE)
            throwError(
                ErrorCodes::TOO_LARGE_ARRAY_SIZE,
                concat("A state of ", getName(), " has ", size, " positions, more than the limit of ", DataTypeArray::MAX_SIZE));
        growFor(data(place), 0, [&](Data & state) {
            for (UInt64 i = 0; i < size; ++i)
            {
                if (i == state.places.size())
                    grow(state, static_cast<size_t>(std::min<UInt64>(size, std::max<size_t>(2 * i, FIRST_READ))));
                nested->deserialize(state.places[i], in, version, arena);
            }
        });
    }
    void deserializeAndMerge(AggregateDataPtr place, ReadBuffer & in, std::optional<size_t> version) const override
    {
        deserializeWholeAndMerge(place, in, version);
    }

    void insertResultInto(AggregateDataPtr place, IColumn & to, Arena * arena) const override
    {
        auto & arrays = static_cast<ColumnArray &>(to);
        try
        {
            for (AggregateDataPtr nested_place : data(place).places)
                nested->insertResultInto(nested_place, arrays.getData(), arena);
            arrays.closeRow();
        }
        catch (...)
        {
            arrays.dropOpenRow();
            throw;
        }
    }

private:
    [[nodiscard]] static Data & data(AggregateDataPtr place) noexcept { return *std::launder(reinterpret_cast<Data *>(place)); }
    [[nodiscard]] static const Data & data(ConstAggregateDataPtr place) noexcept
    {
        return *std::launder(reinterpret_cast<const Data *>(place));
    }

    /// Adds fresh states up to `size` positions.
    void grow(Data & state, size_t size) const
    {
        if (size <= state.places.size())
            return;
        const size_t added = size - state.places.size();
        state.places.reserve(size);
        state.blocks.push_back(TrackedArray<char>(added * stride));
        char * const block = state.blocks.back().data();
        for (size_t i = 0; i < added; ++i)
        {
            nested->create(block + i * stride);
            state.places.push_back(block + i * stride);
        }
    }

    /// How large a state is, to go back to.
    struct Size
    {
        Data & state;
        size_t places = state.places.size();
        size_t blocks = state.blocks.size();
    };

    /// Destroys what was added since, and frees its memory.
    void shrink(const Size & before) const noexcept
    {
        Data & state = before.state;
        for (; state.places.size() > before.places; state.places.pop_back())
            nested->destroy(state.places.back());
        while (state.blocks.size() > before.blocks)
            state.blocks.pop_back();
    }

    /// Calls f(state) with at least `size` positions. When it throws, there are as many as before.
    template <typename F>
    void growFor(Data & state, size_t size, F && f) const
    {
        const Size before{state};
        try
        {
            grow(state, size);
            f(state);
        }
        catch (...)
        {
            shrink(before);
            throw;
        }
    }

    /// place_of(row) is null for a row that is passed over.
    template <typename PlaceOf>
    void addRows(size_t row_begin, size_t row_end, const IColumn ** columns, Arena * arena, PlaceOf && place_of) const
    {
        if (row_begin == row_end)
            return;
        ArrayArguments arrays(*this, columns, row_begin, row_end);
        TrackedVector<AggregateDataPtr> element_places(arrays.end(row_end - 1));
        TrackedVector<Size> grown;
        try
        {
            for (size_t row = row_begin; row < row_end; ++row)
            {
                AggregateDataPtr place = place_of(row);
                if (!place)
                    continue;
                Data & state = data(place);
                const size_t size = arrays.end(row) - arrays.begin(row);
                if (size > state.places.size())
                {
                    grown.push_back({state});
                    grow(state, size);
                }
                std::copy_n(state.places.begin(), size, element_places.begin() + static_cast<std::ptrdiff_t>(arrays.begin(row)));
            }
            nested->addBatch(arrays.begin(row_begin), arrays.end(row_end - 1), element_places.data(), 0, arrays.elements(), arena, -1);
        }
        catch (...)
        {
            while (!grown.empty())
            {
                shrink(grown.back());
                grown.pop_back();
            }
            throw;
        }
    }

    size_t stride;
};

AggregateFunctionPtr
create(const AggregateFunctionFactory & factory, std::string_view nested_name, const DataTypes & argument_types, const Array & parameters)
{
    const DataTypes nested_types = elementTypes(argument_types, concat(nested_name, "ForEach"));
    return std::make_shared<AggregateFunctionForEach>(factory.get(nested_name, nested_types, parameters), argument_types);
}

}

void registerAggregateFunctionCombinatorForEach(AggregateFunctionFactory & factory)
{
    factory.registerCombinator("ForEach", create);
}

}
