#include "CompressedFrame.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../base/unaligned.h"
#include "BitFlipSearch.h"

#include <bit>

namespace DB::inline statewire
{

namespace
{
void storeHeader(char * to, UInt8 method, UInt32 compressed_size, UInt32 decompressed_size) noexcept
{
    unalignedStoreLittleEndian<UInt8>(to, method);
    unalignedStoreLittleEndian<UInt32>(to + 1, compressed_size);
    unalignedStoreLittleEndian<UInt32>(to + 5, decompressed_size);
}

/// What a reader of the error wants to know next: is it the disk, the network, or another hash?
std::string
explainMismatch(UInt128Hash expected, UInt128Hash actual, std::string_view head, std::string_view payload, const FrameLimits & limits)
{
    if (std::popcount(expected.low ^ actual.low) + std::popcount(expected.high ^ actual.high) == 1)
        return "The mismatch is caused by a single bit flip in the checksum";
    if (head.size() + payload.size() > limits.max_bit_flip_search)
        return concat("Not searched for a single bit flip: the block is larger than ", limits.max_bit_flip_search, " bytes");
    std::string block = concat(head, payload);
    if (const auto flip = findBitFlip(block, expected))
        return concat("The mismatch is caused by a single bit flip in the data block at byte ", flip->byte, ", bit ", flip->bit);
    return "No single bit flip explains it";
}
}

FrameHeader parseFrameHeader(const char * prefix, UInt64 offset, const FrameLimits & limits)
{
    FrameHeader header;
    header.checksum.low = unalignedLoadLittleEndian<UInt64>(prefix);
    header.checksum.high = unalignedLoadLittleEndian<UInt64>(prefix + 8);
    header.method = unalignedLoadLittleEndian<UInt8>(prefix + 16);
    header.compressed_size = unalignedLoadLittleEndian<UInt32>(prefix + 17);
    header.decompressed_size = unalignedLoadLittleEndian<UInt32>(prefix + 21);

    const auto at = [&] { return concat(" in the compressed frame at byte ", offset); };
    if (!isKnownMethod(header.method))
        throwError(
            ErrorCodes::UNKNOWN_CODEC,
            concat("Unknown compression method", at(), ": expected 2 (NONE), 130 (LZ4) or 144 (ZSTD), found ", header.method));
    if (header.compressed_size == 0 || header.decompressed_size == 0)
        throwError(
            ErrorCodes::CORRUPTED_DATA,
            concat(
                "Zero size",
                at(),
                ": expected positive sizes, found compressed ",
                header.compressed_size,
                ", decompressed ",
                header.decompressed_size));
    if (header.compressed_size > limits.max_compressed_size)
        throwError(
            ErrorCodes::TOO_LARGE_SIZE_COMPRESSED,
            concat(
                "Too large compressed size", at(), ": expected at most ", limits.max_compressed_size, ", found ", header.compressed_size));
    if (header.compressed_size < FRAME_HEADER_SIZE)
        throwError(
            ErrorCodes::CORRUPTED_DATA,
            concat("Too small compressed size", at(), ": expected at least ", FRAME_HEADER_SIZE, ", found ", header.compressed_size));
    if (header.decompressed_size > limits.max_decompressed_size)
        throwError(
            ErrorCodes::TOO_LARGE_SIZE_COMPRESSED,
            concat(
                "Too large decompressed size",
                at(),
                ": expected at most ",
                limits.max_decompressed_size,
                ", found ",
                header.decompressed_size));
    return header;
}

void checkFrame(const FrameHeader & header, std::string_view payload, UInt64 offset, const FrameLimits & limits)
{
    char head[FRAME_HEADER_SIZE];
    storeHeader(head, header.method, header.compressed_size, header.decompressed_size);
    const UInt128Hash actual = cityHash128({head, sizeof(head)}, payload);
    if (actual == header.checksum) [[likely]]
        return;
    throwError(
        ErrorCodes::CHECKSUM_DOESNT_MATCH,
        concat(
            "Checksum doesn't match in the compressed frame at byte ",
            offset,
            ": corrupted data. Reference: ",
            toHex(header.checksum),
            ". Actual: ",
            toHex(actual),
            ". Size of compressed block: ",
            header.compressed_size,
            ". ",
            explainMismatch(header.checksum, actual, {head, sizeof(head)}, payload, limits)));
}

void finishFrame(char * prefix, CompressionMethod method, std::string_view payload, size_t decompressed_size) noexcept
{
    char * head = prefix + FRAME_CHECKSUM_SIZE;
    storeHeader(
        head, static_cast<UInt8>(method), static_cast<UInt32>(FRAME_HEADER_SIZE + payload.size()), static_cast<UInt32>(decompressed_size));
    const UInt128Hash hash = cityHash128({head, FRAME_HEADER_SIZE}, payload);
    unalignedStoreLittleEndian<UInt64>(prefix, hash.low);
    unalignedStoreLittleEndian<UInt64>(prefix + 8, hash.high);
}

}
