#include <gtest/gtest.h>

#include <statewire/base/unaligned.h>
#include <statewire/Common/CityHash102.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/MurmurHash3.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/VarInt.h>
#include <statewire/IO/WriteBufferFromFile.h>
#include <statewire/IO/WriteBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/IO/WriteBufferSink.h>
#include <statewire/IO/ZeroCopyReader.h>

#include <numeric>

using namespace DB;

namespace
{
std::string firstBytes(size_t n)
{
    std::string bytes(n, '\0');
    std::iota(bytes.begin(), bytes.end(), '\0');
    return bytes;
}
}

TEST(CityHash102, GivesThePublishedValues)
{
    struct Case
    {
        size_t size;
        UInt64 low;
        UInt64 high;
    };
    for (const Case & c : {
             Case{0, 0x3df09dfc64c09a2b, 0x3cb540c392e51e29},
             Case{1, 0xa04b71ab61de6422, 0xf768684937e23970},
             Case{8, 0xd0bfe8984e1e8682, 0x565141a0cf7fc611},
             Case{16, 0x17ceade677c2f945, 0x579ed60675c8fedc},
             Case{32, 0xfe71590c670b561d, 0x498f5b464f875a30},
             Case{127, 0x6e9cefa0accaeec6, 0x56818bba66e6a718},
             Case{144, 0xa6bdeceec903d0fc, 0xc56b79626912c1bc},
             Case{200, 0x275774699e23b6fd, 0x5682ef01ebe7289c},
         })
    {
        const UInt128Hash hash = cityHash128(firstBytes(c.size));
        EXPECT_EQ(hash.low, c.low) << c.size;
        EXPECT_EQ(hash.high, c.high) << c.size;
    }
}

TEST(MurmurHash3, GivesTheSeedHashOfDataSketches)
{
    char seed[8];
    unalignedStoreLittleEndian<UInt64>(seed, 9001);
    EXPECT_EQ(murmurHash3X64First({seed, 8}, 0) & 0xffff, 0x93cc);
}
