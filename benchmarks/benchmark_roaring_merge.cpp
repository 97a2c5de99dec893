#include "RoaringBenchmark.h"

#include <statewire/Roaring/RoaringMerge.h>

#include <memory>

#if defined(STATEWIRE_HAS_CROARING) && __has_include(<roaring/roaring64map.hh>)
#    include <roaring/roaring64map.hh>
#    define STATEWIRE_HAS_CROARING_MAP 1
#endif

using namespace statewire_benchmarks;

namespace
{
struct Shape
{
    std::string name;
    RoaringFormat format;
    std::vector<std::string> images;
};

std::shared_ptr<Shape> makeShape(const std::string & name)
{
    auto shape = std::make_shared<Shape>();
    shape->name = name;
    shape->format = name == "hash1k" ? RoaringFormat::Portable64 : RoaringFormat::Portable32;
    std::mt19937_64 random(1);
    std::vector<UInt64> hashes(name == "hash1k" ? 1000000 : 0);
    for (UInt64 & hash : hashes)
        hash = random();
    for (int i = 0; i < 1000; ++i)
    {
        RoaringBitmap bitmap;
        if (name == "wide10k")
            for (int j = 0; j < 10000; ++j)
                bitmap.add(random() % 100000000);
        else if (name == "tiny100")
            for (int j = 0; j < 100; ++j)
                bitmap.add(random() & 0xffffffff);
        else if (name == "dense1k")
            for (int j = 0; j < 1000; ++j)
                bitmap.add(random() % 1000000);
        else if (name == "runs")
            for (int j = 0; j < 20; ++j)
            {
                const UInt64 first = random() % 5000000;
                bitmap.addRange(first, first + 499);
            }
        else
            for (int j = 0; j < 1000; ++j)
                bitmap.add(hashes[random() % hashes.size()]);
        shape->images.push_back(serialize(bitmap, shape->format));
    }
    return shape;
}

/// Bytes to bytes.
std::string mergeOurs(const Shape & shape, Validation validation)
{
    std::vector<RoaringView> views;
    views.reserve(shape.images.size());
    for (const std::string & image : shape.images)
        views.push_back(RoaringView::parse(image, shape.format, validation));
    std::string result;
    WriteBufferFromString out(result);
    roaringMerge(SetOperation::Or, views, out, shape.format);
    out.finalize();
    return result;
}

#ifdef STATEWIRE_HAS_CROARING
std::string finish(roaring_bitmap_t * merged)
{
    roaring_bitmap_run_optimize(merged);
    std::string result(roaring_bitmap_portable_size_in_bytes(merged), '\0');
    roaring_bitmap_portable_serialize(merged, result.data());
    roaring_bitmap_free(merged);
    return result;
}

/// As ClickHouse does: each state is read and united.
std::string mergeOneByOne(const Shape & shape)
{
    roaring_bitmap_t * merged = roaring_bitmap_create();
    for (const std::string & image : shape.images)
    {
        roaring_bitmap_t * read = roaring_bitmap_portable_deserialize_safe(image.data(), image.size());
        roaring_bitmap_or_inplace(merged, read);
        roaring_bitmap_free(read);
    }
    return finish(merged);
}

template <typename Merge>
std::string mergeMany(const Shape & shape, bool views, Merge && merge)
{
    std::vector<const roaring_bitmap_t *> opened;
    for (const std::string & image : shape.images)
    {
#    ifdef STATEWIRE_HAS_CROARING_VIEWS
        opened.push_back(
            views ? roaring_bitmap_portable_deserialize_frozen(image.data())
                  : roaring_bitmap_portable_deserialize_safe(image.data(), image.size()));
#    else
        static_cast<void>(views);
        opened.push_back(roaring_bitmap_portable_deserialize_safe(image.data(), image.size()));
#    endif
    }
    roaring_bitmap_t * merged = merge(opened);
    for (const roaring_bitmap_t * bitmap : opened)
        roaring_bitmap_free(bitmap);
    return finish(merged);
}

std::string mergeLazily(const Shape & shape)
{
    return mergeMany(shape, true, [](const std::vector<const roaring_bitmap_t *> & opened) {
        roaring_bitmap_t * merged = roaring_bitmap_create();
        for (const roaring_bitmap_t * bitmap : opened)
            roaring_bitmap_lazy_or_inplace(merged, bitmap, true);
        roaring_bitmap_repair_after_lazy(merged);
        return merged;
    });
}
std::string mergeOrMany(const Shape & shape)
{
    return mergeMany(shape, true, [](std::vector<const roaring_bitmap_t *> & opened) {
        return roaring_bitmap_or_many(opened.size(), opened.data());
    });
}
std::string mergeByHeap(const Shape & shape)
{
    return mergeMany(shape, false, [](std::vector<const roaring_bitmap_t *> & opened) {
        return roaring_bitmap_or_many_heap(static_cast<uint32_t>(opened.size()), opened.data());
    });
}
#endif

#ifdef STATEWIRE_HAS_CROARING_MAP
std::string finish(roaring::Roaring64Map & merged)
{
    merged.runOptimize();
    std::string result(merged.getSizeInBytes(true), '\0');
    merged.write(result.data(), true);
    return result;
}
std::string mergeMapsOneByOne(const Shape & shape)
{
    roaring::Roaring64Map merged;
    for (const std::string & image : shape.images)
        merged |= roaring::Roaring64Map::readSafe(image.data(), image.size());
    return finish(merged);
}
std::string mergeMaps(const Shape & shape)
{
    std::vector<roaring::Roaring64Map> maps;
    for (const std::string & image : shape.images)
        maps.push_back(roaring::Roaring64Map::readSafe(image.data(), image.size()));
    std::vector<const roaring::Roaring64Map *> pointers;
    for (const auto & map : maps)
        pointers.push_back(&map);
    roaring::Roaring64Map merged = roaring::Roaring64Map::fastunion(pointers.size(), pointers.data());
    return finish(merged);
}
#endif

const int registered = [] {
    for (const char * name : {"wide10k", "tiny100", "dense1k", "runs", "hash1k"})
    {
        const auto shape = makeShape(name);
        const std::string prefix = std::string("BM_RoaringMerge1000/") + name;
        const auto trusted = [shape] { benchmark::DoNotOptimize(mergeOurs(*shape, Validation::Structure).size()); };
        const auto validated = [shape] { benchmark::DoNotOptimize(mergeOurs(*shape, Validation::Full).size()); };
        [[maybe_unused]] const auto against = [&](const std::string & peer, const std::function<void()> & job, int pairs = 15) {
            registerPair({prefix + "/trusted/" + peer, trusted, job, "Structure", pairs});
        };
        if (shape->format == RoaringFormat::Portable32)
        {
#ifdef STATEWIRE_HAS_CROARING
            const auto one_by_one = [shape] { benchmark::DoNotOptimize(mergeOneByOne(*shape).size()); };
            against("lazy", [shape] { benchmark::DoNotOptimize(mergeLazily(*shape).size()); });
            against("or_many", [shape] { benchmark::DoNotOptimize(mergeOrMany(*shape).size()); });
            against("heap", [shape] { benchmark::DoNotOptimize(mergeByHeap(*shape).size()); });
            against("as_clickhouse", one_by_one);
            registerPair({prefix + "/validated/as_clickhouse", validated, one_by_one, "Full", 15});
            continue;
#endif
        }
        else
        {
#ifdef STATEWIRE_HAS_CROARING_MAP
            against("fastunion", [shape] { benchmark::DoNotOptimize(mergeMaps(*shape).size()); });
            registerPair(
                {prefix + "/validated/as_clickhouse", validated, [shape] { benchmark::DoNotOptimize(mergeMapsOneByOne(*shape).size()); },
                 "Full", 15});
            continue;
#endif
        }
        registerPair({prefix + "/trusted", trusted, {}, "Structure"});
        registerPair({prefix + "/validated", validated, {}, "Full"});
    }
    return 0;
}();
}
