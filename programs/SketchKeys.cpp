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

#include <utility>

using namespace DB;

namespace statewire_program
{

namespace
{
constexpr std::pair<std::string_view, TypeIndex> NUMBER_PREFIXES[]
    = {{"u8:", TypeIndex::UInt8},
       {"u16:", TypeIndex::UInt16},
       {"u32:", TypeIndex::UInt32},
       {"u64:", TypeIndex::UInt64},
       {"i8:", TypeIndex::Int8},
       {"i16:", TypeIndex::Int16},
       {"i32:", TypeIndex::Int32},
       {"i64:", TypeIndex::Int64}};

/// The bytes that a column of a number's type would hash for the number `text`.
std::string numberKey(std::string_view text, TypeIndex type)
{
    std::string key;
    dispatchNumber(type, [&]<typename T>() {
        key.resize(sizeof(T));
        unalignedStoreLittleEndian<T>(key.data(), DataTypeNumber<T>::parse(text));
    });
    return key;
}

std::string keyBytes(std::string_view text, const std::optional<TypeIndex> & key_type)
{
    if (text.starts_with("hex:"))
        return decode(Encoding::Hex, text.substr(4));
    for (const auto & [prefix, type] : NUMBER_PREFIXES)
        if (text.starts_with(prefix))
            return numberKey(text.substr(prefix.size()), type);
    if (key_type && sizeOfNumber(*key_type) != 0)
        return numberKey(text, *key_type);
    if (text.size() >= 2 && text.starts_with('\'') && text.ends_with('\''))
    {
        Lexer lexer(text);
        Token token = lexer.take();
        if (lexer.isAtEnd())
            return std::move(token.value);
    }
    return std::string(text);
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
