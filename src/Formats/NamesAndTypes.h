#pragma once

#include "../DataTypes/IDataType.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace DB::inline statewire
{

struct NameAndType
{
    std::string name;
    DataTypePtr type;
};

/// The structure of a table: its columns in order. Names are different from each other wherever this library takes or gives one.
using NamesAndTypes = std::vector<NameAndType>;

[[nodiscard]] std::optional<size_t> findName(const NamesAndTypes & columns, std::string_view name) noexcept;

/// The same names and equal types in the same order.
[[nodiscard]] bool equalStructures(const NamesAndTypes & left, const NamesAndTypes & right);

/// A name from a file, made fit for an error text: at most 64 characters, everything unprintable as \xNN.
[[nodiscard]] std::string quoteName(std::string_view name);

}
