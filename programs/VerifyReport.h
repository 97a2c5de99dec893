#pragma once

#include "Bytes.h"
#include "StateWalker.h"

#include <statewire/Common/Exception.h>
#include <statewire/IO/WriteBuffer.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace statewire_program
{

/// How `verify` tells what it found.
struct VerifyReportOptions
{
    bool json = false;
    /// A line for every state, not only for those that are invalid.
    bool list = false;
    /// A state that is valid but not canonical counts as a failure.
    bool require_canonical = false;
};

/** Collects what `verify` finds, state by state, and prints it: a line for each problem where it is found, and a summary for each file. JSON
 * is one object a line; its member `event` says what it is about: state, problem, stopped, file or summary.
 */
class VerifyReport
{
public:
    VerifyReport(VerifyReportOptions options_, DB::WriteBuffer & out_) : options(options_), out(out_) { }

    void beginFile(std::string name);
    /// Checks one state, which stands in `text`.
    void state(const StatePlace & place, const StateType & type, std::string_view text, Encoding encoding);
    /// The rest of the file was not looked at.
    void stopped(const DB::Exception & error, std::string_view why);
    void endFile(DB::UInt64 rows);
    void finish();

    /// Of the first failure; 0 when there was none.
    [[nodiscard]] int errorCode() const noexcept { return first_code; }
    /// One sentence about all files.
    [[nodiscard]] std::string conclusion() const;

private:
    /// Of the states of one column.
    struct ColumnSummary
    {
        std::string name;
        std::string type;
        DB::UInt64 states = 0;
        DB::UInt64 invalid = 0;
        DB::UInt64 not_canonical = 0;
        DB::UInt64 bytes = 0;
        DB::UInt64 smallest = 0;
        DB::UInt64 largest = 0;
        std::map<std::string, DB::UInt64> kinds;
    };

    struct Facts
    {
        std::string kind;
        std::optional<bool> canonical;
        DB::UInt64 bytes = 0;
    };

    [[nodiscard]] static Facts check(const StateType & type, std::string_view bytes);
    ColumnSummary & columnSummary(const StatePlace & place, const StateType & type);
    void problem(const StatePlace & place, int code, const std::string & text);
    void fail(int code) noexcept { first_code = first_code == 0 ? code : first_code; }
    void print(std::string_view text) { out.write(text.data(), text.size()); }

    VerifyReportOptions options;
    DB::WriteBuffer & out;
    std::string file;
    std::vector<ColumnSummary> columns;
    DB::UInt64 files = 0;
    DB::UInt64 stopped_files = 0;
    DB::UInt64 states = 0;
    DB::UInt64 invalid = 0;
    DB::UInt64 not_canonical = 0;
    int first_code = 0;
};

}
