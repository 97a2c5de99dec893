#include "../fuzz/fuzz_roaring_program.cpp"
#include "../fuzz/fuzz_roaring_view.cpp"
#include "Vectors.h"

#include <random>

using namespace DB;
using namespace statewire_tests;

namespace
{
template <typename Run>
void replay(const char * corpus, Run && run)
{
    const auto folder = std::filesystem::path(STATEWIRE_SOURCE_DIR) / "fuzz" / "corpus" / corpus;
    size_t files = 0;
    for (const auto & entry : std::filesystem::directory_iterator(folder))
    {
        SCOPED_TRACE(entry.path().string());
        run(readFile(entry.path()));
        ++files;
    }
    EXPECT_GT(files, 0u);
}
}

TEST(FuzzCorpusRoaring, ProgramsReplay)
{
    replay("roaring_program", [](const std::string & bytes) { statewire_fuzz::runRoaringProgram(bytes); });
}

TEST(FuzzCorpusRoaring, ViewsReplay)
{
    replay("roaring_view", [](const std::string & bytes) { statewire_fuzz::runRoaringView(bytes); });
}

TEST(FuzzCorpusRoaring, RandomProgramsAgreeWithTheirModel)
{
    constexpr UInt64 SEED = 20261130;
    RecordProperty("seed", std::to_string(SEED));
    std::mt19937_64 random(SEED);
    for (int round = 0; round < 120; ++round)
    {
        std::string program(20 + random() % 100, '\0');
        for (char & byte : program)
            byte = static_cast<char>(random());
        SCOPED_TRACE("seed " + std::to_string(SEED) + " round " + std::to_string(round));
        statewire_fuzz::runRoaringProgram(program);
    }
}

/// Thousands of images with a few bytes changed: nothing may leave the bytes (run under AddressSanitizer), and what passes Full is right.
TEST(FuzzCorpusRoaring, MutatedVectorsStayInBounds)
{
    REQUIRE_VECTORS(vectors, "roaring");
    constexpr UInt64 SEED = 815;
    RecordProperty("seed", std::to_string(SEED));
    std::mt19937_64 random(SEED);
    for (const char * folder : {"generated", "lenient", "malformed"})
        for (const auto & entry : std::filesystem::directory_iterator(vectors / folder))
        {
            const std::string bytes = readFile(entry.path());
            const bool is_64 = entry.path().extension() == ".bin64";
            if (bytes.size() > 100000 || (!is_64 && entry.path().extension() != ".bin"))
                continue;
            SCOPED_TRACE(entry.path().string());
            for (int round = 0; round < 12; ++round)
            {
                std::string mutated = std::string(1, is_64 ? '\1' : '\0') + bytes;
                /// Headers are where lies matter most.
                const size_t reach = random() % 2 ? std::min<size_t>(mutated.size(), 64) : mutated.size();
                for (UInt64 n = round == 0 ? 0 : 1 + random() % 4; n != 0 && reach > 1; --n)
                    mutated[1 + random() % (reach - 1)] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
                statewire_fuzz::runRoaringView(mutated);
            }
        }
}
