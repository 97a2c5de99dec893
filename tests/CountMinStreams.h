#pragma once

#include <statewire/base/types.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

/** Streams of keys whose exact counts tests know. */
namespace statewire_tests
{

/// Keys 0..distinct-1, key k with a probability in proportion to 1 / (k + 1)^skew. Without std:: distributions, so that every library draws the same.
class ZipfStream
{
public:
    ZipfStream(DB::UInt64 seed, size_t distinct, double skew) : random(seed)
    {
        double sum = 0;
        for (size_t k = 0; k < distinct; ++k)
            cumulative.push_back(sum += std::pow(static_cast<double>(k + 1), -skew));
    }

    DB::UInt64 draw()
    {
        const double point = static_cast<double>(random() >> 11) * 0x1p-53 * cumulative.back();
        return static_cast<DB::UInt64>(std::upper_bound(cumulative.begin(), cumulative.end(), point) - cumulative.begin());
    }

    /// `n` keys and their exact counts.
    std::vector<DB::UInt64> take(size_t n, std::map<DB::UInt64, DB::UInt64> & counts)
    {
        std::vector<DB::UInt64> result(n);
        for (DB::UInt64 & key : result)
            ++counts[key = draw()];
        return result;
    }

private:
    std::mt19937_64 random;
    std::vector<double> cumulative;
};

}
