#include "Bytes.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/Formats/EncodedStates.h>
#include <statewire/Formats/NamesAndTypes.h>
#include <statewire/IO/ReadEscaped.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/IO/WriteEscaped.h>

using namespace DB;

namespace statewire_program
{

Encoding parseEncoding(std::string_view name)
{
    if (name == "raw")
        return Encoding::Raw;
    if (name == "hex")
        return Encoding::Hex;
    if (name == "base64")
        return Encoding::Base64;
    if (name == "escaped")
        return Encoding::Escaped;
    throwError(ErrorCodes::BAD_ARGUMENTS, concat("Unknown encoding ", quoteName(name), ", known are ", std::string_view(ENCODING_NAMES)));
}

std::string decode(Encoding encoding, std::string_view text)
{
    switch (encoding)
    {
        case Encoding::Raw:
            return std::string(text);
        case Encoding::Hex:
            return DB::decodeHex(text);
        case Encoding::Base64:
            return decodeBase64(text);
        case Encoding::Escaped:
            break;
    }
    std::string bytes;
    readEscapedString(bytes, text);
    return bytes;
}

std::string encode(Encoding encoding, std::string_view bytes)
{
    switch (encoding)
    {
        case Encoding::Raw:
            return std::string(bytes);
        case Encoding::Hex:
            return encodeHex(bytes);
        case Encoding::Base64:
            return encodeBase64(bytes);
        case Encoding::Escaped:
            break;
    }
    std::string text;
    WriteBufferFromString out(text);
    writeEscapedString(bytes, out);
    out.finalize();
    return text;
}

}
