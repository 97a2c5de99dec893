#include "DensityPlot.h"
#include "NumberText.h"
#include "StateInspector.h"

#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/DataTypes/DataTypeNumber.h>
#include <statewire/DataTypes/dispatchNumber.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/VarInt.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Roaring/RoaringKernels.h>
#include <statewire/Roaring/RoaringView.h>

#include <algorithm>
#include <optional>

using namespace DB;

namespace statewire_program
{

namespace
{
/** A set of T over containers of raw values. Raw order is T's order, except that negative values stand behind all others: containers never
 * hold both, so what is done in numeric order is done for the negative containers first.
 */
template <typename T>
class BitmapInspector : public StateInspector
{
public:
    void describe(nlohmann::ordered_json & object, const std::vector<std::string> & estimate_keys) const override
    {
        if (!estimate_keys.empty())
            throwError(ErrorCodes::BAD_ARGUMENTS, "Bitmaps have no estimates: --estimate is for count-min sketches");
        UInt64 cardinality = 0;
        std::optional<T> smallest;
        std::optional<T> largest;
        size_t counts[3] = {};
        forEachContainer([&](UInt64 base, ContainerView container) {
            cardinality += containerCardinality(container);
            ++counts[static_cast<size_t>(container.kind)];
            if (!smallest)
                smallest = fromRaw(base | containerMinimum(container));
            largest = fromRaw(base | containerMaximum(container));
        });
        for (const T value : small_values)
        {
            ++cardinality;
            if (!smallest)
                smallest = value;
            largest = value;
        }
        object["kind"] = kindName();
        object["canonical"] = canonical ? nlohmann::ordered_json(*canonical) : nlohmann::ordered_json();
        object["cardinality"] = numberText(cardinality);
        object["min"] = smallest ? nlohmann::ordered_json(numberText(*smallest)) : nlohmann::ordered_json();
        object["max"] = largest ? nlohmann::ordered_json(numberText(*largest)) : nlohmann::ordered_json();
        object["containers"]
            = {{"array", counts[static_cast<size_t>(ContainerKind::Array)]},
               {"bitset", counts[static_cast<size_t>(ContainerKind::Bitset)]},
               {"run", counts[static_cast<size_t>(ContainerKind::Run)]}};
    }

    void printDetails(WriteBuffer & out, size_t plot_width) const override
    {
        size_t bytes_of[3] = {};
        std::optional<T> smallest;
        T largest{};
        forEachPart([&](T first, T last, UInt64, const ContainerView * container) {
            if (container)
                bytes_of[static_cast<size_t>(container->kind)] += container->payloadBytes();
            smallest = smallest.value_or(first);
            largest = last;
        });
        print(concat("container_bytes.array: ", bytes_of[static_cast<size_t>(ContainerKind::Array)], '\n'), out);
        print(concat("container_bytes.bitset: ", bytes_of[static_cast<size_t>(ContainerKind::Bitset)], '\n'), out);
        print(concat("container_bytes.run: ", bytes_of[static_cast<size_t>(ContainerKind::Run)], '\n'), out);
        if (!smallest || plot_width < 3)
            return;
        const auto distance = [&](T value) { return static_cast<UInt64>(value) - static_cast<UInt64>(*smallest); };
        DensityPlot plot(distance(largest), plot_width - 2);
        forEachPart([&](T first, T last, UInt64 count, const ContainerView * container) {
            const size_t column = plot.columnOf(distance(first));
            if (!container || plot.columnOf(distance(last)) == column)
                plot.add(column, count);
            else
                forEachValue(*container, [&](UInt16 low) {
                    plot.add(plot.columnOf(distance(first) - (RoaringBitmapState<T>::toRaw(first) & 0xFFFF) + low), 1);
                });
        });
        print(
            concat(
                "density: ",
                numberText(*smallest),
                " to ",
                numberText(largest),
                ", ",
                plot.valuesAColumn(),
                " numbers a column, at most ",
                plot.fullest(),
                " of them in the set\n|",
                plot.text(),
                "|\n"),
            out);
    }

    void printValues(WriteBuffer & out) const override
    {
        const auto print = [&](T value) {
            DataTypeNumber<T>::print(value, out);
            out.write('\n');
        };
        for (const T value : small_values)
            print(value);
        forEachContainer(
            [&](UInt64 base, ContainerView container) { forEachValue(container, [&](UInt16 low) { print(fromRaw(base | low)); }); });
    }

    [[nodiscard]] UInt64 consumed() const override { return size; }

protected:
    explicit BitmapInspector(std::shared_ptr<const std::string> bytes_) : bytes(std::move(bytes_)) { }

    [[nodiscard]] virtual const char * kindName() const = 0;

    std::shared_ptr<const std::string> bytes;
    UInt64 size = 0;
    /// Nothing where there is no writer to compare with.
    std::optional<bool> canonical;
    /// Ascending; of a small state only.
    std::vector<T> small_values;
    /// Of anything else.
    RoaringView view;

private:
    [[nodiscard]] static T fromRaw(UInt64 raw) noexcept { return RoaringBitmapState<T>::fromRaw(raw); }

