#include "Command.h"
#include "CommandLine.h"
#include "Files.h"

#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>

namespace statewire_program
{

namespace
{
/// As text of roff: nothing in it is a request or an escape.
std::string escaped(const std::string & text)
{
    std::string result;
    bool line_start = true;
    for (const char c : text)
    {
        if (line_start && (c == '.' || c == '\''))
            result += "\\&";
        if (c == '\\')
            result += "\\e";
        else if (c == '-')
            result += "\\-";
        else if (c == '\'')
            result += "\\(aq";
        else if (c == '`')
            result += "\\(ga";
        else if (c == '^')
            result += "\\(ha";
        else if (c == '~')
            result += "\\(ti";
        else
            result += c;
        line_start = c == '\n';
    }
    return result;
}

std::string optionText(const CLI::Option & option)
{
    std::string names;
    const auto add = [&](const std::string & name) { names += (names.empty() ? "\\fB" : "\\fR, \\fB") + escaped(name); };
    for (const std::string & name : option.get_snames())
        add('-' + name);
    for (const std::string & name : option.get_lnames())
        add("--" + name);
    if (names.empty())
        names = "\\fI" + escaped(option.get_name());
    const std::string value = option.get_expected_max() != 0 ? option.get_type_name() : "";
    if (!value.empty() && option.nonpositional())
        names += "\\fR \\fI" + escaped(value);
    return ".TP\n" + names + "\\fR\n" + escaped(option.get_description()) + '\n';
}

std::string optionsText(const CLI::App & app)
{
    std::string text;
    for (const CLI::Option * option : app.get_options())
        text += optionText(*option);
    return text;
}

/// Paragraphs keep their lines: commands and tables are among them.
std::string footerText(const CLI::App & app)
{
    const std::string footer = app.get_footer();
    return footer.empty() ? "" : ".PP\n.nf\n" + escaped(footer) + "\n.fi\n";
}
}

std::vector<const CLI::App *> commandsOf(const CLI::App & program)
{
    return program.get_subcommands([](const CLI::App *) { return true; });
}

std::string manualPage(const CLI::App & program)
{
    std::string text = ".TH STATEWIRE 1 \"\" \"statewire " STATEWIRE_VERSION "\" \"User Commands\"\n"
                       ".SH NAME\nstatewire \\- "
        + escaped(program.get_description().substr(program.get_description().find(' ') + 1))
        + "\n.SH SYNOPSIS\n.B statewire\n.I COMMAND\n[\\fIOPTIONS\\fR] [\\fIFILE\\fR...]\n.SH OPTIONS\n" + optionsText(program)
        + ".SH COMMANDS\n";
    for (const CLI::App * command : commandsOf(program))
        text += ".SS " + escaped(command->get_name()) + '\n' + escaped(command->get_description()) + ".\n" + optionsText(*command)
            + footerText(*command);
    return text
        + ".SH STREAMS\nData goes to stdout; progress, timing and errors go to stderr.\n"
          ".SH EXIT STATUS\n0, or the error's code modulo 256, 1 where that is 0. \\fBdiff\\fR exits with 1 when the files differ.\n"
          ".SH SEE ALSO\nclickhouse\\-local, clickhouse\\-compressor\n";
}

void addManualCommand(CLI::App & program, Action & action)
{
    CLI::App & command = *program.add_subcommand("manual", "Print the manual page");
    command.footer("Examples:\n"
                   "  statewire manual > statewire.1");
    command.callback([&program, &action] { action = [&program] { printToStdout(manualPage(program)); }; });
}

}
