#include "../fuzz/fuzz_roaring_program.cpp"
#include "../fuzz/fuzz_roaring_state.cpp"
#include "../fuzz/fuzz_roaring_view.cpp"
#include "CaseSample.h"
#include "Vectors.h"

#include <random>

using namespace DB;
using namespace statewire_tests;

namespace
{
template <typename Run>
void replay(const char * corpus, Run && run)
{
    const auto folder = sourceDirectory() / "fuzz" / "corpus" / corpus;
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
    replay("roaring_view", [](const std::string & bytes) { static_cast<void>(statewire_fuzz::runRoaringView(bytes)); });
}

TEST(FuzzCorpusRoaring, StatesReplay)
{
    replay("roaring_state", [](const std::string & bytes) { statewire_fuzz::runRoaringState(bytes); });
}

TEST(FuzzCorpusRoaring, RandomProgramsAgreeWithTheirModel)
{
    constexpr UInt64 SEED = 20261130;
    RecordProperty("seed", std::to_string(SEED));
    std::mt19937_64 random(SEED);
    CaseSample sample("random programs");
    for (int round = 0; round < 120; ++round)
    {
        std::string program(20 + random() % 100, '\0');
        for (char & byte : program)
            byte = static_cast<char>(random());
        if (!sample.takes())
            continue;
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
    size_t lying = 0;
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
                lying += statewire_fuzz::runRoaringView(mutated);
            }
        }
    RecordProperty("lying", std::to_string(lying));
}

/// Every operation on views over images of every shape with a few bytes changed, thousands of them: nothing may leave the bytes (run under
/// AddressSanitizer), whatever a view that passed Structure alone is told.
TEST(FuzzCorpusRoaring, LyingImagesOfEveryShapeStayInBounds)
{
    const auto spaced = [](UInt64 first, UInt64 n, UInt64 step) {
        RoaringBitmap bitmap;
        for (UInt64 i = 0; i < n; ++i)
            bitmap.add(first + i * step);
        return bitmap;
    };
    std::vector<RoaringBitmap> shapes{
        {}, spaced(0, 1, 1), spaced(65530, 12, 1), spaced(0, 40, 3), spaced(7, 4096, 5), spaced(7, 4097, 5), spaced(0, 2047, 32),
        spaced(0, 2048, 32), RoaringBitmap::range(0, 65535), RoaringBitmap::range(65000, 300000), spaced(100, 50, 70000)};
    shapes.push_back(spaced(3, 6, 65536));
    shapes.back().merge(spaced(5 * 65536, 5000, 2));
    shapes.back().addRange(9 * 65536, 10 * 65536 + 7);
    constexpr UInt64 SEED = 428;
    RecordProperty("seed", std::to_string(SEED));
    std::mt19937_64 random(SEED);
    CaseSample sample("lying images");
    size_t lying = 0;
    for (const RoaringBitmap & shape : shapes)
        for (const RoaringFormat format : {RoaringFormat::Portable32, RoaringFormat::Portable64})
        {
            RoaringBitmap bitmap = shape;
            if (format == RoaringFormat::Portable64)
                bitmap.merge(roaringShift(shape, (UInt64{1} << 40) + 5));
            std::string image(1, format == RoaringFormat::Portable64 ? '\1' : '\0');
            WriteBufferFromString out(image, WriteBufferFromString::Mode::Append);
            bitmap.write(out, format);
            out.finalize();
            /// Many mutants are refused, and the smallest shapes have hardly any that is not.
            const size_t enough = lying + 170 / SAMPLED_ONE_IN;
            for (int round = 0; round < 500 && lying < enough; ++round)
            {
                std::string mutated = image;
                /// In the headers, behind them, or anywhere.
                const size_t begin = round % 2 ? 1 : 1 + mutated.size() / 2;
                const size_t reach = round % 4 == 1 ? std::min<size_t>(mutated.size(), 60) : mutated.size();
                for (UInt64 n = 1 + random() % 4; n != 0 && begin < reach; --n)
                {
                    /// Small changes keep the structure whole more often than any byte would.
                    char & byte = mutated[begin + random() % (reach - begin)];
                    byte = static_cast<char>(random() % 2 ? byte + static_cast<char>(random() % 3) - 1 : static_cast<int>(random() % 256));
                }
                if (sample.takes())
                    lying += statewire_fuzz::runRoaringView(mutated);
            }
        }
    RecordProperty("lying", std::to_string(lying));
    EXPECT_GE(lying, 2000u / SAMPLED_ONE_IN);
}
