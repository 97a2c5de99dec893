#include "CountMinSumForEach.h"

#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"

namespace DB::inline statewire
{

namespace
{
[[noreturn]] void throwWrong(std::string_view what, UInt64 element, UInt64 expected, UInt64 found)
{
    throwError(
        ErrorCodes::INCORRECT_DATA,
        concat("Wrong sum of count-min sketches: ", what, ", element ", element, ": expected ", expected, ", found ", found));
}
}

std::string countMinImageFromSumForEach(std::string_view numbers, const CountMinParameters & parameters)
{
    const auto element
        = [&](UInt64 index) { return unalignedLoadLittleEndian<UInt64>(numbers.data() + static_cast<size_t>(index) * sizeof(UInt64)); };
    std::string image(COUNT_MIN_HEADER_SIZE, '\0');
    if (numbers.empty())
    {
        writeCountMinHeader(image.data(), parameters.shape(true));
        return image;
    }
    const UInt64 cells = parameters.cells();
    const UInt64 length = countMinSumForEachLength(parameters);
    if (numbers.size() != length * sizeof(UInt64))
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat(
                "Wrong sum of count-min sketches: the array has ",
                numbers.size(),
                " bytes, expected ",
                length,
                " elements, ",
                length * sizeof(UInt64),
                " bytes: ",
                parameters.numHashes(),
                " x ",
                parameters.numBuckets(),
                " cells and 3 more"));

    const UInt64 total = element(cells);
    const UInt64 sketches = element(cells + 1);
    const UInt64 shape = element(cells + 2);
    if (sketches == 0)
        throwWrong("the number of sketches is 0 in an array that is not empty", cells + 1, 1, 0);
    /// The sum wraps as sumForEach's does.
    if (const UInt64 expected = sketches * countMinSumForEachShape(parameters); shape != expected)
        throwWrong("the shapes do not sum to the number of sketches times this shape", cells + 2, expected, shape);

    for (UInt64 row = 0; row < parameters.numHashes(); ++row)
    {
        const UInt64 first = row * parameters.numBuckets();
        UInt64 sum = 0;
        bool wrapped = false;
        for (UInt64 i = first; i < first + parameters.numBuckets(); ++i)
        {
            sum += element(i);
            wrapped |= sum < element(i);
        }
        if (wrapped)
            throwError(
                ErrorCodes::DECIMAL_OVERFLOW,
                concat("Wrong sum of count-min sketches: the cells of row ", row, " sum to more than 2^64 - 1, so the total has wrapped"));
        if (sum != total)
            throwWrong(concat("the cells of row ", row, " do not sum to the total"), cells, sum, total);
    }

    writeCountMinHeader(image.data(), parameters.shape(total == 0));
    if (total == 0)
        return image;
    image.resize(COUNT_MIN_HEADER_SIZE + sizeof(UInt64));
    unalignedStoreLittleEndian<UInt64>(image.data() + COUNT_MIN_HEADER_SIZE, total);
    image.append(numbers.data(), static_cast<size_t>(cells) * sizeof(UInt64));
    return image;
}

std::string countMinImageFromSumForEachState(std::string_view state, const CountMinParameters & parameters)
{
    if (state.size() < sizeof(UInt64))
        throwError(
            ErrorCodes::CANNOT_READ_ALL_DATA,
            concat("Cannot read a state of sumForEach: it has ", state.size(), " bytes, expected at least 8"));
    const std::string_view numbers = state.substr(sizeof(UInt64));
    const UInt64 count = unalignedLoadLittleEndian<UInt64>(state.data());
    if (numbers.size() % sizeof(UInt64) != 0 || count != numbers.size() / sizeof(UInt64))
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat(
                "Wrong state of sumForEach: its count at byte 0 is ", count, ", but ", numbers.size(), " bytes of 8-byte numbers follow"));
    return countMinImageFromSumForEach(numbers, parameters);
}

}
