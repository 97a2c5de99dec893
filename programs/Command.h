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
void addConvertCommand(CLI::App & program, Action & action);
void addVerifyCommand(CLI::App & program, Action & action);
/// Sets `exit_code` to 1 when the files differ.
void addDiffCommand(CLI::App & program, Action & action, int & exit_code);
void addCompressorCommand(CLI::App & program, Action & action);
void addUdfCommand(CLI::App & program, Action & action);

/// What they print is about the whole program, as it stands when they run.
void addManualCommand(CLI::App & program, Action & action);
void addCompletionCommand(CLI::App & program, Action & action);

}
