#include "Vectors.h"

#include <statewire/Common/Exception.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Roaring/RoaringExpand.h>
#include <statewire/Roaring/RoaringForeignFormats.h>

#include <memory>
#include <random>

using namespace DB;
using namespace statewire_tests;

namespace
{
std::string portable(const RoaringBitmap & bitmap, RoaringFormat format)
{
    std::string result;
    WriteBufferFromString out(result);
    bitmap.write(out, format);
    out.finalize();
    return result;
}

template <typename F>
std::string messageOf(F && f)
{
    try
    {
        f();
    }
    catch (const Exception & e)
    {
        EXPECT_EQ(e.code(), 117);
        return e.message();
    }
    return {};
}

using Read = RoaringBitmap (*)(std::string_view);

/// Every truncation and thousands of changed bytes: an answer or INCORRECT_DATA, and nothing outside of the bytes (AddressSanitizer).
void torture(const std::string & bytes, Read read)
{
    constexpr UInt64 SEED = 26;
    std::mt19937_64 random(SEED);
    const auto attempt = [&](const std::string & mutated) {
        const std::unique_ptr<char[]> exact(new char[mutated.size()]);
        std::copy(mutated.begin(), mutated.end(), exact.get());
        static_cast<void>(messageOf([&] {
            const RoaringBitmap bitmap = read({exact.get(), mutated.size()});
            static_cast<void>(RoaringView::parse(portable(bitmap, RoaringFormat::Portable64), RoaringFormat::Portable64));
        }));
    };
    for (size_t n = 0; n < std::min<size_t>(bytes.size(), 300); ++n)
        attempt(bytes.substr(0, bytes.size() * n / std::min<size_t>(bytes.size(), 300)));
    for (int round = 0; round < 300; ++round)
    {
        std::string mutated = bytes;
        for (UInt64 n = 1 + random() % 3; n != 0 && !mutated.empty(); --n)
        {
            /// The ends hold the headers.
            const size_t reach = std::min<size_t>(mutated.size(), 40);
            const size_t at = random() % reach;
            mutated[random() % 2 ? at : mutated.size() - 1 - at] = static_cast<char>(random());
        }
        attempt(mutated);
    }
}

RoaringBitmap readDoris(std::string_view bytes)
{
    return readRoaringBitmapValue(bytes, BitmapValueDialect::Doris);
}
RoaringBitmap readJava(std::string_view bytes)
{
    return readRoaringJavaLegacy64(bytes);
}
}

TEST(RoaringForeignFormats, FrozenImagesHoldWhatThePortableOnesDo)
{
    REQUIRE_VECTORS(vectors, "roaring");
    size_t checked = 0;
    for (const auto & entry : std::filesystem::directory_iterator(vectors / "frozen"))
    {
        const auto path = entry.path();
        std::filesystem::path same;
        if (path.extension() == ".frozen32")
            same = vectors / "generated" / path.stem().concat(".bin");
        else if (path.extension() == ".frozen")
            same = std::filesystem::path(path).replace_extension(".portable");
        else
            continue;
        SCOPED_TRACE(path.string());
        const std::string bytes = readFile(path);
        const std::string image = readFile(same);
        const RoaringView view = RoaringView::parse(image, RoaringFormat::Portable32);
        for (size_t shift = 0; shift < 9; ++shift)
        {
            const std::string moved = std::string(shift, 'x') + bytes;
            ASSERT_EQ(readRoaringFrozen32(std::string_view(moved).substr(shift)), RoaringBitmap(view));
        }
        torture(bytes, readRoaringFrozen32);
        ++checked;
    }
    EXPECT_GE(checked, 10u);
}

