#pragma once

#include "FormatSettings.h"
#include "IOutputFormat.h"
#include "NamesAndTypes.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

/** States in text formats as hex or base64: to the formats they are strings, and stand in arrays and tuples as well. */
namespace DB::inline statewire
{

/// The same columns with String in the place of states; the same types where nothing changes. With StateEncoding::Bytes nothing does.
[[nodiscard]] std::optional<NamesAndTypes> encodedStructure(const std::optional<NamesAndTypes> & structure, StateEncoding encoding);

/// Appends to `to`, a column of `type`, the value that row `row` of `from` has in the encoded type. An empty text is a state that was never
/// fed. INCORRECT_DATA for what is no hex or base64, and what the states say of their bytes.
void decodeStates(const IDataType & type, const IColumn & from, size_t row, IColumn & to, StateEncoding encoding);

/// A writer of `structure` over one of encodedStructure(structure).
[[nodiscard]] std::unique_ptr<IOutputFormat>
createEncodedStatesOutput(WriteBuffer & out, NamesAndTypes structure, std::unique_ptr<IOutputFormat> strings, StateEncoding encoding);

/// Upper case, as hex() in ClickHouse.
[[nodiscard]] std::string encodeHex(std::string_view bytes);
/// With padding, as base64Encode() in ClickHouse.
[[nodiscard]] std::string encodeBase64(std::string_view bytes);
/// INCORRECT_DATA with the offset of what is wrong.
[[nodiscard]] std::string decodeHex(std::string_view text);
[[nodiscard]] std::string decodeBase64(std::string_view text);

}
