#pragma once

#include "../base/types.h"

#include <span>
#include <string_view>

namespace DB::inline statewire
{

/** A column of keys for the calls that take many: numbers as their little-endian bytes back to back, or strings.
  *
  * Points into: the column's bytes, or the caller's array of views. Valid while: those live unchanged. A small trivially copyable value.
  */
class CountMinKeys
{
public:
    /// `count` keys of `width` >= 1 bytes each; no alignment is asked for.
    [[nodiscard]] static CountMinKeys fixed(const void * bytes, UInt32 width, size_t count) noexcept
    {
        return {static_cast<const char *>(bytes), width, count};
    }
    [[nodiscard]] static CountMinKeys strings(std::span<const std::string_view> views) noexcept { return CountMinKeys(views); }

    [[nodiscard]] size_t size() const noexcept { return count; }
    /// 0 for strings.
    [[nodiscard]] UInt32 width() const noexcept { return key_width; }
    [[nodiscard]] std::string_view operator[](size_t index) const noexcept
    {
        return key_width == 0 ? views[index] : std::string_view(data + index * key_width, key_width);
    }

    /// Keys [begin, begin + n), which are there.
    [[nodiscard]] CountMinKeys slice(size_t begin, size_t n) const noexcept
    {
        return key_width == 0 ? strings({views + begin, n}) : fixed(data + begin * key_width, key_width, n);
    }

private:
    CountMinKeys(const char * data_, UInt32 width_, size_t count_) noexcept : data(data_), key_width(width_), count(count_) { }
    explicit CountMinKeys(std::span<const std::string_view> views_) noexcept : views(views_.data()), key_width(0), count(views_.size()) { }

    union
    {
        const char * data;
        const std::string_view * views;
    };
    UInt32 key_width;
    size_t count;
};

}
