#include "GroupBitmapValidation.h"
#include "RowResult.h"
#include "UserDefinedFunction.h"

#include <statewire/AggregateFunctions/RoaringBitmapFunctions.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/Roaring/RoaringQueries.h>
#include <statewire/Roaring/RoaringWriter.h>

using namespace DB;

namespace statewire_udf
{

namespace
{

template <typename T>
void jaccard(RowArguments & row, WriteBuffer & result)
{
    RoaringBitmapState<T> left;
    RoaringBitmapState<T> right;
    row.readBitmap(left);
    row.readBitmap(right);
    writeNumber(BitmapFunctions<T>::jaccard(left, right), result);
}

template <typename T>
void rank(RowArguments & row, WriteBuffer & result)
{
    RoaringBitmapState<T> bitmap;
    row.readBitmap(bitmap);
    writeNumber(BitmapFunctions<T>::rank(bitmap, row.readNumber<T>()), result);
}

template <typename T>
void select(RowArguments & row, WriteBuffer & result)
{
    RoaringBitmapState<T> bitmap;
    row.readBitmap(bitmap);
    const auto index = row.readNumber<UInt64>();
    const std::optional<UInt64> value = bitmap.withSet([&](const RoaringSnapshot & set) { return roaringSelect(set, index); });
    writeNumber<UInt8>(!value, result);
    if (value)
        writeNumber(static_cast<T>(*value), result);
}

template <typename T>
void rangeCardinality(RowArguments & row, WriteBuffer & result)
{
    RoaringBitmapState<T> bitmap;
    row.readBitmap(bitmap);
    const auto start = row.readNumber<UInt64>();
    const auto end = row.readNumber<UInt64>();
    writeNumber(BitmapFunctions<T>::rangeCardinality(bitmap, start, end), result);
}

template <typename T>
void toPortable(RowArguments & row, WriteBuffer & result)
{
    RoaringBitmapState<T> bitmap;
    row.readBitmap(bitmap);
    bitmap.withSet([&](const RoaringSnapshot & set) {
        const RoaringWriter writer(set.cursor(), RoaringBitmapState<T>::FORMAT);
        writeVarUInt(writer.size(), result);
        WriteBufferSink sink(result);
        writer.write(sink);
    });
}

template <typename T>
void fromPortable(RowArguments & row, WriteBuffer & result)
{
    const std::string_view image = row.readString();
    const RoaringView view = RoaringView::parse(image, RoaringBitmapState<T>::FORMAT);
    if (view.sizeInBytes() != image.size())
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("Wrong portable bitmap: it ends at byte ", view.sizeInBytes(), ", but ", image.size(), " bytes were given"));
    RoaringBitmapState<T>::fromBitmap(RoaringBitmap(view)).write(result);
}

template <typename T>
void validate(RowArguments & row, WriteBuffer & result)
{
    writeString(groupBitmapStateError<T>(row.readString()), result);
}

}

#define STATEWIRE_BITMAP_UDF(name, body)                                                                                                   \
    void name##UInt32(RowArguments & row, WriteBuffer & result) { body<UInt32>(row, result); }                                             \
    void name##UInt64(RowArguments & row, WriteBuffer & result) { body<UInt64>(row, result); }
STATEWIRE_BITMAP_UDF(bitmapJaccard, jaccard)
STATEWIRE_BITMAP_UDF(bitmapRank, rank)
STATEWIRE_BITMAP_UDF(bitmapSelect, select)
STATEWIRE_BITMAP_UDF(bitmapRangeCardinality, rangeCardinality)
STATEWIRE_BITMAP_UDF(bitmapValidate, validate)
STATEWIRE_BITMAP_UDF(bitmapToPortable, toPortable)
STATEWIRE_BITMAP_UDF(bitmapFromPortable, fromPortable)
#undef STATEWIRE_BITMAP_UDF

}
