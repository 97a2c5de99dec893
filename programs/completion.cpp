#include "Command.h"
#include "CommandLine.h"
#include "Files.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/Formats/FormatFactory.h>
#include <statewire/Formats/NamesAndTypes.h>

#include <string_view>

using namespace DB;

namespace statewire_program
{

namespace
{
template <typename Words>
std::string joined(const Words & words, std::string_view separator)
{
    std::string text;
    for (const auto & word : words)
    {
        if (!text.empty())
            text += separator;
        text += word;
    }
    return text;
}

/// The words that an option's value may be; empty where it may be anything.
std::string valuesOf(const CLI::Option & option)
{
    const auto is = [&](const char * name) { return option.check_lname(name); };
    if (is("input-format"))
        return joined(inputFormatNames(), " ");
    if (is("format"))
        return joined(outputFormatNames(), " ");
    if (is("input-compression"))
        return "auto none frames zst lz4";
    if (is("compression") || is("codec"))
        return "NONE LZ4 LZ4HC ZSTD";
    if (is("input-states") || is("output-states"))
        return "bytes hex base64";
    if (is("input-encoding") || is("output-encoding"))
        return "raw hex base64 escaped";
    return {};
}

bool takesValue(const CLI::Option & option) { return option.get_expected_max() != 0; }

/// All spellings of an option.
std::vector<std::string> namesOf(const CLI::Option & option)
{
    std::vector<std::string> names;
    for (const std::string & name : option.get_snames())
        names.push_back('-' + name);
    for (const std::string & name : option.get_lnames())
        names.push_back("--" + name);
    return names;
}

std::string optionWords(const CLI::App & app)
{
    std::vector<std::string> words;
    for (const CLI::Option * option : app.get_options())
        for (const std::string & name : namesOf(*option))
            words.push_back(name);
    return joined(words, " ");
}

std::string commandWords(const CLI::App & program, std::string_view separator)
{
    std::vector<std::string> names;
    for (const CLI::App * command : commandsOf(program))
        names.push_back(command->get_name());
    return joined(names, separator);
}

/// In single quotes of a shell, and inside them for zsh's option specifications.
std::string zshQuoted(std::string_view text)
{
    std::string result;
    for (const char c : text)
    {
        if (c == '\'')
            result += "'\\''";
        else if (c == '[' || c == ']' || c == ':' || c == '\\')
            (result += '\\') += c;
        else
            result += c;
    }
    return result;
}
}

std::string bashCompletion(const CLI::App & program)
{
    std::string text = "# bash completion for statewire, printed by `statewire completion bash`\n"
                       "_statewire()\n"
                       "{\n"
                       "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= options= i\n"
                       "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
                       "        case ${COMP_WORDS[i]} in\n"
                       "            "
        + commandWords(program, "|")
        + ") command=${COMP_WORDS[i]}; break ;;\n"
          "        esac\n"
          "    done\n"
          "    case $command in\n"
          "        '') options='"
        + commandWords(program, " ") + ' ' + optionWords(program) + "' ;;\n";
    std::string values;
    for (const CLI::App * command : commandsOf(program))
    {
        text += "        " + command->get_name() + ") options='" + optionWords(*command) + "' ;;\n";
        for (const CLI::Option * option : command->get_options())
            if (const std::string words = valuesOf(*option); !words.empty())
            {
                std::vector<std::string> patterns;
                for (const std::string & name : namesOf(*option))
                    patterns.push_back(command->get_name() + ':' + name);
                values += "        " + joined(patterns, "|") + ") COMPREPLY=($(compgen -W '" + words + "' -- \"$cur\")); return ;;\n";
            }
    }
    return text
        + "    esac\n"
          "    case $command:$prev in\n"
        + values
        + "        completion:completion) COMPREPLY=($(compgen -W 'bash zsh' -- \"$cur\")); return ;;\n"
          "    esac\n"
          "    if [[ $cur == -* || -z $command ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
          "    else\n"
          "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
          "    fi\n"
          "}\n"
          "complete -o filenames -F _statewire statewire\n";
}

std::string zshCompletion(const CLI::App & program)
{
    std::string text = "#compdef statewire\n"
                       "# zsh completion for statewire, printed by `statewire completion zsh`\n"
                       "_statewire()\n"
                       "{\n"
                       "    local -a commands\n"
                       "    commands=(\n";
    for (const CLI::App * command : commandsOf(program))
        text += "        '" + command->get_name() + ':' + zshQuoted(command->get_description()) + "'\n";
    text += "    )\n"
            "    if (( CURRENT == 2 )); then\n"
            "        _describe command commands\n"
            "        _arguments '--help[Print this help]' '--version[Print the version]'\n"
            "        return\n"
            "    fi\n"
            "    local command=$words[2]\n"
            "    shift words\n"
            "    (( CURRENT-- ))\n"
            "    case $command in\n";
    for (const CLI::App * command : commandsOf(program))
    {
        text += "        " + command->get_name() + ")\n            _arguments";
        for (const CLI::Option * option : command->get_options())
        {
            const std::string words = valuesOf(*option);
            const std::string action = !takesValue(*option) ? ""
                : words.empty()                             ? ":" + zshQuoted(option->get_type_name()) + ":_files"
                                                            : ":" + zshQuoted(option->get_type_name()) + ":(" + words + ")";
            for (const std::string & name : namesOf(*option))
                text += " \\\n                '*" + name + '[' + zshQuoted(option->get_description()) + ']' + action + '\'';
        }
        text += command->get_name() == "completion" ? " \\\n                '1:shell:(bash zsh)'\n"
                                                    : " \\\n                '*:file:_files'\n";
        text += "            ;;\n";
    }
    return text
        + "    esac\n"
          "}\n"
          "if [ \"$funcstack[1]\" = _statewire ]; then _statewire \"$@\"; else compdef _statewire statewire; fi\n";
}

void addCompletionCommand(CLI::App & program, Action & action)
{
    CLI::App & command = *program.add_subcommand("completion", "Print what makes a shell complete this program's command line");
    const auto shell = std::make_shared<std::string>();
    command.add_option("SHELL", *shell, "bash or zsh")->required()->type_name("");
    command.footer("Examples:\n"
                   "  statewire completion bash > statewire.bash\n"
                   "  statewire completion zsh > _statewire");
    command.callback([shell, &program, &action] {
        action = [shell, &program] {
            if (*shell != "bash" && *shell != "zsh")
                throwError(ErrorCodes::BAD_ARGUMENTS, concat("Unknown shell ", quoteName(*shell), ", known are bash and zsh"));
            printToStdout(*shell == "bash" ? bashCompletion(program) : zshCompletion(program));
        };
    });
}

}
