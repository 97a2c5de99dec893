#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "DataTypeNumber.h"
#include "StoredDataType.h"
#include "civilTime.h"
#include "makeStoredDataType.h"

#include <string_view>

namespace DB::inline statewire
{

namespace
{
struct DateTraits
{
    using Number = UInt16;
    static constexpr const char * NAME = "Date";
    static constexpr Int64 FIRST = 0;
    static constexpr Int64 LAST = 65535;
    static constexpr const char * RANGE = "out of range, which is 1970-01-01 .. 2149-06-06";
};

struct Date32Traits
{
    using Number = Int32;
    static constexpr const char * NAME = "Date32";
    static constexpr Int64 FIRST = -25567;
    static constexpr Int64 LAST = 120529;
    static constexpr const char * RANGE = "out of range, which is 1900-01-01 .. 2299-12-31";
};

template <typename Traits>
class DataTypeDate final : public StoredDataType
{
    using Column = ColumnVector<typename Traits::Number>;

public:
    DataTypeDate() : StoredDataType(std::make_shared<DataTypeNumber<typename Traits::Number>>()) { }

    [[nodiscard]] std::string getName() const override { return Traits::NAME; }
    void insertDefaultInto(IColumn & column) const override { append(column, Traits::FIRST); }
    void print(const IColumn & column, size_t row, std::string & to) const override
    {
        printDay(static_cast<const Column &>(column).getData()[row], to);
    }
    void parse(IColumn & column, std::string_view text) const override
    {
        std::string_view rest = text;
        const std::optional<Int64> day = takeDay(rest);
        if (!day || !rest.empty())
            throwNotParsed(ErrorCodes::CANNOT_PARSE_DATE, text, "expected a day as YYYY-MM-DD");
        if (*day < Traits::FIRST || *day > Traits::LAST)
            throwNotParsed(ErrorCodes::CANNOT_PARSE_DATE, text, Traits::RANGE);
        append(column, *day);
    }

private:
    static void append(IColumn & column, Int64 day)
    {
        static_cast<Column &>(column).getData().push_back(static_cast<typename Traits::Number>(day));
    }
};
}

DataTypePtr makeDate() { return std::make_shared<DataTypeDate<DateTraits>>(); }
DataTypePtr makeDate32() { return std::make_shared<DataTypeDate<Date32Traits>>(); }

}
