#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../base/asciiCase.h"
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
        const auto is_text = [text](std::string_view word) { return equalsIgnoringCase(word, text); };
        const bool is_true = std::any_of(TRUE_WORDS.begin(), TRUE_WORDS.end(), is_text);
        if (!is_true && std::none_of(FALSE_WORDS.begin(), FALSE_WORDS.end(), is_text))
            throwNotParsed(ErrorCodes::CANNOT_PARSE_BOOL, text, "expected true or false");
        static_cast<ColumnUInt8 &>(column).getData().push_back(is_true ? 1 : 0);
    }
};
}

DataTypePtr makeBool() { return std::make_shared<DataTypeBool>(); }

}
