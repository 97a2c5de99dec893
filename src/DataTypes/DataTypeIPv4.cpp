#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "DataTypeNumber.h"
#include "StoredDataType.h"
#include "civilTime.h"
#include "makeStoredDataType.h"

namespace DB::inline statewire
{

namespace
{
class DataTypeIPv4 final : public StoredDataType
{
public:
    DataTypeIPv4() : StoredDataType(std::make_shared<DataTypeUInt32>()) { }

    [[nodiscard]] std::string getName() const override { return "IPv4"; }
    void print(const IColumn & column, size_t row, std::string & to) const override
    {
        const UInt32 address = static_cast<const ColumnVector<UInt32> &>(column).getData()[row];
        for (int shift = 24; shift >= 0; shift -= 8)
        {
            to += std::to_string(address >> shift & 255);
            if (shift != 0)
                to += '.';
        }
    }
    void parse(IColumn & column, std::string_view text) const override
    {
        std::string_view rest = text;
        UInt32 address = 0;
        for (int part = 0; part < 4; ++part)
        {
            const auto number = takeDigits(rest, 1, 3);
            const bool ended = part == 3 ? rest.empty() : !rest.empty() && rest.front() == '.';
            if (!number || *number > 255 || !ended)
                throwNotParsed(ErrorCodes::CANNOT_PARSE_IPV4, text, "expected four numbers up to 255 with points between");
            if (part != 3)
                rest.remove_prefix(1);
            address = address << 8 | static_cast<UInt32>(*number);
        }
        static_cast<ColumnVector<UInt32> &>(column).getData().push_back(address);
    }
};
}

DataTypePtr makeIPv4() { return std::make_shared<DataTypeIPv4>(); }

}
