#include "RoaringBenchmark.h"

#include <statewire/AggregateFunctions/RoaringBitmapState.h>
#include <statewire/Roaring/RoaringDirectory.h>
#include <statewire/Roaring/RoaringExpand.h>
#include <statewire/Roaring/RoaringIterator.h>
#include <statewire/Roaring/RoaringOperations.h>
#include <statewire/Roaring/RoaringView.h>

#include <map>
#include <memory>
#include <numeric>

#if defined(STATEWIRE_HAS_CROARING_VIEWS) && __has_include(<roaring/roaring64map.hh>)
#    include <roaring/roaring64map.hh>
#    define STATEWIRE_HAS_CROARING_MAP_VIEW 1
#endif

/** Every job of Roaring bitmaps except merging, against CRoaring where it is found. */
using namespace statewire_benchmarks;

namespace
{
/// A group of sets in every form that is measured.
struct Group
{
    std::vector<std::vector<UInt32>> values;
    std::vector<RoaringBitmap> owners;
    std::vector<std::string> images;
    std::vector<RoaringView> views;
    /// As CRoaring holds them, run-optimized like ours.
#ifdef STATEWIRE_HAS_CROARING
    std::vector<roaring_bitmap_t *> peers;
#endif

    void add(const std::vector<UInt32> & set)
    {
        RoaringBitmap bitmap;
        bitmap.addMany(std::vector<UInt64>(set.begin(), set.end()));
        bitmap.optimize();
        values.push_back(set);
        images.push_back(serialize(bitmap, RoaringFormat::Portable32));
        owners.push_back(std::move(bitmap));
#ifdef STATEWIRE_HAS_CROARING
        peers.push_back(roaring_bitmap_of_ptr(set.size(), set.data()));
        roaring_bitmap_run_optimize(peers.back());
#endif
    }
    void open()
    {
        for (const std::string & image : images)
            views.push_back(RoaringView::parse(image, RoaringFormat::Portable32));
    }
};

std::shared_ptr<Group> realGroup(const std::string & name)
{
    auto group = std::make_shared<Group>();
    for (const auto & set : readRealSets(name))
        group->add(set);
    group->open();
    return group;
}

std::vector<UInt32> randomSet(std::mt19937_64 & random, size_t n, UInt64 spread)
{
    std::vector<UInt32> result(n);
    for (UInt32 & value : result)
        value = static_cast<UInt32>(random() % spread);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

std::shared_ptr<Group> syntheticGroup(size_t n, UInt64 spread)
{
    std::mt19937_64 random(n + spread);
    auto group = std::make_shared<Group>();
    for (int i = 0; i < 2; ++i)
        group->add(randomSet(random, n, spread));
    group->open();
    return group;
}

const char * nameOf(SetOperation operation)
{
    return operation == SetOperation::And ? "and" : operation == SetOperation::Or ? "or" : operation == SetOperation::Xor ? "xor" : "andnot";
}

#ifdef STATEWIRE_HAS_CROARING
roaring_bitmap_t * combinePeers(SetOperation operation, const roaring_bitmap_t * a, const roaring_bitmap_t * b)
{
    switch (operation)
    {
        case SetOperation::And:
            return roaring_bitmap_and(a, b);
        case SetOperation::Or:
            return roaring_bitmap_or(a, b);
        case SetOperation::Xor:
            return roaring_bitmap_xor(a, b);
        case SetOperation::AndNot:
            return roaring_bitmap_andnot(a, b);
    }
    return nullptr;
}
UInt64 countPeers(SetOperation operation, const roaring_bitmap_t * a, const roaring_bitmap_t * b)
{
    switch (operation)
    {
        case SetOperation::And:
            return roaring_bitmap_and_cardinality(a, b);
        case SetOperation::Or:
            return roaring_bitmap_or_cardinality(a, b);
        case SetOperation::Xor:
            return roaring_bitmap_xor_cardinality(a, b);
        case SetOperation::AndNot:
            return roaring_bitmap_andnot_cardinality(a, b);
    }
    return 0;
}
#endif

/// Ratios of the lines over real data, by what they measure.
std::shared_ptr<std::vector<double>> ratiosOf(const std::string & what)
{
    static std::map<std::string, std::shared_ptr<std::vector<double>>> all;
    auto & result = all[what];
    if (!result)
        result = std::make_shared<std::vector<double>>();
    return result;
}

constexpr SetOperation OPERATIONS[] = {SetOperation::And, SetOperation::Or, SetOperation::Xor, SetOperation::AndNot};
constexpr const char * SIDES[] = {"owners", "views", "owner_view", "view_owner"};

/// Calls f(a, b) for each two neighbours of a group, held as SIDES[side] says.
template <typename F>
void forNeighbours(const Group & group, size_t side, F && f)
{
    const auto walk = [&](const auto & a, const auto & b) {
        for (size_t i = 0; i + 1 < a.size(); ++i)
            f(a[i], b[i + 1]);
    };
    if (side == 0)
        walk(group.owners, group.owners);
    else if (side == 1)
        walk(group.views, group.views);
    else if (side == 2)
        walk(group.owners, group.views);
    else
        walk(group.views, group.owners);
}

void registerOperations(const std::string & name, const std::shared_ptr<Group> & group, bool real)
{
    for (const auto operation : OPERATIONS)
        for (size_t side = 0; side < std::size(SIDES); ++side)
        {
            Pair pair;
            Pair count;
            const std::string what = std::string("/") + SIDES[side] + "/" + nameOf(operation) + "/";
            pair.name = "BM_RoaringPair" + what + name;
            count.name = "BM_RoaringPairCardinality" + what + name;
            pair.trust = count.trust = side == 0 ? "owners" : "views opened with Full";
            if (real)
            {
                pair.ratios = ratiosOf("BM_RoaringPair" + what).get();
                count.ratios = ratiosOf("BM_RoaringPairCardinality" + what).get();
            }
#ifdef STATEWIRE_HAS_CROARING
            pair.peer = [=] {
                for (size_t i = 0; i + 1 < group->peers.size(); ++i)
                    roaring_bitmap_free(combinePeers(operation, group->peers[i], group->peers[i + 1]));
            };
            count.peer = [=] {
                UInt64 sum = 0;
                for (size_t i = 0; i + 1 < group->peers.size(); ++i)
                    sum += countPeers(operation, group->peers[i], group->peers[i + 1]);
                benchmark::DoNotOptimize(sum);
            };
#endif
            pair.ours = [=] {
                forNeighbours(*group, side, [&](const auto & a, const auto & b) {
                    benchmark::DoNotOptimize(roaringCombine(operation, a, b).isSealed());
                });
            };
            count.ours = [=] {
                UInt64 sum = 0;
                forNeighbours(*group, side, [&](const auto & a, const auto & b) { sum += roaringCombinedCardinality(operation, a, b); });
                benchmark::DoNotOptimize(sum);
            };
            registerPair(pair);
            registerPair(count);
        }
}

void registerMeans()
{
    for (const std::string what : {"BM_RoaringPair", "BM_RoaringPairCardinality"})
        for (const auto operation : OPERATIONS)
            for (const std::string side : SIDES)
            {
                const std::string name = what + "/" + side + "/" + nameOf(operation) + "/";
                registerMean(name + "real_sets", ratiosOf(name));
            }
}

void registerOpening(const std::string & name, const std::shared_ptr<Group> & group)
{
    std::function<void()> peer;
    std::function<void()> peer_full;
#ifdef STATEWIRE_HAS_CROARING_VIEWS
    peer = [=] {
        for (const std::string & image : group->images)
            roaring_bitmap_free(roaring_bitmap_portable_deserialize_frozen(image.data()));
    };
    peer_full = [=] {
        for (const std::string & image : group->images)
        {
            const char * reason = nullptr;
            roaring_bitmap_t * view = roaring_bitmap_portable_deserialize_frozen(image.data());
            benchmark::DoNotOptimize(roaring_bitmap_internal_validate(view, &reason));
            roaring_bitmap_free(view);
        }
    };
#endif
    const auto open = [=](Validation validation) {
        for (const std::string & image : group->images)
        {
            RoaringView view;
            benchmark::DoNotOptimize(RoaringView::tryParse(image, RoaringFormat::Portable32, validation, view).ok());
        }
    };
    size_t containers = 0;
    size_t values = 0;
    for (const RoaringView & view : group->views)
    {
        for (RoaringCursor at = view.cursor(); at.valid(); at.next())
            ++containers;
        values += view.cardinality();
    }
    registerPair({"BM_RoaringOpen32/structure/" + name, [=] { open(Validation::Structure); }, peer, "Structure, the peer checks less"});
    Pair full{"BM_RoaringOpen32/full/" + name, [=] { open(Validation::Full); }, peer_full, "Full"};
    full.limit_ns = 5 * static_cast<double>(containers) + 0.15 * static_cast<double>(values);
    full.values = values;
    registerPair(full);
}

void registerValuesOut(const std::string & name, const std::shared_ptr<Group> & group)
{
    std::function<void()> peer;
    std::function<void()> peer_iterate;
#ifdef STATEWIRE_HAS_CROARING
    peer = [=] {
        for (const roaring_bitmap_t * bitmap : group->peers)
        {
            std::vector<uint32_t> values(roaring_bitmap_get_cardinality(bitmap));
            roaring_bitmap_to_uint32_array(bitmap, values.data());
            benchmark::DoNotOptimize(values.data());
        }
    };
    peer_iterate = [=] {
        UInt64 sum = 0;
        for (const roaring_bitmap_t * bitmap : group->peers)
        {
            roaring_uint32_iterator_t * at = roaring_iterator_create(bitmap);
            uint32_t buffer[1024];
            while (const uint32_t n = roaring_uint32_iterator_read(at, buffer, 1024))
                sum += buffer[n - 1];
            roaring_uint32_iterator_free(at);
        }
        benchmark::DoNotOptimize(sum);
    };
#endif
    size_t values = 0;
    for (const RoaringView & view : group->views)
        values += view.cardinality();
    Pair to_array{
        "BM_RoaringToArray/" + name,
        [=] {
            for (const RoaringView & view : group->views)
                benchmark::DoNotOptimize(roaringToArray32(view).data());
        },
        peer, "views opened with Full"};
    Pair iterate{
        "BM_RoaringBatchIterate/" + name,
        [=] {
            UInt64 sum = 0;
            for (const RoaringView & view : group->views)
            {
                RoaringBatchIterator at(view);
                UInt64 buffer[1024];
                while (const size_t n = at.read(buffer, 1024))
                    sum += buffer[n - 1];
            }
            benchmark::DoNotOptimize(sum);
        },
        peer_iterate, "views opened with Full"};
    for (Pair * pair : {&to_array, &iterate})
    {
        pair->values = values;
        registerPair(*pair);
    }
}

void registerBuilding(const std::string & name, std::vector<UInt32> values)
{
    const auto shared = std::make_shared<std::vector<UInt32>>(std::move(values));
    std::function<void()> peer;
#ifdef STATEWIRE_HAS_CROARING
    peer = [=] {
        roaring_bitmap_t * bitmap = roaring_bitmap_create();
        roaring_bitmap_add_many(bitmap, shared->size(), shared->data());
        benchmark::DoNotOptimize(roaring_bitmap_get_cardinality(bitmap));
        roaring_bitmap_free(bitmap);
    };
#endif
    registerPair(
        {"BM_RoaringAddBatch/" + name,
         [=] {
             RoaringBitmapState<UInt32> state;
             state.addBatch(shared->data(), shared->size());
             benchmark::DoNotOptimize(state.cardinality());
         },
         peer, "values", 15});
}

void registerOpening64()
{
    const auto vectors = statewire_tests::findVectors("roaring");
    for (const char * n : {"650", "6500", "65000", "650000", "6500000"})
    {
        if (!vectors)
            return;
        const auto image = std::make_shared<std::string>(
            statewire_tests::readVector(*vectors / "generated" / (std::string("go_seq_") + n + ".bin64")));
        std::function<void()> peer;
#ifdef STATEWIRE_HAS_CROARING_MAP_VIEW
        peer = [=] { benchmark::DoNotOptimize(roaring::Roaring64Map::portableDeserializeFrozen(image->data()).isEmpty()); };
#endif
        Pair pair{
            std::string("BM_RoaringOpen64/structure/go_") + n,
            [=] {
                RoaringView view;
                benchmark::DoNotOptimize(RoaringView::tryParse(*image, RoaringFormat::Portable64, Validation::Structure, view).ok());
            },
            peer, "Structure, the peer checks less"};
        const auto containers = (std::stoul(n) + CONTAINER_VALUES - 1) / CONTAINER_VALUES;
        pair.limit_ns = 15 + 3 * static_cast<double>(containers);
        registerPair(pair);
    }
}

void registerDirectory()
{
    std::mt19937_64 random(5);
    RoaringBitmap bitmap;
    for (UInt64 key = 0; key < 65536; ++key)
        for (int i = 0; i < 10; ++i)
            bitmap.add(key << 16 | (random() & 0xffff));
    const auto image = std::make_shared<std::string>(serialize(bitmap, RoaringFormat::Portable32));
    const RoaringView view = RoaringView::parse(*image, RoaringFormat::Portable32);
    const auto directory = std::make_shared<RoaringDirectory>(view);
    registerPair(
        {"BM_RoaringDirectory/build", [=] { benchmark::DoNotOptimize(RoaringDirectory(view).cardinality() + image->size()); }, {},
         "view opened with Full"});
    const auto seed = std::make_shared<UInt64>(1);
    const auto random_number = [seed] {
        *seed = *seed * 6364136223846793005 + 1442695040888963407;
        return *seed >> 32;
    };
    registerPair(
        {"BM_RoaringDirectory/rank", [=] { benchmark::DoNotOptimize(directory->rank(random_number()) + image->size()); }, {},
         "view opened with Full"});
    registerPair(
        {"BM_RoaringDirectory/select",
         [=] { benchmark::DoNotOptimize(directory->select(random_number() % directory->cardinality()).value_or(0) + image->size()); },
         {},
         "view opened with Full"});
}

const int registered = [] {
    registerOpening64();
    for (const char * name : REAL_SETS)
    {
        const auto group = realGroup(name);
        if (group->views.empty())
            continue;
        registerOpening(name, group);
        registerOperations(name, group, true);
        registerValuesOut(name, group);
    }
    registerMeans();
    const auto dense = syntheticGroup(65000, 260000);
    const auto sparse = syntheticGroup(65000, 64 * 65000);
    const auto isolated = syntheticGroup(65000, UInt64{1} << 32);
    for (const auto & [name, group] : {std::pair{"rand4n", dense}, std::pair{"rand64n", sparse}, std::pair{"rand32", isolated}})
    {
        registerOpening(name, group);
        registerOperations(name, group, false);
        registerValuesOut(name, group);
    }
    /// Two bitsets whose intersection is an array, beside their union: both are ours.
    registerPair(
        {"BM_RoaringBitsetsToArray/or_by_and",
         [=] { benchmark::DoNotOptimize(roaringCombine(SetOperation::And, dense->owners[0], dense->owners[1]).isSealed()); },
         [=] { benchmark::DoNotOptimize(roaringCombine(SetOperation::Or, dense->owners[0], dense->owners[1]).isSealed()); }, "owners"});
    std::mt19937_64 random(9);
    auto sorted = randomSet(random, 650000, 2600000);
    auto shuffled = sorted;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    auto wide = randomSet(random, 650000, UInt64{1} << 32);
    std::shuffle(wide.begin(), wide.end(), random);
    std::vector<UInt32> clustered;
    for (int i = 0; i < 3000; ++i)
        for (UInt32 j = 0, first = static_cast<UInt32>(random() % 100000000); j < 200; ++j)
            clustered.push_back(first + static_cast<UInt32>(random() % 1000));
    registerBuilding("sorted", sorted);
    registerBuilding("shuffled", shuffled);
    registerBuilding("shuffled_wide", wide);
    registerBuilding("clustered", clustered);
    registerDirectory();
    return 0;
}();
}
