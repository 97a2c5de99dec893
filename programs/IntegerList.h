#pragma once

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/Formats/NamesAndTypes.h>
#include <statewire/IO/ReadBuffer.h>

#include <array>
#include <charconv>
#include <string_view>
#include <vector>

namespace statewire_program
{

/** Integers as text, between white space, commas and brackets: `1 2 3`, `[1,2,3]`, or one a line. Hands them out in batches, so a list may be
 * longer than memory.
 *
 * Errors: CANNOT_PARSE_NUMBER with the byte for what is no integer, or none of T.
 */
template <typename T>
class IntegerListReader
{
public:
    explicit IntegerListReader(DB::ReadBuffer & in_) : in(in_) { }

    /// The next values, at most BATCH; none at the end.
    [[nodiscard]] const std::vector<T> & read()
    {
        values.clear();
        while (values.size() < BATCH && readWord())
        {
            T value{};
            const char * const end = word.data() + word_size;
            const auto [stop, error] = std::from_chars(word.data(), end, value);
            if (error != std::errc() || stop != end)
                DB::throwError(
                    DB::ErrorCodes::CANNOT_PARSE_NUMBER,
                    DB::concat(
                        "Cannot parse ",
                        DB::quoteName({word.data(), word_size}),
                        " at byte ",
                        word_start,
                        ": expected an integer of ",
                        std::is_signed_v<T> ? "" : "at least 0 and ",
                        "at most ",
                        8 * sizeof(T),
                        " bits"));
            values.push_back(value);
        }
        return values;
    }

private:
    static constexpr size_t BATCH = 65536;

    static bool isSeparator(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r') || c == ',' || c == '[' || c == ']'; }

    /// False at the end. A word that is too long for an integer is cut, and then is none.
    bool readWord()
    {
        word_size = 0;
        while (!in.eof())
        {
            const char c = *in.position();
            if (isSeparator(c) && word_size != 0)
                return true;
            if (!isSeparator(c) && word_size == 0)
                word_start = in.count();
            ++in.position();
            if (isSeparator(c))
                continue;
            word[word_size++] = c;
            if (word_size == word.size())
                return true;
        }
        return word_size != 0;
    }

    DB::ReadBuffer & in;
    std::array<char, 32> word{};
    size_t word_size = 0;
    DB::UInt64 word_start = 0;
    std::vector<T> values;
};

}
