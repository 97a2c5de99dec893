#include "../fuzz/fuzz_frames.cpp"
#include "../fuzz/fuzz_zero_copy_reader.cpp"

#include "Vectors.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace
{
void replay(const char * subject, int (*target)(const std::uint8_t *, std::size_t))
{
    size_t files = 0;
    for (const auto & entry :
         std::filesystem::directory_iterator(statewire_tests::sourceDirectory() / "fuzz" / "corpus" / subject))
    {
        SCOPED_TRACE(entry.path());
        const std::string bytes = statewire_tests::readFile(entry.path());
        EXPECT_EQ(target(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()), 0);
        ++files;
    }
    EXPECT_GE(files, 20u) << "the corpus of " << subject << " is missing";
}
}

TEST(FuzzCorpus, FramesAreReplayed) { replay("frames", statewire_fuzz::fuzzFrames); }

TEST(FuzzCorpus, ZeroCopyReaderIsReplayed) { replay("zero_copy_reader", statewire_fuzz::fuzzZeroCopyReader); }