    [[nodiscard]] static bool isNegative(UInt64 key) noexcept
    {
        constexpr UInt64 FIRST_NEGATIVE_KEY = sizeof(T) == 8 ? UInt64{1} << 47 : UInt64{1} << 15;
        return std::is_signed_v<T> && key >= FIRST_NEGATIVE_KEY;
    }

    /// Calls f(first, last, count, container) for small values one by one (without a container) and for containers, in numeric order.
    template <typename F>
    void forEachPart(F && f) const
    {
        for (const T value : small_values)
            f(value, value, UInt64{1}, static_cast<const ContainerView *>(nullptr));
        forEachContainer([&](UInt64 base, ContainerView container) {
            f(fromRaw(base | containerMinimum(container)),
              fromRaw(base | containerMaximum(container)),
              UInt64{containerCardinality(container)},
              &container);
        });
    }

    /// Calls f(base, container) in the numeric order of the values, which are base | low.
    template <typename F>
    void forEachContainer(F && f) const
    {
        for (const bool negative : {true, false})
            for (RoaringCursor cursor = view.cursor(); cursor.valid(); cursor.next())
                if (isNegative(cursor.key()) == negative)
                    f(cursor.key() << 16, cursor.container());
    }
};

template <typename T>
class StateBitmapInspector final : public BitmapInspector<T>
{
public:
    explicit StateBitmapInspector(const std::shared_ptr<const std::string> & bytes_) : BitmapInspector<T>(bytes_)
    {
        ReadBufferFromMemory in(*bytes_);
        RoaringBitmapState<T> state;
        state.read(in, bytes_);
        this->size = in.count();

        std::string rewritten;
        WriteBufferFromString out(rewritten);
        state.write(out);
        out.finalize();
        const std::string_view given = std::string_view(*bytes_).substr(0, static_cast<size_t>(this->size));
        this->canonical = rewritten == given;

        if (given[0] == 0)
        {
            state.appendTo(this->small_values);
            std::sort(this->small_values.begin(), this->small_values.end());
            return;
        }
        small = false;
        const char * payload = given.data() + 1;
        UInt64 payload_size = 0;
        static_cast<void>(tryReadVarUInt(payload_size, payload, given.data() + given.size()));
        this->view = RoaringView::parse({payload, static_cast<size_t>(payload_size)}, RoaringBitmapState<T>::FORMAT);
    }

private:
    [[nodiscard]] const char * kindName() const override { return small ? "small" : "bitmap"; }

    bool small = true;
};

template <typename T>
class PortableBitmapInspector final : public BitmapInspector<T>
{
public:
    PortableBitmapInspector(const std::shared_ptr<const std::string> & bytes_, RoaringFormat format) : BitmapInspector<T>(bytes_)
    {
        this->view = RoaringView::parse(*bytes_, format);
        this->size = this->view.sizeInBytes();
        std::string rewritten;
        WriteBufferFromString out(rewritten);
        RoaringBitmap(this->view).write(out, format);
        out.finalize();
        this->canonical = rewritten == this->view.bytes();
    }

private:
    [[nodiscard]] const char * kindName() const override { return sizeof(T) == 8 ? "portable64" : "portable32"; }
};

/// A layout that is read and never written, seen through a portable copy.
class ForeignBitmapInspector final : public BitmapInspector<UInt64>
{
public:
    ForeignBitmapInspector(const std::shared_ptr<const std::string> & bytes_, StateLayout layout_)
        : BitmapInspector<UInt64>(bytes_), layout(layout_)
    {
        const RoaringBitmap bitmap = readRoaringLayout(layout, *bytes_, size);
        WriteBufferFromString out(copy);
        bitmap.write(out, RoaringFormat::Portable64);
        out.finalize();
        view = RoaringView::parse(copy, RoaringFormat::Portable64);
    }

private:
    [[nodiscard]] const char * kindName() const override
    {
        return layout == StateLayout::Frozen32 ? "frozen32" : layout == StateLayout::JavaLegacy64 ? "java64" : "bitmapvalue";
    }

    StateLayout layout;
    std::string copy;
};
}

std::unique_ptr<StateInspector> inspectBitmap(const StateType & type, const std::shared_ptr<const std::string> & bytes)
{
    std::unique_ptr<StateInspector> inspector;
    switch (type.layout)
    {
        case StateLayout::BitmapState:
            dispatchInteger(type.element, [&]<typename T>() { inspector = std::make_unique<StateBitmapInspector<T>>(bytes); });
            return inspector;
        case StateLayout::Portable32:
            return std::make_unique<PortableBitmapInspector<UInt32>>(bytes, RoaringFormat::Portable32);
        case StateLayout::Portable64:
            return std::make_unique<PortableBitmapInspector<UInt64>>(bytes, RoaringFormat::Portable64);
        default:
            return std::make_unique<ForeignBitmapInspector>(bytes, type.layout);
    }
}

}
