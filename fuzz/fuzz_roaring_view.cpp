#include "RoaringTargets.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Roaring/RoaringDirectory.h>
#include <statewire/Roaring/RoaringExpand.h>
#include <statewire/Roaring/RoaringIterator.h>
#include <statewire/Roaring/RoaringMerge.h>
#include <statewire/Roaring/RoaringOperations.h>
#include <statewire/Roaring/RoaringQueries.h>
#include <statewire/Roaring/RoaringSlices.h>
#include <statewire/Roaring/RoaringStatistics.h>
#include <statewire/Roaring/RoaringWriter.h>

#include <iterator>
#include <memory>
#include <string>
#include <vector>

/** Views over bytes that anybody may have written: after Structure nothing may leave the bytes, after Full everything must be right. */
namespace statewire_fuzz
{

using namespace DB;

namespace
{
std::string writeView(RoaringView view)
{
    std::string result;
    WriteBufferFromString out(result);
    WriteBufferSink sink(out);
    const RoaringWriter writer(view.cursor(), view.format());
    writer.write(sink);
    out.finalize();
    require(view.validation() == Validation::Structure || result.size() == writer.size());
    return result;
}

/// Bytes of an expanded set: more ends as an exception, which is right too.
constexpr UInt64 MAX_EXPANSION = 1 << 20;

template <typename F>
void expand(F && f)
{
    try
    {
        f();
    }
    catch (const Exception & e)
    {
        require(e.code() == ErrorCodes::MEMORY_LIMIT_EXCEEDED || e.code() == ErrorCodes::ARGUMENT_OUT_OF_BOUND);
    }
}

/// Asks everything; what is answered matters only to Full views, which the caller checks.
void askEverything(RoaringView view)
{
    UInt64 sum = view.cardinality() + view.empty() + view.contains(0) + view.contains(~UInt64{0}) + view.headerCount() + view.bytes().size();
    const RoaringSnapshot set(view);
    sum += roaringMinimum(set).value_or(0) + roaringMaximum(set).value_or(0);
    const UInt64 probes[] = {0, 1, 12346, 65535, 65536, 0x7fffffff, 0xffffffff, UInt64{1} << 32, UInt64{1} << 63, ~UInt64{0}};
    const RoaringDirectory directory(view);
    for (const UInt64 probe : probes)
    {
        sum += view.contains(probe) + roaringRank(set, probe) + roaringSelect(set, probe).value_or(0) + roaringIndex(set, probe).value_or(0)
            + roaringNext(set, probe).value_or(0) + roaringPrevious(set, probe).value_or(0) + roaringNextAbsent(set, probe).value_or(0)
            + roaringPreviousAbsent(set, probe).value_or(0) + roaringRangeCardinality(set, probe / 2, probe)
            + roaringContainsRange(set, probe / 2, probe) + roaringIntersectsRange(set, probe / 2, probe);
        sum += directory.contains(probe) + directory.rank(probe) + directory.select(probe).value_or(0) + directory.next(probe).value_or(0)
            + directory.previous(probe).value_or(0);
        sum += roaringShift(set, probe, probe % 2, 0xffffffff).cardinality();
        sum += roaringSubset(set, probe / 2, probe).cardinality() + roaringSubsetLimit(set, probe / 2, 1000).cardinality()
            + roaringSlice(set, probe % 5000, 70000).cardinality();
    }
    sum += roaringShift(set, 77777).cardinality() + roaringShift(set, 77777, true).cardinality();
    sum += roaringStatistics(set).describe().size();
    UInt64 first = 0;
    UInt64 last = 0;
    RoaringRangeIterator ranges(set);
    for (int i = 0; i < 100000 && ranges.next(first, last); ++i)
        sum += last - first;
    RoaringBackwardIterator backward(set);
    for (int i = 0; i < 100000 && backward.next(first); ++i)
        sum += first;
    for (const UInt64 probe : probes)
    {
        RoaringBackwardIterator from(set);
        from.seek(probe);
        for (int i = 0; i < 100 && from.next(first); ++i)
            sum += first;
    }
    RoaringBatchIterator batch(set);
    batch.seek(1000);
    std::vector<UInt64> buffer(1000);
    for (int i = 0; i < 100 && batch.read(buffer.data(), buffer.size()) != 0; ++i)
        sum += buffer[0];
    int left = 5000;
    for (const UInt64 value : RoaringValues(set))
        if (sum += value; --left == 0)
            break;
    for (const UInt64 probe : probes)
    {
        RoaringValues values(set);
        values.seek(probe);
        left = 100;
        for (const UInt64 value : values)
            if (sum += value; --left == 0)
                break;
    }
    if (view.cardinality() < 200000)
        forEachValue(set, [&](UInt64 value) { sum += value; });
    RoaringCursor cursor = set.cursor();
    for (const UInt64 probe : probes)
    {
        cursor.seek(probe >> 16);
        if (cursor.valid())
            sum += cursor.key() + cursor.cardinality() + cursor.remainingCardinality() + cursor.copy().cardinality() + cursor.knownSize();
    }
    expand([&] { sum += roaringToArray(set, MAX_EXPANSION).size(); });
    expand([&] { sum += roaringToArray32(set, MAX_EXPANSION).size(); });
    expand([&] { sum += roaringToBits(set, MAX_EXPANSION).size(); });
    /// Uses every answer, whatever it is.
    require(sum != 1 || view.cardinality() <= ~UInt64{0});
}

void combineEverything(RoaringView a, RoaringView b)
{
    for (const auto operation : {SetOperation::And, SetOperation::Or, SetOperation::Xor, SetOperation::AndNot})
    {
        const UInt64 cardinality = roaringCombinedCardinality(operation, a, b);
        RoaringBitmap built = roaringCombine(operation, a, b);
        if (a.validation() == Validation::Full && b.validation() == Validation::Full)
            require(built.cardinality() == cardinality);
        RoaringBitmap in_place(a);
        in_place.combineWith(operation, b);
        if (a.validation() == Validation::Full && b.validation() == Validation::Full)
            require(in_place == built);
        built.optimize();
        built.removeRange(100, 70000);
        built.flip(50, 200000);
        built.add(65536);
        built.remove(65537);
        static_cast<void>(built.serializedSize(RoaringFormat::Portable64));
    }
    static_cast<void>(roaringEquals(a, b));
    static_cast<void>(roaringIntersects(a, b));
    static_cast<void>(roaringIsSubset(a, b));
    static_cast<void>(roaringIsStrictSubset(a, b));
    static_cast<void>(roaringJaccard(a, b));
}

/// Many at once, into an owner and into bytes either way.
void mergeEverything(RoaringView a, RoaringView b)
{
    const bool is_full = a.validation() == Validation::Full && b.validation() == Validation::Full;
    const RoaringView inputs[] = {a, b, a, b, b};
    for (const auto operation : {SetOperation::And, SetOperation::Or, SetOperation::Xor})
    {
        const RoaringBitmap merged = roaringMerge(operation, inputs);
        std::string bytes[2];
        for (const MergeMemory memory : {MergeMemory::OnePass, MergeMemory::TwoPass})
        {
            WriteBufferFromString out(bytes[memory == MergeMemory::TwoPass]);
            roaringMerge(operation, inputs, out, RoaringFormat::Portable64, memory);
            out.finalize();
        }
        if (!is_full)
            continue;
        require(bytes[0] == bytes[1]);
        require(roaringEquals(merged, RoaringView::parse(bytes[0], RoaringFormat::Portable64)));
        RoaringBitmap expected(a);
        for (size_t i = 1; i < std::size(inputs); ++i)
            expected.combineWith(operation, inputs[i]);
        require(merged == expected);
    }
}

/// An owner that shows the view's containers where they lie, changed in every way, and copies of it.
void changeBorrowed(RoaringView view)
{
    RoaringBitmap bitmap = RoaringBitmap::borrow(view);
    const RoaringBitmap copy = bitmap;
    require(bitmap == copy || view.validation() == Validation::Structure);
    bitmap.merge(view);
    for (RoaringCursor at = view.cursor(); at.valid(); at.next())
    {
        bitmap.add(at.key() << 16 | 12345);
        bitmap.remove(at.key() << 16 | 54321);
        if (at.key() > 200)
            break;
    }
    bitmap.seal();
    bitmap.addRange(65000, 66000);
    bitmap.removeRange(10, 65700);
    bitmap.optimize();
    static_cast<void>(bitmap.minimum() + bitmap.maximum() + bitmap.cardinality() + bitmap.heldBytes() + bitmap.contains(65536));
    static_cast<void>(bitmap.serializedSize(RoaringFormat::Portable64));
    static_cast<void>(copy.serializedSize(RoaringFormat::Portable64));
}
}

bool runRoaringView(std::string_view bytes)
{
    if (bytes.empty())
        return false;
    const auto choice = static_cast<UInt8>(bytes[0]);
    const RoaringFormat format = choice & 1 ? RoaringFormat::Portable64 : RoaringFormat::Portable32;
    /// Memory of exactly this size, so that a sanitizer sees one byte too many.
    const size_t size = bytes.size() - 1;
    const std::unique_ptr<char[]> copy(new char[size]);
    std::copy(bytes.begin() + 1, bytes.end(), copy.get());
    const std::string_view image(copy.get(), size);

    RoaringView loose;
    const bool structure = RoaringView::tryParse(image, format, Validation::Structure, loose).ok();
    RoaringView full;
    const bool contents = RoaringView::tryParse(image, format, Validation::Full, full).ok();
    require(structure || !contents);
    if (!structure)
        return false;
    askEverything(loose);
    std::string other_image;
    {
        WriteBufferFromString out(other_image);
        RoaringBitmap other = RoaringBitmap::range(10, 100);
        other.addRange(60000, 140000);
        for (UInt64 i = 0; i < 5000; ++i)
            other.add(200000 + 7 * i);
        other.write(out, format);
        out.finalize();
    }
    const RoaringView other = RoaringView::parse(other_image, format);
    combineEverything(loose, loose);
    combineEverything(loose, other);
    combineEverything(other, loose);
    mergeEverything(loose, other);
    changeBorrowed(loose);
    static_cast<void>(writeView(loose));
    if (!contents)
        return true;
    askEverything(full);
    combineEverything(full, other);
    mergeEverything(full, other);
    changeBorrowed(full);
    const std::string rewritten = writeView(full);
    require(!full.isCanonical() || rewritten == image.substr(0, full.sizeInBytes()));
    const RoaringView again = RoaringView::parse(rewritten, format);
    require(again.isCanonical() && again.cardinality() == full.cardinality() && roaringEquals(again, full));
    require(roaringStatistics(full).cardinality == full.cardinality());
    return false;
}

}

#ifdef STATEWIRE_FUZZER
extern "C" int LLVMFuzzerTestOneInput(const unsigned char * data, size_t size)
{
    statewire_fuzz::runRoaringView({reinterpret_cast<const char *>(data), size});
    return 0;
}
#endif
