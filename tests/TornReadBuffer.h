#pragma once

#include <statewire/IO/ReadBuffer.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace statewire_tests
{

/// The sizes at which a source is torn in every subject's tests.
inline constexpr size_t TORN_SIZES[] = {1, 2, 3, 7, 8, 16, 64, 4096};

/** Serves bytes in pieces of at most `piece` bytes, each in memory of its own that is overwritten before the next: whoever keeps a pointer
  * into an earlier piece reads rubbish (and under AddressSanitizer is caught).
  */
class TornReadBuffer final : public DB::ReadBuffer
{
public:
    TornReadBuffer(std::string_view bytes_, size_t piece_) : ReadBuffer(nullptr, 0), rest(bytes_), piece_size(piece_) { }

protected:
    bool nextImpl() override
    {
        std::fill(piece.begin(), piece.end(), '\xdb');
        if (rest.empty())
            return false;
        piece = std::string(rest.substr(0, piece_size));
        rest.remove_prefix(piece.size());
        working_buffer = Buffer{piece.data(), piece.data() + piece.size()};
        return true;
    }

private:
    std::string_view rest;
    size_t piece_size;
    std::string piece;
};

}
