#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "DataTypeNumber.h"
#include "StoredDataType.h"
#include "makeStoredDataType.h"

#include <algorithm>
#include <array>

namespace DB::inline statewire
{

namespace
{
constexpr std::array<std::string_view, 6> TRUE_WORDS = {"true", "1", "t", "y", "yes", "on"};
constexpr std::array<std::string_view, 6> FALSE_WORDS = {"false", "0", "f", "n", "no", "off"};

class DataTypeBool final : public StoredDataType
{
public:
    DataTypeBool() : StoredDataType(std::make_shared<DataTypeUInt8>()) { }

    [[nodiscard]] std::string getName() const override { return "Bool"; }
    [[nodiscard]] bool isBare() const noexcept override { return true; }
    [[nodiscard]] bool isBool() const noexcept override { return true; }
    void print(const IColumn & column, size_t row, std::string & to) const override
    {
        to += static_cast<const ColumnUInt8 &>(column).getData()[row] ? "true" : "false";
    }
    void parse(IColumn & column, std::string_view text) const override
    {
        std::string word(text);
        std::transform(
            word.begin(), word.end(), word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
        const bool is_true = std::find(TRUE_WORDS.begin(), TRUE_WORDS.end(), word) != TRUE_WORDS.end();
        if (!is_true && std::find(FALSE_WORDS.begin(), FALSE_WORDS.end(), word) == FALSE_WORDS.end())
            throwNotParsed(ErrorCodes::CANNOT_PARSE_BOOL, text, "expected true or false");
        static_cast<ColumnUInt8 &>(column).getData().push_back(is_true ? 1 : 0);
    }
};
}

DataTypePtr makeBool() { return std::make_shared<DataTypeBool>(); }

}
