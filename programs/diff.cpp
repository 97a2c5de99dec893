#include "Command.h"
#include "SortedTable.h"
#include "StateDifference.h"
#include "StateWalker.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Interpreters/ExpressionParser.h>

#include <algorithm>

using namespace DB;

namespace statewire_program
{

namespace
{
struct DiffOptions
{
    InputOptions input;
    std::string keys;
    CLI::Option * keys_option = nullptr;
    bool sort = false;
    bool json = false;
    bool quiet = false;
};

std::string textOf(const IDataType & type, const IColumn & column, size_t row)
{
    std::string text;
    WriteBufferFromString out(text);
    type.serializeTextEscaped(column, row, out);
    out.finalize();
    return text;
}

class Differ
{
public:
    Differ(const DiffOptions & options_, WriteBuffer & out_)
        : options(options_),
          out(out_),
          left(options.input, options.input.files.at(0), options.sort),
          right(options.input, options.input.files.at(1), options.sort)
    {
    }

    /// True when the tables are equal.
    bool run()
    {
        matchColumns();
        left.start(key_names);
        right.start(key_names);
        while ((!left.atEnd() || !right.atEnd()) && !(options.quiet && differences != 0))
        {
            const int order = left.atEnd() ? 1 : right.atEnd() ? -1 : left.compareKeys(right);
            if (order < 0)
                reportOnlyIn(left, "only_left", '<');
            else if (order > 0)
                reportOnlyIn(right, "only_right", '>');
            else
                compareRows();
            if (order <= 0)
                left.next();
            if (order >= 0)
                right.next();
        }
        if (options.json)
            print(
                {{"event", "summary"},
                 {"rows_left", left.rowsPassed()},
                 {"rows_right", right.rowsPassed()},
                 {"only_left", only_left},
                 {"only_right", only_right},
                 {"different_rows", different_rows}});
        return differences == 0;
    }

private:
    struct ValueColumn
    {
        NameAndType column;
        size_t left = 0;
        size_t right = 0;
    };

    void matchColumns()
    {
        const NamesAndTypes & left_columns = left.getStructure();
        const NamesAndTypes & right_columns = right.getStructure();
        const auto requireSame = [](const NamesAndTypes & from, const NamesAndTypes & to, const std::string & path) {
            for (const NameAndType & column : from)
            {
                const auto position = findName(to, column.name);
                if (!position)
                    throwError(
                        ErrorCodes::UNKNOWN_IDENTIFIER, concat("There is no column ", quoteName(column.name), " in ", inputName(path)));
                if (const IDataType & type = *to[*position].type; !type.equals(*column.type))
                    throwError(
                        ErrorCodes::TYPE_MISMATCH,
                        concat(
                            "Column ",
                            quoteName(column.name),
                            " has type ",
                            type.getName(),
                            " in ",
                            inputName(path),
                            ", expected ",
                            column.type->getName()));
            }
        };
        requireSame(left_columns, right_columns, options.input.files[1]);
        requireSame(right_columns, left_columns, options.input.files[0]);
        key_names = parseNames(options.keys);
        const bool keys_given = options.keys_option->count() != 0;
        for (size_t i = 0; i < left_columns.size(); ++i)
        {
            const NameAndType & column = left_columns[i];
            const bool is_key = std::find(key_names.begin(), key_names.end(), column.name) != key_names.end();
            if (!keys_given && !isState(*column.type))
                key_names.push_back(column.name);
            else if (!is_key)
                values.push_back({column, i, *findName(right_columns, column.name)});
        }
        for (const std::string & name : key_names)
            if (const auto position = findName(left_columns, name); position && isState(*left_columns[*position].type))
                throwError(ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT, concat("Column ", quoteName(name), " holds states, which are no keys"));
    }

    void compareRows()
    {
        const UInt64 before = differences;
        for (const ValueColumn & value : values)
        {
            const auto difference = findDifference(
                *value.column.type,
                *left.block().getByPosition(value.left).column,
                left.rowInBlock(),
                *right.block().getByPosition(value.right).column,
                right.rowInBlock());
            if (!difference)
                continue;
            ++differences;
            if (options.quiet)
                return;
            if (options.json)
            {
                nlohmann::ordered_json object{{"event", "different"}, {"key", keyObject(left)}, {"column", value.column.name}};
                object.update(difference->members);
                print(object);
            }
            else
                print(concat('!', keyText(left), '\t', quoteIdentifier(value.column.name), '\t', difference->text, '\n'));
        }
        different_rows += differences != before;
    }

