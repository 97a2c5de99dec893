#include "../Columns/ColumnVector.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../IO/WriteBufferFromVector.h"
#include "../IO/WriteEscaped.h"
#include "DataTypeNumber.h"
#include "StoredDataType.h"
#include "errorText.h"
#include "makeStoredDataType.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

namespace DB::inline statewire
{

namespace
{
template <typename T>
class DataTypeEnum final : public StoredDataType
{
public:
    explicit DataTypeEnum(EnumElements elements) : StoredDataType(std::make_shared<DataTypeNumber<T>>())
    {
        for (auto & [element, value] : elements)
        {
            if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
                throwError(
                    ErrorCodes::ARGUMENT_OUT_OF_BOUND,
                    concat("Value ", value, " for element ", quoteForError(element), " exceeds range of ", FAMILY));
            if (!values.emplace(element, static_cast<T>(value)).second)
                throwError(ErrorCodes::SYNTAX_ERROR, concat("Duplicate names in enum: ", quoteForError(element)));
            if (!names.emplace(static_cast<T>(value), std::move(element)).second)
                throwError(ErrorCodes::SYNTAX_ERROR, concat("Duplicate values in enum: ", value));
        }
        if (names.empty())
            throwError(ErrorCodes::EMPTY_DATA_PASSED, concat(FAMILY, " data type cannot be empty"));
        WriteBufferFromString out(type_name);
        out.write(FAMILY, std::string_view(FAMILY).size());
        const char * before = "(";
        for (const auto & [value, element] : names)
        {
            out.write(before, std::string_view(before).size());
            before = ", ";
            writeQuotedString(element, out);
            out.write(" = ", 3);
            DataTypeNumber<T>::print(value, out);
        }
        out.write(')');
        out.finalize();
    }

    [[nodiscard]] std::string getName() const override { return type_name; }
    void insertDefaultInto(IColumn & column) const override { append(column, names.begin()->first); }
    void print(const IColumn & column, size_t row, std::string & to) const override
    {
        const T value = static_cast<const ColumnVector<T> &>(column).getData()[row];
        const auto found = names.find(value);
        if (found == names.end())
            throwError(ErrorCodes::BAD_ARGUMENTS, concat("Unexpected value ", Int64{value}, " in enum ", type_name));
        to += found->second;
    }
    /// A name, or the number of one.
    void parse(IColumn & column, std::string_view text) const override
    {
        if (const auto found = values.find(text); found != values.end())
            return append(column, found->second);
        T number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || end != text.data() + text.size() || !names.contains(number))
            throwUnknown(text);
        append(column, number);
    }

private:
    static constexpr char FAMILY[] = {'E', 'n', 'u', 'm', sizeof(T) == 1 ? '8' : '1', sizeof(T) == 1 ? '\0' : '6', '\0'};

    static void append(IColumn & column, T value) { static_cast<ColumnVector<T> &>(column).getData().push_back(value); }

    [[noreturn]] void throwUnknown(std::string_view text) const
    {
        std::vector<std::string> candidates;
        for (const auto & [value, element] : names)
            candidates.push_back(element);
        throwError(
            ErrorCodes::UNKNOWN_ELEMENT_OF_ENUM,
            concat("Unknown element ", quoteForError(text), " for enum", nearNamesHint(text, candidates)));
    }

    std::map<std::string, T, std::less<>> values;
    std::map<T, std::string> names;
    std::string type_name;
};
}

DataTypePtr makeEnum(bool is_16, EnumElements elements)
{
    if (is_16)
        return std::make_shared<DataTypeEnum<Int16>>(std::move(elements));
    return std::make_shared<DataTypeEnum<Int8>>(std::move(elements));
}

}
