#include "../fuzz/fuzz_count_min_beyond.cpp"
#include "../fuzz/fuzz_count_min_image.cpp"
#include "../fuzz/fuzz_count_min_state.cpp"

#include "Vectors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

namespace
{
using Target = int (*)(const std::uint8_t *, std::size_t);

void run(Target target, const std::string & bytes)
{
    EXPECT_EQ(target(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()), 0);
}

/// Every file of the corpus as it is, then with bytes changed.
void replay(const char * subject, Target target)
{
    constexpr DB::UInt64 SEED = 20261130;
    std::mt19937_64 random(SEED);
    size_t files = 0;
    for (const auto & entry : std::filesystem::directory_iterator(
             statewire_tests::sourceDirectory() / "fuzz" / "corpus" / subject))
    {
        SCOPED_TRACE(entry.path().string() + " seed " + std::to_string(SEED));
        const std::string bytes = statewire_tests::readFile(entry.path());
        run(target, bytes);
        ++files;
        for (int round = 0; round < 300; ++round)
        {
            std::string damaged = bytes;
            for (DB::UInt64 n = 1 + random() % 3; n != 0 && !damaged.empty(); --n)
                damaged[random() % damaged.size()] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
            damaged.resize(random() % 4 == 0 ? random() % (damaged.size() + 1) : damaged.size());
            run(target, damaged);
        }
    }
    EXPECT_GE(files, 10u) << "the corpus of " << subject << " is missing";
}
}

TEST(FuzzCorpusCountMin, ImagesAreReplayed)
{
    replay("count_min_image", statewire_fuzz::fuzzCountMinImage);
}

TEST(FuzzCorpusCountMin, StatesAreReplayed)
{
    replay("count_min_state", statewire_fuzz::fuzzCountMinState);
}

TEST(FuzzCorpusCountMin, TopKeysAndRangesAreReplayed)
{
    replay("count_min_beyond", statewire_fuzz::fuzzCountMinBeyond);
}
