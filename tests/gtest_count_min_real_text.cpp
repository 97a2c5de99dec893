#include "CountMinHelpers.h"
#include "Vectors.h"

#include <statewire/AggregateFunctions/CountMinRangesState.h>
#include <statewire/AggregateFunctions/CountMinTopKState.h>
#include <statewire/Compression/StreamDecompressingReadBuffer.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <vector>

using namespace DB;
using namespace statewire_tests;

/** Sketches of the words in the names of all characters, and of the characters' numbers, beside exact counts. */
namespace
{
struct Row
{
    std::string_view word;
    UInt64 code_point;
};

struct Text
{
    std::string bytes;
    std::vector<Row> rows;
    std::map<std::string_view, UInt64> words;
};

/// Lines of script, code point, category, upper and word behind a header.
const Text & text()
{
    static const Text read = [] {
        Text result;
        const std::string compressed = readFile(dataDirectory() / "main_job" / "unicode.tsv.zst");
        ReadBufferFromMemory file(compressed);
        StreamDecompressingReadBuffer in(file, StreamFormat::ZSTD);
        while (!in.eof())
        {
            result.bytes.append(in.position(), in.available());
            in.position() += in.available();
        }
        std::string_view rest = result.bytes;
        rest.remove_prefix(rest.find('\n') + 1);
        while (!rest.empty())
        {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(line.size() + 1);
            Row row{line.substr(line.rfind('\t') + 1), 0};
            const size_t number = line.find('\t') + 1;
            std::from_chars(line.data() + number, line.data() + line.size(), row.code_point);
            ++result.words[row.word];
            result.rows.push_back(row);
        }
        return result;
    }();
    return read;
}

std::vector<std::string_view> wordColumn()
{
    std::vector<std::string_view> words;
    for (const Row & row : text().rows)
        words.push_back(row.word);
    return words;
}
}

TEST(CountMinRealText, EstimatesOfWordsAreAboveTheTruthAndWithinTheError)
{
    ASSERT_EQ(text().rows.size(), 472686u);
    const std::vector<std::string_view> words = wordColumn();
    for (const CountMinOption option : {CountMinOption::Plain, CountMinOption::Conservative})
    {
        SCOPED_TRACE(std::string(toString(option)));
        const CountMinParameters parameters(5, 2719, 9001, RowSeeds::LibCxx, option);
        CountMinSketchState<UInt64> state(parameters);
        state.addBatch(CountMinKeys::strings(words));
        EXPECT_EQ(state.total(), text().rows.size());
        UInt64 beyond = 0;
        double error = 0;
        for (const auto & [word, count] : text().words)
        {
            const UInt64 estimate = state.estimate(word);
            ASSERT_GE(estimate, count) << word;
            beyond += estimate > count + parameters.absoluteError(state.total());
            EXPECT_EQ(estimate > count + parameters.absoluteError(state.total()), state.lowerBound(word) > count);
            error += static_cast<double>(estimate - count);
        }
        EXPECT_LE(static_cast<double>(beyond), std::exp(-5.0) * static_cast<double>(text().words.size()));
        std::printf(
            "%s: %zu words, mean error %.2f of %llu\n", std::string(toString(option)).c_str(), text().words.size(),
            error / static_cast<double>(text().words.size()), static_cast<unsigned long long>(state.total()));
    }
}

TEST(CountMinRealText, NoiseAndJoinsAreWithinTheirBounds)
{
    const CountMinParameters parameters(7, 1000);
    CountMinSketchState<UInt64> first(parameters);
    CountMinSketchState<UInt64> second(parameters);
    std::map<std::string_view, UInt64> counts[2];
    const auto & rows = text().rows;
    for (size_t i = 0; i < rows.size(); ++i)
    {
        (i * 2 < rows.size() ? first : second).add(rows[i].word);
        ++counts[i * 2 < rows.size() ? 0 : 1][rows[i].word];
    }
    double join = 0;
    double self_join = 0;
    for (const auto & [word, count] : counts[0])
    {
        self_join += static_cast<double>(count) * static_cast<double>(count);
        const auto other = counts[1].find(word);
        join += other == counts[1].end() ? 0 : static_cast<double>(count) * static_cast<double>(other->second);
    }
    const auto totals = [](const auto & a, const auto & b) { return static_cast<double>(a.total()) * static_cast<double>(b.total()); };
    const double estimated_join = CountMinSketchState<UInt64>::innerProduct(first, second);
    EXPECT_GE(estimated_join, join);
    EXPECT_LE(estimated_join, join + parameters.relativeError() * totals(first, second));
    const double estimated_self_join = CountMinSketchState<UInt64>::innerProduct(first, first);
    EXPECT_GE(estimated_self_join, self_join);
    EXPECT_LE(estimated_self_join, self_join + parameters.relativeError() * totals(first, first));

    /// exp(-7 / 8) of the keys may be beyond the corrected estimate's bound.
    size_t outside = 0;
    for (const auto & [word, count] : counts[0])
    {
        const auto truth = static_cast<double>(count);
        const double allowed = 2 * std::sqrt((self_join - truth * truth) / (parameters.numBuckets() - 1));
        outside += std::abs(first.correctedEstimate(word) - truth) > allowed;
    }
    EXPECT_LE(static_cast<double>(outside), std::exp(-7.0 / 8) * static_cast<double>(counts[0].size()));
}

