#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <functional>

/** The commands of the program, one a file. Each adds its options to the command line; when its name was given, `action` is what main runs
 * after the whole command line was understood. Actions throw DB::Exception.
 */
namespace statewire_program
{

using Action = std::function<void()>;

void addAggregateCommand(CLI::App & program, Action & action);
void addMergeCommand(CLI::App & program, Action & action);
void addQueryCommand(CLI::App & program, Action & action);
void addInspectCommand(CLI::App & program, Action & action);
void addCompressorCommand(CLI::App & program, Action & action);

}
