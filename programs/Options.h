#pragma once

#include "Files.h"

#include <CLI/App.hpp>

#include <statewire/Formats/FormatFactory.h>
#include <statewire/Storages/MergeTreePart.h>

#include <optional>
#include <string>
#include <vector>

namespace statewire_program
{

/// What is read: the same options for every command that reads tables.
struct InputOptions
{
    std::vector<std::string> files;
    std::string structure;
    std::string format;
    std::string compression = "auto";
    std::string states = "bytes";
    std::string csv_delimiter = ",";
    DB::UInt64 granule = 0;
    CLI::Option * granule_option = nullptr;
    DB::UInt64 index_granularity = 8192;
    bool progress = false;
    CLI::Option * progress_option = nullptr;

    void addTo(CLI::App & command, const char * default_format);

    /// The files with their patterns replaced; stdin when there are none.
    [[nodiscard]] std::vector<std::string> paths() const;
    /// The format that was asked for, that the file's name says, or the default. UNKNOWN_FORMAT for names of others' formats.
    [[nodiscard]] std::string formatOf(const std::string & path, std::string_view default_format) const;
    /// For errors at the begin of an input: that nobody said what its format is. Empty where somebody did.
    [[nodiscard]] std::string formatHint(const std::string & path, std::string_view default_format) const;
    /// How parts are read. With one granule alone only the sizes of their files are looked at.
    [[nodiscard]] DB::PartSettings partSettings() const;
    /// What --input-states says of a text format. BAD_ARGUMENTS for what it cannot be.
    [[nodiscard]] DB::FormatSettings formatSettings() const;
    /// Of any format: in a binary one states stand as they are, whatever the option says of the inputs beside it.
    [[nodiscard]] DB::FormatSettings formatSettings(std::string_view format_name) const;
    /// What --structure says.
    [[nodiscard]] std::optional<DB::NamesAndTypes> givenStructure() const;
};

/// By the name that --input-compression takes; BAD_ARGUMENTS for others.
[[nodiscard]] InputCompression parseCompression(const std::string & name);

/// Where and how a table is written.
struct OutputOptions
{
    std::string path;
    std::string format;
    std::string codec;
    std::string states = "bytes";
    std::string csv_delimiter = ",";

    void addTo(CLI::App & command, const char * default_format);
    /// The format that was asked for, that the file's name says, or the default.
    [[nodiscard]] std::string formatOr(std::string_view default_format) const;
    /// What --output-states says. BAD_ARGUMENTS for what it cannot be.
    [[nodiscard]] DB::FormatSettings formatSettings() const;
};

/// What a result is printed as when nobody says: for a person when it goes to a terminal.
[[nodiscard]] std::string_view defaultResultFormat(const OutputOptions & options);

/// The paths with patterns (* ? [...] {a,b}) replaced by the files that match, sorted. A name that exists is no pattern. FILE_DOESNT_EXIST
/// for a pattern without a match.
[[nodiscard]] std::vector<std::string> expandPatterns(const std::vector<std::string> & paths);

}
