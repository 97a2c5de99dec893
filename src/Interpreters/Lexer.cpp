#include "Lexer.h"

#include "../Common/ErrorCodes.h"
#include "../Common/Exception.h"
#include "../Common/throwError.h"
#include "../IO/ReadEscaped.h"
#include "QueryError.h"

namespace DB::inline statewire
{

namespace
{
bool isWordStart(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool isDigit(char c) noexcept { return c >= '0' && c <= '9'; }

bool isWordPart(char c) noexcept { return isWordStart(c) || isDigit(c); }

bool isSpace(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool isLongOperator(std::string_view text) noexcept { return text == "==" || text == "!=" || text == "<>" || text == "<=" || text == ">="; }

char toUpper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
}

void Lexer::throwSyntaxError(size_t position, std::string_view found, std::string_view expected)
{
    /// More of a long query would hide what is said about it.
    constexpr size_t SHOWN = 40;
    const std::string shown = found.empty() ? "the end" : concat("'", found.substr(0, SHOWN), found.size() > SHOWN ? "...'" : "'");
    throw QueryError(
        ErrorCodes::SYNTAX_ERROR, concat("Syntax error at position ", position + 1, " (", shown, "): expected ", expected), position);
}

void Lexer::throwExpected(std::string_view expected) const { throwSyntaxError(token.position, text.substr(token.position), expected); }

Token Lexer::take()
{
    Token taken = std::move(token);
    end_of_last = pos;
    advance();
    return taken;
}

bool Lexer::isKeyword(std::string_view upper_case) const noexcept
{
    if (token.kind != Token::Kind::Identifier || token.quoted || token.text.size() != upper_case.size())
        return false;
    for (size_t i = 0; i < upper_case.size(); ++i)
        if (toUpper(token.text[i]) != upper_case[i])
            return false;
    return true;
}

bool Lexer::tryTakeKeyword(std::string_view upper_case)
{
    if (!isKeyword(upper_case))
        return false;
    take();
    return true;
}

bool Lexer::tryTake(char c)
{
    if (!isPunctuation(c))
        return false;
    take();
    return true;
}

void Lexer::require(char c)
{
    if (!tryTake(c))
        throwExpected(concat("'", c, "'"));
}

Token Lexer::requireIdentifier(std::string_view what)
{
    if (token.kind != Token::Kind::Identifier)
        throwExpected(what);
    return take();
}

void Lexer::advance()
{
    while (pos < text.size() && isSpace(text[pos]))
        ++pos;
    token = {};
    token.position = pos;
    if (pos == text.size())
        return;
    const char c = text[pos];
    if (isWordStart(c))
    {
        while (pos < text.size() && isWordPart(text[pos]))
            ++pos;
        token.kind = Token::Kind::Identifier;
        token.value = text.substr(token.position, pos - token.position);
    }
    else if (c == '`' || c == '"')
        readQuotedIdentifier(c);
    else if (c == '\'')
        readString();
    else if (isDigit(c) || (c == '.' && pos + 1 < text.size() && isDigit(text[pos + 1])))
        readNumber();
    else
    {
        token.kind = Token::Kind::Punctuation;
        pos += isLongOperator(text.substr(pos, 2)) ? 2 : 1;
    }
    token.text = text.substr(token.position, pos - token.position);
}

void Lexer::readQuotedIdentifier(char quote)
{
    std::string escaped;
    ++pos;
    while (true)
    {
        if (pos == text.size())
            throwSyntaxError(token.position, text.substr(token.position), "a closing quote of the identifier");
        if (text[pos] == quote)
        {
            /// A doubled quote is a quote inside the name.
            if (pos + 1 == text.size() || text[pos + 1] != quote)
                break;
            ++pos;
        }
        else if (text[pos] == '\\' && pos + 1 < text.size())
            escaped += text[pos++];
        escaped += text[pos++];
    }
    ++pos;
    token.kind = Token::Kind::Identifier;
    token.quoted = true;
    try
    {
        readEscapedString(token.value, escaped);
    }
    catch (const Exception &)
    {
        throwSyntaxError(token.position, text.substr(token.position), "only escape sequences that there are in the identifier");
    }
    if (token.value.empty())
        throwSyntaxError(token.position, text.substr(token.position), "an identifier of at least one character");
}

void Lexer::readString()
{
    token.kind = Token::Kind::String;
    const char * from = text.data() + pos;
    try
    {
        readQuotedString(token.value, from, text.data() + text.size());
    }
    catch (const Exception &)
    {
        throwSyntaxError(
            token.position, text.substr(token.position), "a string with a closing quote and only escape sequences that there are");
    }
    pos = static_cast<size_t>(from - text.data());
}

void Lexer::readNumber()
{
    token.kind = Token::Kind::Number;
    const bool hexadecimal = text[pos] == '0' && pos + 1 < text.size() && (text[pos + 1] == 'x' || text[pos + 1] == 'X');
    while (pos < text.size())
    {
        const char c = text[pos];
        const char before = pos > token.position ? text[pos - 1] : ' ';
        const bool sign_of_exponent = !hexadecimal && (c == '-' || c == '+') && (before == 'e' || before == 'E');
        if (!isWordPart(c) && c != '.' && !sign_of_exponent)
            break;
        ++pos;
    }
}

std::string quoteIdentifier(std::string_view name)
{
    bool bare = !name.empty() && isWordStart(name[0]);
    for (const char c : name)
        bare = bare && isWordPart(c);
    if (bare)
        return std::string(name);
    std::string result = "`";
    for (const char c : name)
    {
        if (c == '`' || c == '\\')
            result += '\\';
        result += c;
    }
    return result + '`';
}

}
