#include "../Columns/ColumnString.h"
#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeString.h"
#include "../IO/ReadBufferFromMemory.h"
#include "../IO/WriteBufferFromVector.h"
#include "../Roaring/RoaringForeignFormats.h"
#include "../Roaring/RoaringWriter.h"
#include "BitmapArguments.h"
#include "FunctionFactory.h"
#include "registerFunctions.h"

namespace DB::inline statewire
{

namespace
{

void requireString(std::string_view function, const DataTypes & types, size_t index)
{
    if (types[index]->getTypeId() != TypeIndex::String)
        throwIllegalArgument(function, index, "a String", *types[index]);
}

std::string_view bytesAt(const ColumnWithType & argument, size_t row)
{
    return static_cast<const ColumnString &>(*argument.column)[argument.at(row)];
}

/** bitmapToPortable32, bitmapToPortable64 (bitmap) -> String: the portable Roaring image of the values in their raw form (sign-extended to
  * 32 or 64 bits, read as unsigned), canonical. ARGUMENT_OUT_OF_BOUND for a value that does not fit 32 bits.
  */
class FunctionBitmapToPortable final : public IFunction
{
public:
    FunctionBitmapToPortable(std::string_view name_, RoaringFormat format_) : name(name_), format(format_) { }

    [[nodiscard]] std::string getName() const override { return std::string(name); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(name, argument_types, 1);
        static_cast<void>(requireBitmap(name, argument_types, 0));
        return std::make_shared<DataTypeString>();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        auto result = std::make_shared<ColumnString>();
        dispatchInteger(bitmapElementType(arguments[0]), [&]<typename T>() {
            const StatesArgument<RoaringBitmapState<T>> bitmaps(arguments[0]);
            std::string bytes;
            for (size_t row = 0; row < rows; ++row)
            {
                WriteBufferFromString out(bytes);
                bitmaps[row].withSet([&](const RoaringSnapshot & set) {
                    WriteBufferSink sink(out);
                    RoaringWriter(set.cursor(), format).write(sink);
                });
                out.finalize();
                result->insert(bytes);
            }
        });
        return result;
    }

private:
    std::string_view name;
    RoaringFormat format;
};

RoaringBitmap readPortable(std::string_view bytes, RoaringFormat format)
{
    const RoaringView view = RoaringView::parse(bytes, format);
    if (view.sizeInBytes() != bytes.size())
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("Bytes behind a Roaring bitmap at byte ", view.sizeInBytes(), ": expected the end, found ",
                   bytes.size() - view.sizeInBytes(), " more"));
    return RoaringBitmap(view);
}

/** f(String) -> a bitmap of T: other systems' bytes, in the one layout that the function's name says. Everything is checked; the string is
  * exactly one bitmap.
  */
template <typename T>
class FunctionBitmapFromBytes final : public IFunction
{
public:
    using Read = RoaringBitmap (*)(std::string_view);

    FunctionBitmapFromBytes(std::string_view name_, Read read_) : name(name_), read(read_) { }

    [[nodiscard]] std::string getName() const override { return std::string(name); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(name, argument_types, 1);
        requireString(name, argument_types, 0);
        return bitmapFunction(std::make_shared<DataTypeNumber<T>>())->getStateType();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        return makeBitmaps<T>(arguments, rows, [&](size_t row) {
            try
            {
                return RoaringBitmapState<T>::fromBitmap(read(bytesAt(arguments[0], row)));
            }
            catch (Exception & e)
            {
                e.addMessage(concat("in function ", name, ", row ", row));
                throw;
            }
        });
    }

private:
    std::string_view name;
    Read read;
};

/** bitmapIsValid(bytes, type) -> UInt8: whether a String is exactly one state of groupBitmap over `type`, such as 'UInt32', that reading
  * would accept. BAD_ARGUMENTS for a type that no bitmap has.
  */
class FunctionBitmapIsValid final : public IFunction
{
public:
    static constexpr std::string_view NAME = "bitmapIsValid";

    [[nodiscard]] std::string getName() const override { return std::string(NAME); }

    [[nodiscard]] DataTypePtr getReturnType(const DataTypes & argument_types) const override
    {
        requireArguments(NAME, argument_types, 2);
        requireString(NAME, argument_types, 0);
        requireString(NAME, argument_types, 1);
        return std::make_shared<DataTypeUInt8>();
    }

    [[nodiscard]] ColumnPtr execute(const ColumnsWithTypes & arguments, size_t rows) const override
    {
        return makeNumbers<UInt8>(
            arguments, rows, [&](size_t row) { return isValid(bytesAt(arguments[0], row), bytesAt(arguments[1], row)); });
    }

private:
    [[nodiscard]] static UInt8 isValid(std::string_view bytes, std::string_view type)
    {
        for (const TypeIndex element : {TypeIndex::UInt8, TypeIndex::UInt16, TypeIndex::UInt32, TypeIndex::UInt64, TypeIndex::Int8,
                                        TypeIndex::Int16, TypeIndex::Int32, TypeIndex::Int64})
        {
            std::optional<UInt8> answer;
            dispatchInteger(element, [&]<typename T>() {
                if (DataTypeNumber<T>().getName() == type)
                    answer = isState<T>(bytes);
            });
            if (answer)
                return *answer;
        }
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat("Function ", NAME, " takes the name of an integer type of 8 to 64 bits, not '", type.substr(0, 40), "'"));
    }

    template <typename T>
    [[nodiscard]] static UInt8 isState(std::string_view bytes)
    {
        try
        {
            ReadBufferFromMemory in(bytes);
            RoaringBitmapState<T> state;
            /// The bytes outlive the state, so nothing needs to own them.
            state.read(in, std::shared_ptr<const void>(std::shared_ptr<const void>(), bytes.data()));
            return in.eof();
        }
        catch (const Exception &)
        {
            return 0;
        }
    }
};

template <typename T>
void registerFromBytes(FunctionFactory & factory, std::string_view name, typename FunctionBitmapFromBytes<T>::Read read)
{
    factory.registerFunction(std::make_shared<FunctionBitmapFromBytes<T>>(name, read));
}

}

void registerFunctionsBitmapBytes(FunctionFactory & factory)
{
    factory.registerFunction(std::make_shared<FunctionBitmapToPortable>("bitmapToPortable32", RoaringFormat::Portable32));
    factory.registerFunction(std::make_shared<FunctionBitmapToPortable>("bitmapToPortable64", RoaringFormat::Portable64));
    registerFromBytes<UInt32>(
        factory, "bitmapFromPortable32", [](std::string_view bytes) { return readPortable(bytes, RoaringFormat::Portable32); });
    registerFromBytes<UInt64>(
        factory, "bitmapFromPortable64", [](std::string_view bytes) { return readPortable(bytes, RoaringFormat::Portable64); });
    registerFromBytes<UInt32>(factory, "bitmapFromFrozen32", readRoaringFrozen32);
    registerFromBytes<UInt64>(
        factory, "bitmapFromJavaLegacy64", [](std::string_view bytes) { return readRoaringJavaLegacy64(bytes); });
    registerFromBytes<UInt64>(
        factory, "bitmapFromDoris", [](std::string_view bytes) { return readRoaringBitmapValue(bytes, BitmapValueDialect::Doris); });
    registerFromBytes<UInt64>(
        factory, "bitmapFromStarRocks", [](std::string_view bytes) { return readRoaringBitmapValue(bytes, BitmapValueDialect::StarRocks); });
    factory.registerFunction(std::make_shared<FunctionBitmapIsValid>());
}

}
