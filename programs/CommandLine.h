#pragma once

#include <CLI/App.hpp>

#include <string>
#include <vector>

/** What the program's command line says of itself, in other forms than --help. All are made from the options as they are defined, so that
 * none of them can fall behind.
 */
namespace statewire_program
{

/// The manual page in roff (man 7): statewire.1.
[[nodiscard]] std::string manualPage(const CLI::App & program);
/// To be sourced by bash, or put where it looks for completions under the name `statewire`.
[[nodiscard]] std::string bashCompletion(const CLI::App & program);
/// To be put into a folder of $fpath under the name `_statewire`.
[[nodiscard]] std::string zshCompletion(const CLI::App & program);

/// The commands in the order of --help.
[[nodiscard]] std::vector<const CLI::App *> commandsOf(const CLI::App & program);

}
