#pragma once

namespace DB::inline statewire
{

/// What precedes the rows of a format.
enum class TextHeader
{
    None,
    Names,
    NamesAndTypes
};

}