    void reportOnlyIn(const SortedTable & table, std::string_view event, char sign)
    {
        ++differences;
        ++(sign == '<' ? only_left : only_right);
        if (options.quiet)
            return;
        if (options.json)
            print({{"event", event}, {"key", keyObject(table)}});
        else
            print(concat(sign, keyText(table), '\n'));
    }

    [[nodiscard]] const IDataType & keyType(const SortedTable & table, size_t i) const
    {
        return *table.block().findByName(key_names[i])->type;
    }

    [[nodiscard]] std::string keyText(const SortedTable & table) const
    {
        std::string text;
        for (size_t i = 0; i < key_names.size(); ++i)
            text += '\t' + textOf(keyType(table, i), table.key(i), table.rowInBlock());
        return text;
    }

    [[nodiscard]] nlohmann::ordered_json keyObject(const SortedTable & table) const
    {
        auto object = nlohmann::ordered_json::object();
        for (size_t i = 0; i < key_names.size(); ++i)
            object[key_names[i]] = keyType(table, i).getTypeId() == TypeIndex::String
                ? std::string(table.key(i).getDataAt(table.rowInBlock()))
                : textOf(keyType(table, i), table.key(i), table.rowInBlock());
        return object;
    }

    void print(const nlohmann::ordered_json & object)
    {
        print(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
    }
    void print(const std::string & text) { out.write(text.data(), text.size()); }

    const DiffOptions & options;
    WriteBuffer & out;
    SortedTable left;
    SortedTable right;
    std::vector<std::string> key_names;
    std::vector<ValueColumn> values;
    UInt64 differences = 0;
    UInt64 different_rows = 0;
    UInt64 only_left = 0;
    UInt64 only_right = 0;
};

int diff(const DiffOptions & options)
{
    if (options.input.files.size() != 2)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Give two files to compare, not ", options.input.files.size()));
    if (options.input.files[0] == "-" && options.input.files[1] == "-")
        throwError(ErrorCodes::BAD_ARGUMENTS, "Only one of the two files can be stdin");
    OutputFile output("-", "");
    const bool equal = Differ(options, output.data()).run();
    output.finalize();
    return equal ? 0 : 1;
}
}

void addDiffCommand(CLI::App & program, Action & action, int & exit_code)
{
    CLI::App & command = *program.add_subcommand("diff", "Compare two files of states, sorted by their keys");
    const auto options = std::make_shared<DiffOptions>();
    options->input.addTo(command, "Native");
    options->keys_option = command
                               .add_option(
                                   "-k,--keys",
                                   options->keys,
                                   "Key columns, as \"script,category\"; all others are compared. Default: every column that is no state")
                               ->type_name("NAMES");
    command.add_flag("--sort", options->sort, "Take unsorted files: read them into memory and sort them");
    command.add_flag("--json", options->json, "Print JSON objects, one a line: events only_left, only_right, different and summary");
    command.add_flag("-q,--quiet", options->quiet, "Print nothing and stop at the first difference: the exit code says it");
    command.footer(
        "Prints < and the key of a row that only the first file has, > for the second, and ! with key, column and how much where the\n"
        "states differ: of bitmaps how many values each side has alone, of sketches the totals and the largest difference of a cell.\n"
        "States are equal when they say the same, however they are written. Files stream: memory does not grow with them.\n"
        "Exit code: 0 without differences, 1 with some, an error's code in trouble.\n\n"
        "Examples:\n"
        "  statewire diff monday.native tuesday.native || echo changed\n"
        "  statewire diff --json --keys page week.native other.tsv -S 'page String, users AggregateFunction(groupBitmap, UInt32)'");
    command.callback([options, &action, &exit_code] { action = [options, &exit_code] { exit_code = diff(*options); }; });
}

}
