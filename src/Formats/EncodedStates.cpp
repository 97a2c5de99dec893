#include "EncodedStates.h"

#include "stateBytes.h"

#include "../Columns/ColumnAggregateFunction.h"
#include "../Columns/ColumnArray.h"
#include "../Columns/ColumnString.h"
#include "../Columns/ColumnTuple.h"
#include "../Common/ErrorCodes.h"
#include "../Common/throwError.h"
#include "../DataTypes/DataTypeAggregateFunction.h"
#include "../DataTypes/DataTypeArray.h"
#include "../DataTypes/DataTypeString.h"
#include "../DataTypes/DataTypeTuple.h"
#include "../DataTypes/errorText.h"
#include "../base/types.h"

namespace DB::inline statewire
{

namespace
{
constexpr std::string_view HEX_DIGITS = "0123456789ABCDEF";
constexpr std::string_view BASE64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The type itself where there is no state in it.
DataTypePtr encodedType(const DataTypePtr & type)
{
    switch (type->getTypeId())
    {
        case TypeIndex::AggregateFunction:
            return std::make_shared<DataTypeString>();
        case TypeIndex::Array: {
            const DataTypePtr & nested = static_cast<const DataTypeArray &>(*type).getNestedType();
            DataTypePtr encoded = encodedType(nested);
            return encoded == nested ? type : std::make_shared<DataTypeArray>(std::move(encoded));
        }
        case TypeIndex::Tuple: {
            const auto & tuple = static_cast<const DataTypeTuple &>(*type);
            DataTypes encoded;
            for (const DataTypePtr & element : tuple.getElements())
                encoded.push_back(encodedType(element));
            return encoded == tuple.getElements() ? type : std::make_shared<DataTypeTuple>(std::move(encoded), tuple.getElementNames());
        }
        default:
            return type;
    }
}

/// Appends row `row` of `from` to `to`, where one of them is a column of `type` and the other one of the encoded type: `convert` appends a state
/// (its type, the column, the row, the result), the rest is copied.
template <typename Convert>
void convertStates(const IDataType & type, const IColumn & from, size_t row, IColumn & to, const Convert & convert)
{
    switch (type.getTypeId())
    {
        case TypeIndex::AggregateFunction:
            convert(type, from, row, to);
            break;
        case TypeIndex::Array: {
            const auto & arrays = static_cast<const ColumnArray &>(from);
            auto & results = static_cast<ColumnArray &>(to);
            for (UInt64 i = arrays.offsetAt(row); i < arrays.getOffsets()[row]; ++i)
                convertStates(*static_cast<const DataTypeArray &>(type).getNestedType(), arrays.getData(), i, results.getData(), convert);
            results.closeRow();
            break;
        }
        case TypeIndex::Tuple:
            static_cast<ColumnTuple &>(to).appendToEach([&](IColumn & element, size_t i) {
                convertStates(
                    *static_cast<const DataTypeTuple &>(type).getElements()[i],
                    static_cast<const ColumnTuple &>(from).element(i),
                    row,
                    element,
                    convert);
            });
            break;
        default:
            to.insertFrom(from, row);
    }
}

class EncodedStatesOutputFormat final : public IOutputFormat
{
public:
    EncodedStatesOutputFormat(
        WriteBuffer & out_, NamesAndTypes structure_, std::unique_ptr<IOutputFormat> strings_, StateEncoding encoding_)
        : IOutputFormat(out_, std::move(structure_)), strings(std::move(strings_)), encoding(encoding_)
    {
    }

protected:
    void writeBlock(const Block & block) override
    {
        const auto encode = [this](const IDataType & type, const IColumn & from, size_t row, IColumn & to) {
            const std::string bytes = stateBytes(type, from, row);
            static_cast<ColumnString &>(to).insert(encoding == StateEncoding::Hex ? encodeHex(bytes) : encodeBase64(bytes));
        };
        Block encoded;
        for (size_t i = 0; i < block.columns(); ++i)
        {
            const ColumnWithTypeAndName & column = block.getByPosition(i);
            DataTypePtr type = encodedType(column.type);
            if (type == column.type)
            {
                encoded.insert(column);
                continue;
            }
            MutableColumnPtr result = type->createColumn();
            for (size_t row = 0; row < column.column->size(); ++row)
                convertStates(*column.type, *column.column, row, *result, encode);
            encoded.insert({std::move(result), std::move(type), column.name});
        }
        strings->write(encoded);
    }

