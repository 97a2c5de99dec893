#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace DB::inline statewire
{

struct Token
{
    enum class Kind
    {
        Identifier, /// bare, or quoted by ` or "
        Number, /// digits, hexadecimal digits behind 0x, or a float; unsigned
        String, /// in single quotes
        Punctuation, /// = == != <> < <= > >= as a whole; otherwise one character that no rule takes, such as ( ) [ ] , * - +
        End
    };

    Kind kind = Kind::End;
    /// Where it starts in the text.
    size_t position = 0;
    /// As it is written.
    std::string_view text;
    /// What a quoted identifier or a string stands for.
    std::string value;
    bool quoted = false;
};

/** Cuts what users type (queries, structures, lists of aggregates) into tokens, one at a time, with one token to look at ahead.
 *
 * Points into: the text. Valid while: it lives. Errors: QueryError with SYNTAX_ERROR; texts count positions from 1.
 */
class Lexer
{
public:
    explicit Lexer(std::string_view text_) : text(text_) { advance(); }

    /// The next token; End forever at the end.
    [[nodiscard]] const Token & peek() const noexcept { return token; }
    Token take();

    [[nodiscard]] bool isAtEnd() const noexcept { return token.kind == Token::Kind::End; }
    [[nodiscard]] bool isPunctuation(char c) const noexcept
    {
        return token.kind == Token::Kind::Punctuation && token.text.size() == 1 && token.text[0] == c;
    }
    /// A bare word, in any case of letters.
    [[nodiscard]] bool isKeyword(std::string_view upper_case) const noexcept;
    /// Takes the token when it is this one.
    bool tryTake(char c);
    bool tryTakeKeyword(std::string_view upper_case);
    void require(char c);
    [[nodiscard]] Token requireIdentifier(std::string_view what);

    /// Where the last token that was taken ended.
    [[nodiscard]] size_t endOfLast() const noexcept { return end_of_last; }
    [[nodiscard]] std::string_view wholeText() const noexcept { return text; }

    /// Says what was expected where the next token is.
    [[noreturn]] void throwExpected(std::string_view expected) const;
    [[noreturn]] static void throwSyntaxError(size_t position, std::string_view found, std::string_view expected);

private:
    void advance();
    void readQuotedIdentifier(char quote);
    void readString();
    void readNumber();

    std::string_view text;
    size_t pos = 0;
    size_t end_of_last = 0;
    Token token;
};

/// A column's name as one would type it: bare where possible, otherwise in backticks.
[[nodiscard]] std::string quoteIdentifier(std::string_view name);

}