TEST(CountMinRealText, TheHeaviestWordsAreFound)
{
    std::vector<std::pair<UInt64, std::string_view>> exact;
    for (const auto & [word, count] : text().words)
        exact.emplace_back(count, word);
    std::sort(exact.begin(), exact.end(), [](const auto & a, const auto & b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    for (const CountMinOption option : {CountMinOption::Plain, CountMinOption::Conservative})
    {
        const CountMinParameters parameters(5, 2719, 9001, RowSeeds::LibStdCxx, option);
        constexpr size_t K = 25;
        CountMinTopKState whole(parameters, 4 * K);
        std::vector<CountMinTopKState> parts;
        for (size_t i = 0; i < 3; ++i)
            parts.emplace_back(parameters, 4 * K);
        for (size_t i = 0; i < text().rows.size(); ++i)
        {
            whole.add(text().rows[i].word);
            parts[i * parts.size() / text().rows.size()].add(text().rows[i].word);
        }
        parts[0].merge(parts[1]);
        parts[2].merge(parts[0]);
        for (const CountMinTopKState * state : {&whole, &parts[2]})
        {
            const auto top = state->top(K);
            const UInt64 error = parameters.absoluteError(state->total());
            for (const auto & hitter : top)
            {
                const UInt64 truth = text().words.at(hitter.key);
                EXPECT_GE(hitter.estimate, truth) << hitter.key;
                EXPECT_LE(hitter.lower_bound, truth) << hitter.key;
            }
            for (const auto & heavy : exact)
                if (heavy.first > exact[K].first + error && heavy.first > state->total() / state->capacity() + error)
                {
                    EXPECT_TRUE(std::any_of(top.begin(), top.end(), [&](const auto & hitter) { return hitter.key == heavy.second; }))
                        << heavy.second;
                }
            EXPECT_EQ(top[0].key, exact[0].second);
        }
    }
}

TEST(CountMinRealText, RangesAndQuantilesOfCodePointsAreWithinTheirBounds)
{
    const CountMinParameters parameters(5, 2719);
    CountMinRangesState state(parameters, sizeof(UInt32));
    /// Every fourth row: each goes into a table for each of its bits.
    std::map<UInt64, UInt64> counts;
    for (size_t i = 0; i < text().rows.size(); i += 4)
    {
        state.add(text().rows[i].code_point);
        ++counts[text().rows[i].code_point];
    }
    ASSERT_FALSE(state.isSmall());
    const std::pair<UInt64, UInt64> blocks[] = {{0, 127}, {0x370, 0x3ff}, {0x4e00, 0x9fff}, {0xac00, 0xd7a3}, {0x1f300, 0x1f5ff}, {0, 0x10ffff}};
    const double error = 2 * 32 * parameters.relativeError() * static_cast<double>(state.total());
    for (const auto & [first, last] : blocks)
    {
        UInt64 truth = 0;
        for (auto it = counts.lower_bound(first); it != counts.end() && it->first <= last; ++it)
            truth += it->second;
        EXPECT_GE(state.count(first, last), truth) << first;
        EXPECT_LE(static_cast<double>(state.count(first, last)), static_cast<double>(truth) + error) << first;
        EXPECT_LE(state.lowerBound(first, last), truth) << first;
    }
    for (const double level : {0.1, 0.5, 0.9})
    {
        const UInt64 value = state.quantile(level);
        UInt64 below = 0;
        UInt64 rank = 0;
        for (const auto & [code_point, count] : counts)
        {
            below += code_point < value ? count : 0;
            rank += code_point <= value ? count : 0;
        }
        const double wanted = level * static_cast<double>(state.total());
        EXPECT_GE(static_cast<double>(rank), wanted - error) << level;
        EXPECT_LE(static_cast<double>(below), wanted) << level;
    }
}