/// RoaringBitmap#366: {1..33} by Roaring64NavigableMap in its default mode.
TEST(RoaringForeignFormats, JavaLegacyIsReadOnRequestOnly)
{
    const std::string image = fromHex("3b3000000100002000010001002000");
    const std::string legacy = fromHex("00" "00000001" "00000000") + image;
    EXPECT_EQ(readRoaringJavaLegacy64(legacy), RoaringBitmap::range(1, 33));
    const std::string refusal = messageOf([&] { static_cast<void>(RoaringView::parse(legacy, RoaringFormat::Portable64)); });
    EXPECT_NE(refusal.find("Java's legacy Roaring64NavigableMap"), std::string::npos) << refusal;

    /// Signed order: the bucket of negative longs comes first; and the other way round it is refused.
    const std::string signed_order = fromHex("01" "00000002" "ffffffff") + image + fromHex("00000000") + image;
    RoaringBitmap expected = RoaringBitmap::range(1, 33);
    expected.merge(RoaringBitmap::range(0xffffffff00000001, 0xffffffff00000021));
    EXPECT_EQ(readRoaringJavaLegacy64(signed_order), expected);
    EXPECT_NE(messageOf([&] { static_cast<void>(readRoaringJavaLegacy64(std::string(1, char{}) + signed_order.substr(1))); }), "");
    UInt64 consumed = 0;
    EXPECT_EQ(readRoaringJavaLegacy64(legacy + "rest", &consumed), RoaringBitmap::range(1, 33));
    EXPECT_EQ(consumed, legacy.size());
    EXPECT_NE(messageOf([&] { static_cast<void>(readRoaringJavaLegacy64(legacy + "rest")); }), "");
    torture(signed_order, readJava);
}

TEST(RoaringForeignFormats, BitmapValuesOfDorisAndStarRocks)
{
    const auto values = [](const std::string & hex, BitmapValueDialect dialect = BitmapValueDialect::Doris) {
        torture(fromHex(hex), readDoris);
        return roaringToArray(readRoaringBitmapValue(fromHex(hex), dialect));
    };
    using Values = std::vector<UInt64>;
    EXPECT_EQ(values("00"), Values{});
    EXPECT_EQ(values("0107000000"), Values{7});
    EXPECT_EQ(values("030700000001000000"), Values{0x100000007});
    /// Doris' tests: base64 BQQAAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAADAAAAAAAAAA== and BQMBAAAAAAAAAAMAAAAAAAAABQAAAAAAAAA=.
    EXPECT_EQ(values("05040000000000000000010000000000000002000000000000000300000000000000"), (Values{0, 1, 2, 3}));
    EXPECT_EQ(values("0503010000000000000003000000000000000500000000000000"), (Values{1, 3, 5}));
    EXPECT_EQ(values("0a0200000001000000000000000300000000000000", BitmapValueDialect::StarRocks), (Values{1, 3}));
    /// base64 DAI7MAAAAQAAIAABAAAAIAA= is {0..32} in the second version.
    EXPECT_EQ(readDoris(fromHex("0c023b3000000100002000010000002000")), RoaringBitmap::range(0, 32));
    EXPECT_EQ(values("0c01020000000500000009000000"), (Values{5, 9}));
    EXPECT_EQ(readDoris(fromHex("023b3000000100002000010000002000")), RoaringBitmap::range(0, 32));
    EXPECT_EQ(values("0401000000003a3000000100000000000000100000000700"), Values{7});
    EXPECT_EQ(values("0d0101000000010100000005000000"), Values{0x100000005});

    /// Doris#52767: one line of text took the process down.
    EXPECT_NE(messageOf([] { static_cast<void>(readDoris(fromHex("02ff030a"))); }), "");
    EXPECT_NE(messageOf([] { static_cast<void>(readDoris("")); }), "");
    EXPECT_NE(messageOf([] { static_cast<void>(readDoris(fromHex("06"))); }), "");
    EXPECT_NE(messageOf([] { static_cast<void>(readDoris(fromHex("0affffffff"))); }), "");
    EXPECT_NE(messageOf([] {
                  static_cast<void>(readRoaringBitmapValue(fromHex("0500"), BitmapValueDialect::StarRocks));
              }), "");
}
