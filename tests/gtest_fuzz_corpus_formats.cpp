#include "../fuzz/fuzz_part_files.cpp"
#include "../fuzz/fuzz_text_formats.cpp"

#include "Vectors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

namespace
{
void replay(const char * subject, int (*target)(const std::uint8_t *, std::size_t))
{
    std::mt19937_64 random(99);
    ::testing::Test::RecordProperty("seed", 99);
    size_t files = 0;
    for (const auto & entry :
         std::filesystem::directory_iterator(statewire_tests::sourceDirectory() / "fuzz" / "corpus" / subject))
    {
        SCOPED_TRACE(entry.path());
        std::string bytes = statewire_tests::readFile(entry.path());
        const auto run = [&] { return target(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()); };
        EXPECT_EQ(run(), 0);
        for (int i = 0; i < 50 && !bytes.empty(); ++i)
        {
            bytes[random() % bytes.size()] = static_cast<char>(random());
            EXPECT_EQ(run(), 0);
        }
        ++files;
    }
    EXPECT_GE(files, 10u) << "the corpus of " << subject << " is missing";
}
}

TEST(FuzzCorpus, TextFormatsAreReplayed) { replay("text_formats", statewire_fuzz::fuzzTextFormats); }

TEST(FuzzCorpus, PartFilesAreReplayed) { replay("part_files", statewire_fuzz::fuzzPartFiles); }
