#pragma once

#include <string>
#include <string_view>
#include <vector>

/** Combinators over a few rows, with the types, states and results that the real engine gives: tests/interop asks it again. */
namespace statewire_tests
{

struct CombinatorCase
{
    /// The function's name and the types of its arguments.
    std::string name;
    std::vector<std::string> types;
    /// Each argument's values as TabSeparated fields, one a row.
    std::vector<std::vector<std::string>> rows;
    std::string result_type;
    /// Between the brackets of AggregateFunction(...).
    std::string state_type;
    std::string state_hex;
    std::string result;
};

/// As the engine's hex() writes it.
inline std::string toUpperHex(std::string_view bytes)
{
    constexpr const char * DIGITS = "0123456789ABCDEF";
    std::string hex;
    for (const char byte : bytes)
    {
        hex += DIGITS[static_cast<unsigned char>(byte) >> 4];
        hex += DIGITS[static_cast<unsigned char>(byte) & 15];
    }
    return hex;
}

inline std::vector<CombinatorCase> combinatorCases()
{
    const std::vector<std::string> numbers = {"0", "1", "2"};
    const std::vector<std::string> odd = {"0", "1", "0"};
    const std::vector<std::string> none = {"0", "0", "0"};
    const std::vector<std::string> nulls = {"\\N", "\\N", "\\N"};
    return {
        {"groupBitmap", {"UInt32"}, {numbers}, "UInt64", "groupBitmap, UInt32", "0003000000000100000002000000", "3"},
        {"groupBitmapIf", {"UInt32", "UInt8"}, {numbers, odd}, "UInt64", "groupBitmapIf, UInt32, UInt8", "000101000000", "1"},
        {"groupBitmapArray", {"Array(UInt32)"}, {{"[0,1]", "[]", "[2]"}}, "UInt64", "groupBitmapArray, Array(UInt32)",
         "0003000000000100000002000000", "3"},
        {"groupBitmapArrayIf", {"Array(UInt32)", "UInt8"}, {{"[0]", "[1]", "[2]"}, odd}, "UInt64",
         "groupBitmapArrayIf, Array(UInt32), UInt8", "000101000000", "1"},
        {"groupBitmapIfArray", {"Array(UInt32)", "Array(UInt8)"}, {{"[0]", "[1]", "[2]"}, {"[0]", "[1]", "[0]"}}, "UInt64",
         "groupBitmapIfArray, Array(UInt32), Array(UInt8)", "000101000000", "1"},
        {"groupBitmapArrayArray", {"Array(Array(UInt32))"}, {{"[[0],[1,2]]"}}, "UInt64", "groupBitmapArrayArray, Array(Array(UInt32))",
         "0003000000000100000002000000", "3"},

        {"groupBitmapOrNull", {"UInt32"}, {numbers}, "Nullable(UInt64)", "groupBitmapOrNull, UInt32", "000300000000010000000200000001", "3"},
        {"groupBitmapOrNull", {"UInt32"}, {{}}, "Nullable(UInt64)", "groupBitmapOrNull, UInt32", "000000", "\\N"},
        {"groupBitmapOrDefault", {"UInt32"}, {numbers}, "UInt64", "groupBitmapOrDefault, UInt32", "000300000000010000000200000001", "3"},
        {"groupBitmapOrDefault", {"UInt32"}, {{}}, "UInt64", "groupBitmapOrDefault, UInt32", "000000", "0"},
        {"groupBitmapIfOrNull", {"UInt32", "UInt8"}, {numbers, odd}, "Nullable(UInt64)", "groupBitmapIfOrNull, UInt32, UInt8",
         "00010100000001", "1"},
        {"groupBitmapOrNullIf", {"UInt32", "UInt8"}, {numbers, none}, "Nullable(UInt64)", "groupBitmapOrNullIf, UInt32, UInt8", "000000",
         "\\N"},
        {"groupBitmapOrNullArray", {"Array(UInt32)"}, {{"[]", "[]"}}, "Nullable(UInt64)", "groupBitmapOrNullArray, Array(UInt32)", "000000",
         "\\N"},
        {"groupBitmapArrayOrNull", {"Array(UInt32)"}, {{"[]", "[]"}}, "Nullable(UInt64)", "groupBitmapArrayOrNull, Array(UInt32)", "000001",
         "0"},
        {"groupBitmapOrNullOrDefault", {"UInt32"}, {numbers}, "Nullable(UInt64)", "groupBitmapOrNullOrDefault, UInt32",
         "00030000000001000000020000000101", "3"},

        {"groupBitmap", {"Nullable(UInt32)"}, {{"0", "\\N", "2"}}, "Nullable(UInt64)", "groupBitmap, Nullable(UInt32)",
         "0100020000000002000000", "2"},
        {"groupBitmap", {"Nullable(UInt32)"}, {nulls}, "Nullable(UInt64)", "groupBitmap, Nullable(UInt32)", "00", "\\N"},
        {"groupBitmapIf", {"Nullable(UInt32)", "UInt8"}, {numbers, odd}, "Nullable(UInt64)", "groupBitmapIf, Nullable(UInt32), UInt8",
         "01000101000000", "1"},
        {"groupBitmapIf", {"Nullable(UInt32)", "UInt8"}, {numbers, none}, "Nullable(UInt64)", "groupBitmapIf, Nullable(UInt32), UInt8", "00",
         "\\N"},
        {"groupBitmapIf", {"Nullable(UInt32)", "Nullable(UInt8)"}, {numbers, {"\\N", "1", "0"}}, "Nullable(UInt64)",
         "groupBitmapIf, Nullable(UInt32), Nullable(UInt8)", "01000101000000", "1"},
        {"groupBitmapIf", {"UInt32", "Nullable(UInt8)"}, {numbers, {"\\N", "1", "0"}}, "UInt64", "groupBitmapIf, UInt32, Nullable(UInt8)",
         "000101000000", "1"},
        {"groupBitmapArray", {"Array(Nullable(UInt32))"}, {{"[0,NULL]", "[NULL]", "[2]"}}, "Nullable(UInt64)",
         "groupBitmapArray, Array(Nullable(UInt32))", "0100020000000002000000", "2"},
        {"groupBitmapArrayIf", {"Array(Nullable(UInt32))", "Nullable(UInt8)"}, {{"[0]", "[1]", "[2]"}, {"\\N", "1", "0"}}, "Nullable(UInt64)",
         "groupBitmapArrayIf, Array(Nullable(UInt32)), Nullable(UInt8)", "01000101000000", "1"},
        {"groupBitmapOrNull", {"Nullable(UInt32)"}, {numbers}, "Nullable(UInt64)", "groupBitmapOrNull, Nullable(UInt32)",
         "000300000000010000000200000001", "3"},
        {"groupBitmapOrNull", {"Nullable(UInt32)"}, {nulls}, "Nullable(UInt64)", "groupBitmapOrNull, Nullable(UInt32)", "000000", "\\N"},
        {"groupBitmapOrDefault", {"Nullable(UInt32)"}, {numbers}, "Nullable(UInt64)", "groupBitmapOrDefault, Nullable(UInt32)",
         "01000300000000010000000200000001", "3"},
        {"groupBitmapOrDefault", {"Nullable(UInt32)"}, {nulls}, "Nullable(UInt64)", "groupBitmapOrDefault, Nullable(UInt32)", "00", "\\N"},
        {"groupBitmapOrNullIf", {"Nullable(UInt32)", "UInt8"}, {numbers, none}, "Nullable(UInt64)",
         "groupBitmapOrNullIf, Nullable(UInt32), UInt8", "000000", "\\N"},

        {"groupBitmapIfOrNull", {"Nullable(UInt32)", "UInt8"}, {numbers, odd}, "Nullable(UInt64)",
         "groupBitmapIfOrNull, Nullable(UInt32), UInt8", "0100010100000001", "1"},
        {"groupBitmapIfOrNull", {"UInt32", "Nullable(UInt8)"}, {numbers, nulls}, "Nullable(UInt64)",
         "groupBitmapIfOrNull, UInt32, Nullable(UInt8)", "01000000", "\\N"},
        {"groupBitmapIfOrNull", {"Nullable(UInt32)", "Nullable(UInt8)"}, {{}, {}}, "Nullable(UInt64)",
         "groupBitmapIfOrNull, Nullable(UInt32), Nullable(UInt8)", "01000000", "\\N"},
        {"groupBitmapIfOrDefault", {"UInt32", "Nullable(UInt8)"}, {numbers, nulls}, "Nullable(UInt64)",
         "groupBitmapIfOrDefault, UInt32, Nullable(UInt8)", "00", "\\N"},
        {"groupBitmapIfOrDefault", {"Nullable(UInt32)", "UInt8"}, {numbers, none}, "Nullable(UInt64)",
         "groupBitmapIfOrDefault, Nullable(UInt32), UInt8", "01000001", "0"},
        {"groupBitmapIfOrNullOrDefault", {"Nullable(UInt32)", "UInt8"}, {numbers, odd}, "Nullable(UInt64)",
         "groupBitmapIfOrNullOrDefault, Nullable(UInt32), UInt8", "010001010000000101", "1"},
        {"groupBitmapOrNullIfOrNull", {"UInt32", "Nullable(UInt8)"}, {numbers, odd}, "Nullable(UInt64)",
         "groupBitmapOrNullIfOrNull, UInt32, Nullable(UInt8)", "010001010000000101", "1"},
        {"groupBitmapIfOrNullIf", {"Nullable(UInt32)", "UInt8", "UInt8"}, {numbers, odd, odd}, "Nullable(UInt64)",
         "groupBitmapIfOrNullIf, Nullable(UInt32), UInt8, UInt8", "00010100000001", "1"},
        {"groupBitmapIfOrDefaultIf", {"UInt32", "Nullable(UInt8)", "UInt8"}, {numbers, nulls, odd}, "Nullable(UInt64)",
         "groupBitmapIfOrDefaultIf, UInt32, Nullable(UInt8), UInt8", "00", "\\N"},
        {"groupBitmapIfOrNullArray", {"Array(Nullable(UInt32))", "Array(UInt8)"}, {{"[0,NULL]"}, {"[1,1]"}}, "Nullable(UInt64)",
         "groupBitmapIfOrNullArray, Array(Nullable(UInt32)), Array(UInt8)", "0100010000000001", "1"},
        {"groupBitmapArrayIfOrNull", {"Array(Nullable(UInt32))", "Nullable(UInt8)"}, {{"[0]", "[1]"}, {"1", "\\N"}}, "Nullable(UInt64)",
         "groupBitmapArrayIfOrNull, Array(Nullable(UInt32)), Nullable(UInt8)", "010100010000000001", "1"},
        {"groupBitmapForEachIfOrNull", {"Array(UInt32)", "Nullable(UInt8)"}, {{"[0]", "[1]"}, {"1", "\\N"}}, "Array(UInt64)",
         "groupBitmapForEachIfOrNull, Array(UInt32), Nullable(UInt8)", "01010000000000000000010000000001", "[1]"},
        {"groupBitmapForEachIfOrDefault", {"Array(UInt32)", "Nullable(UInt8)"}, {{"[0]"}, {"\\N"}}, "Array(UInt64)",
         "groupBitmapForEachIfOrDefault, Array(UInt32), Nullable(UInt8)", "01000000000000000000", "[]"},
        {"groupBitmapIfOrNullForEach", {"Array(Nullable(UInt32))", "Array(UInt8)"}, {{"[NULL]"}, {"[1]"}}, "Array(Nullable(UInt64))",
         "groupBitmapIfOrNullForEach, Array(Nullable(UInt32)), Array(UInt8)", "010000000000000001000000", "[NULL]"},

        {"groupBitmapForEach", {"Array(UInt32)"}, {{"[0,7]", "[1,7]", "[2,7]"}}, "Array(UInt64)", "groupBitmapForEach, Array(UInt32)",
         "02000000000000000003000000000100000002000000000107000000", "[3,1]"},
        {"groupBitmapForEach", {"Array(UInt32)"}, {{"[]", "[0]", "[0,1]", "[0,1,2]"}}, "Array(UInt64)", "groupBitmapForEach, Array(UInt32)",
         "0300000000000000000100000000000101000000000102000000", "[1,1,1]"},
        {"groupBitmapForEach", {"Array(UInt32)"}, {{}}, "Array(UInt64)", "groupBitmapForEach, Array(UInt32)", "0000000000000000", "[]"},
        {"groupBitmapForEach", {"Array(Nullable(UInt32))"}, {{"[0,NULL]"}}, "Array(Nullable(UInt64))",
         "groupBitmapForEach, Array(Nullable(UInt32))", "02000000000000000100010000000000", "[1,NULL]"},
        {"groupBitmapForEachIf", {"Array(UInt32)", "Nullable(UInt8)"}, {{"[0]", "[1]", "[2]"}, {"\\N", "1", "0"}}, "Array(UInt64)",
         "groupBitmapForEachIf, Array(UInt32), Nullable(UInt8)", "0100000000000000000101000000", "[1]"},
        {"groupBitmapForEachOrNull", {"Array(UInt32)"}, {{"[0]", "[1]", "[2]"}}, "Array(UInt64)", "groupBitmapForEachOrNull, Array(UInt32)",
         "0100000000000000000300000000010000000200000001", "[3]"},
        {"groupBitmapForEachOrNull", {"Array(UInt32)"}, {{}}, "Array(UInt64)", "groupBitmapForEachOrNull, Array(UInt32)",
         "000000000000000000", "[]"},
        {"groupBitmapOrNullForEach", {"Array(UInt32)"}, {{"[0]", "[1]", "[2]"}}, "Array(Nullable(UInt64))",
         "groupBitmapOrNullForEach, Array(UInt32)", "0100000000000000000300000000010000000200000001", "[3]"},
        {"groupBitmapArrayForEach", {"Array(Array(UInt32))"}, {{"[[0]]", "[[1]]", "[[2]]"}}, "Array(UInt64)",
         "groupBitmapArrayForEach, Array(Array(UInt32))", "01000000000000000003000000000100000002000000", "[3]"},
        {"groupBitmapForEachArray", {"Array(Array(UInt32))"}, {{"[[0],[1]]", "[]", "[[2]]"}}, "Array(UInt64)",
         "groupBitmapForEachArray, Array(Array(UInt32))", "01000000000000000003000000000100000002000000", "[3]"},
    };
}

}