    void writeSuffix() override { strings->finalize(); }

private:
    std::unique_ptr<IOutputFormat> strings;
    StateEncoding encoding;
};
}

std::optional<NamesAndTypes> encodedStructure(const std::optional<NamesAndTypes> & structure, StateEncoding encoding)
{
    std::optional<NamesAndTypes> result = structure;
    if (result && encoding != StateEncoding::Bytes)
        for (NameAndType & column : *result)
            column.type = encodedType(column.type);
    return result;
}

void decodeStates(const IDataType & type, const IColumn & from, size_t row, IColumn & to, StateEncoding encoding)
{
    convertStates(type, from, row, to, [encoding](const IDataType & state_type, const IColumn & texts, size_t i, IColumn & states) {
        const std::string_view text = static_cast<const ColumnString &>(texts)[i];
        if (text.empty())
            states.insertDefault();
        else
            static_cast<const DataTypeAggregateFunction &>(state_type)
                .deserializeWhole(states, encoding == StateEncoding::Hex ? decodeHex(text) : decodeBase64(text));
    });
}

std::unique_ptr<IOutputFormat>
createEncodedStatesOutput(WriteBuffer & out, NamesAndTypes structure, std::unique_ptr<IOutputFormat> strings, StateEncoding encoding)
{
    return std::make_unique<EncodedStatesOutputFormat>(out, std::move(structure), std::move(strings), encoding);
}

std::string encodeHex(std::string_view bytes)
{
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char c : bytes)
    {
        text += HEX_DIGITS[static_cast<UInt8>(c) >> 4];
        text += HEX_DIGITS[static_cast<UInt8>(c) & 15];
    }
    return text;
}

std::string encodeBase64(std::string_view bytes)
{
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3)
    {
        const size_t here = std::min<size_t>(3, bytes.size() - i);
        UInt32 group = 0;
        for (size_t j = 0; j < 3; ++j)
            group = group << 8 | (j < here ? static_cast<UInt8>(bytes[i + j]) : 0);
        for (size_t j = 0; j < 4; ++j)
            text += j <= here ? BASE64_DIGITS[group >> (18 - 6 * j) & 63] : '=';
    }
    return text;
}

std::string decodeHex(std::string_view text)
{
    /// What is no digit says more than how many there are.
    if (const size_t other = text.find_first_not_of("0123456789ABCDEFabcdef"); other != std::string_view::npos)
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("No hexadecimal digit at offset ", other, " of ", text.size(), ": found ", quoteForError(text.substr(other, 1))));
    if (text.size() % 2 != 0)
        throwError(ErrorCodes::INCORRECT_DATA, concat("An odd number of hexadecimal digits: ", text.size()));
    std::string bytes;
    bytes.reserve(text.size() / 2);
    const auto digit = [&](size_t i) {
        const char c = text[i] >= 'a' && text[i] <= 'f' ? static_cast<char>(text[i] - 'a' + 'A') : text[i];
        return HEX_DIGITS.find(c);
    };
    for (size_t i = 0; i < text.size(); i += 2)
        bytes += static_cast<char>(digit(i) << 4 | digit(i + 1));
    return bytes;
}

std::string decodeBase64(std::string_view text)
{
    if (text.size() % 4 != 0)
        throwError(ErrorCodes::INCORRECT_DATA, concat("A base64 text of ", text.size(), " characters, which is no multiple of four"));
    const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    UInt32 group = 0;
    for (size_t i = 0; i < text.size(); ++i)
    {
        const size_t digit = i + padding >= text.size() ? 0 : BASE64_DIGITS.find(text[i]);
        if (digit == std::string_view::npos)
            throwError(ErrorCodes::INCORRECT_DATA, concat("No base64 digit at offset ", i, " of ", text.size()));
        group = group << 6 | static_cast<UInt32>(digit);
        if (i % 4 == 3)
        {
            if (i + 1 == text.size() && (group & ((1U << 8 * padding) - 1)) != 0)
                throwError(
                    ErrorCodes::INCORRECT_DATA, concat("The base64 digit at offset ", i - padding, " has bits that belong to no byte"));
            for (int shift = 16; shift >= 0; shift -= 8)
                bytes += static_cast<char>(group >> shift & 255);
            group = 0;
        }
    }
    bytes.resize(bytes.size() - padding);
    return bytes;
}

}
