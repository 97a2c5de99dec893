#include "SketchKeys.h"
#include "Bytes.h"
#include "NumberText.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>
#include <statewire/DataTypes/DataTypeNumber.h>
#include <statewire/DataTypes/dispatchNumber.h>
#include <statewire/Formats/NamesAndTypes.h>
#include <statewire/Interpreters/Lexer.h>
#include <statewire/base/unaligned.h>

using namespace DB;

namespace statewire_program
{

namespace
{
/// The bytes that a column of T would hash for the number `text`.
template <typename T>
std::string numberKey(std::string_view text)
{
    std::string key(sizeof(T), '\0');
    unalignedStoreLittleEndian<T>(key.data(), DataTypeNumber<T>::parse(text));
    return key;
}

std::string keyBytes(std::string_view text, const std::optional<TypeIndex> & key_type)
{
    if (text.starts_with("hex:"))
        return decode(Encoding::Hex, text.substr(4));
    const size_t colon = text.find(':');
    const std::string_view prefix = colon == std::string_view::npos ? std::string_view() : text.substr(0, colon);
    const std::string_view number = prefix.empty() ? std::string_view() : text.substr(colon + 1);
    if (prefix == "u8")
        return numberKey<UInt8>(number);
    if (prefix == "u16")
        return numberKey<UInt16>(number);
    if (prefix == "u32")
        return numberKey<UInt32>(number);
    if (prefix == "u64")
        return numberKey<UInt64>(number);
    if (prefix == "i8")
        return numberKey<Int8>(number);
    if (prefix == "i16")
        return numberKey<Int16>(number);
    if (prefix == "i32")
        return numberKey<Int32>(number);
    if (prefix == "i64")
        return numberKey<Int64>(number);
    std::string key(text);
    if (text.size() >= 2 && text.starts_with('\'') && text.ends_with('\''))
    {
        Lexer lexer(text);
        const Token token = lexer.take();
        if (lexer.isAtEnd())
            key = token.value;
    }
    if (key_type)
        dispatchNumber(*key_type, [&]<typename T>() { key = numberKey<T>(text); });
    return key;
}
}

std::string givenSketchKey(std::string_view text, const std::optional<TypeIndex> & key_type, UInt64 key_size)
{
    std::string key;
    try
    {
        key = keyBytes(text, key_type);
    }
    catch (Exception & e)
    {
        e.addMessage(concat("in --estimate ", quoteName(text)));
        throw;
    }
    if (key_size != 0 && key.size() != key_size)
        throwError(
            ErrorCodes::BAD_ARGUMENTS,
            concat("The key of --estimate ", quoteName(text), " has ", key.size(), " bytes, keys of this sketch have ", key_size));
    return key;
}

std::string sketchKeyText(std::string_view key, TypeIndex key_type)
{
    std::string text = quoteName(key);
    dispatchNumber(key_type, [&]<typename T>() { text = numberText(unalignedLoadLittleEndian<T>(key.data())); });
    return text;
}

}
