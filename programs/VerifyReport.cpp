#include "VerifyReport.h"
#include "FunctionState.h"
#include "StateInspector.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>

#include <algorithm>
#include <memory>

using namespace DB;

namespace statewire_program
{

namespace
{
std::string line(const nlohmann::ordered_json & object)
{
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

void requireWhole(UInt64 consumed, std::string_view bytes)
{
    if (consumed != bytes.size())
        throwError(
            ErrorCodes::INCORRECT_DATA,
            concat("Bytes behind the state at byte ", consumed, ": expected ", consumed, " bytes, found ", bytes.size()));
}

/// "3 states", "1 state".
std::string counted(UInt64 count, std::string_view noun) { return concat(count, ' ', noun, count == 1 ? "" : "s"); }

nlohmann::ordered_json placeObject(std::string_view event, const std::string & file, const StatePlace & place)
{
    nlohmann::ordered_json object{{"event", event}, {"file", file}, {"row", place.row}};
    if (!place.column.empty())
        object["column"] = place.column;
    if (place.elements.size() == 1)
        object["element"] = place.elements.front();
    else if (!place.elements.empty())
        object["element"] = place.elements;
    if (place.offset)
        object["offset"] = *place.offset;
    return object;
}
}

VerifyReport::Facts VerifyReport::check(const StateType & type, std::string_view bytes)
{
    if (type.layout != StateLayout::OtherState)
    {
        const std::unique_ptr<StateInspector> inspector = inspectState(type, std::make_shared<const std::string>(bytes));
        requireWhole(inspector->consumed(), bytes);
        nlohmann::ordered_json description;
        inspector->describe(description, {});
        const auto & canonical = description.at("canonical");
        return {description.at("kind"), canonical.is_null() ? std::nullopt : std::optional(canonical.get<bool>()), bytes.size()};
    }
    const FunctionState state(type, bytes);
    requireWhole(state.consumed(), bytes);
    return {"state", state.isCanonical(), bytes.size()};
}

void VerifyReport::beginFile(std::string name)
{
    file = std::move(name);
    columns.clear();
    ++files;
}

VerifyReport::ColumnSummary & VerifyReport::columnSummary(const StatePlace & place, const StateType & type)
{
    for (ColumnSummary & column : columns)
        if (column.name == place.column)
            return column;
    ColumnSummary & column = columns.emplace_back();
    column.name = place.column;
    column.type = type.name;
    return column;
}

void VerifyReport::state(const StatePlace & place, const StateType & type, std::string_view text, Encoding encoding)
{
    ColumnSummary & column = columnSummary(place, type);
    ++column.states;
    ++states;
    Facts facts;
    try
    {
        facts = encoding == Encoding::Raw ? check(type, text) : check(type, decode(encoding, text));
    }
    catch (const Exception & e)
    {
        ++column.invalid;
        ++invalid;
        fail(e.code());
        problem(place, e.code(), e.displayText());
        return;
    }
    column.smallest = column.kinds.empty() ? facts.bytes : std::min(column.smallest, facts.bytes);
    column.largest = std::max(column.largest, facts.bytes);
    column.bytes += facts.bytes;
    ++column.kinds[facts.kind];
    if (facts.canonical == false)
    {
        ++column.not_canonical;
        ++not_canonical;
        if (options.require_canonical)
        {
            fail(ErrorCodes::INCORRECT_DATA);
            problem(place, ErrorCodes::INCORRECT_DATA, "The state is valid but not canonical: writing it gives other bytes");
        }
    }
    if (!options.list)
        return;
    nlohmann::ordered_json object = placeObject("state", file, place);
    object["kind"] = facts.kind;
    object["bytes"] = facts.bytes;
    object["canonical"] = facts.canonical ? nlohmann::ordered_json(*facts.canonical) : nlohmann::ordered_json();
    if (options.json)
        print(line(object));
    else
        print(concat(
            file,
            ": ",
            placeText(place),
            ": ",
            facts.kind,
            ", ",
            counted(facts.bytes, "byte"),
            facts.canonical == false ? ", not canonical\n" : "\n"));
}

void VerifyReport::problem(const StatePlace & place, int code, const std::string & text)
{
    if (options.json)
    {
        nlohmann::ordered_json object = placeObject("problem", file, place);
        object["code"] = code;
        object["error"] = text;
        print(line(object));
        return;
    }
    print(concat(
        file,
        ": ",
        placeText(place),
        place.offset ? ", at byte " + std::to_string(*place.offset) : "",
        ": ",
        text,
        '\n'));
}

void VerifyReport::stopped(const Exception & error, std::string_view why)
{
    ++stopped_files;
    fail(error.code());
    if (options.json)
        print(line({{"event", "stopped"}, {"file", file}, {"code", error.code()}, {"error", error.displayText()}, {"why", why}}));
    else
        print(concat(file, ": stopped: ", error.displayText(), " -- ", why, '\n'));
}

void VerifyReport::endFile(UInt64 rows)
{
    nlohmann::ordered_json object{{"event", "file"}, {"file", file}, {"rows", rows}, {"columns", nlohmann::ordered_json::array()}};
    for (const ColumnSummary & column : columns)
    {
        nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
        std::string kinds_text;
        for (const auto & [kind, count] : column.kinds)
        {
            kinds[kind] = count;
            kinds_text += concat(", ", count, ' ', kind);
        }
        object["columns"].push_back(
            {{"column", column.name},
             {"type", column.type},
             {"states", column.states},
             {"invalid", column.invalid},
             {"not_canonical", column.not_canonical},
             {"kinds", kinds},
             {"bytes", column.bytes},
             {"smallest", column.smallest},
             {"largest", column.largest}});
        if (!options.json)
            print(concat(
                file,
                ": ",
                column.name.empty() ? "" : "column " + quoteName(column.name) + ", ",
                column.type,
                ": ",
                counted(column.states, "state"),
                kinds_text,
                "; ",
                column.bytes,
                " bytes, ",
                column.smallest,
                " to ",
                column.largest,
                " each; ",
                column.invalid,
                " invalid, ",
                column.not_canonical,
                " not canonical\n"));
    }
    if (options.json)
        print(line(object));
    else if (columns.empty())
        print(concat(file, ": no states\n"));
}

void VerifyReport::finish()
{
    if (options.json)
        print(line(
            {{"event", "summary"},
             {"files", files},
             {"stopped", stopped_files},
             {"states", states},
             {"invalid", invalid},
             {"not_canonical", not_canonical}}));
}

std::string VerifyReport::conclusion() const
{
    std::string text = concat(invalid, " of ", counted(states, "state"), invalid == 1 ? " is invalid" : " are invalid");
    if (options.require_canonical)
        text += concat(", ", not_canonical, not_canonical == 1 ? " is not canonical" : " are not canonical");
    if (stopped_files != 0)
        text += concat(", ", stopped_files, " of ", counted(files, "file"), stopped_files == 1 ? " was" : " were", " not read to the end");
    return text;
}

}
