#include "ExpressionParser.h"

#include "../DataTypes/parseDataType.h"

namespace DB::inline statewire
{

namespace
{
/// `AS name` when it is there, otherwise the text since `position`.
std::string parseResultName(Lexer & lexer, size_t position)
{
    if (!lexer.isKeyword("AS"))
        return std::string(lexer.wholeText().substr(position, lexer.endOfLast() - position));
    lexer.take();
    return lexer.requireIdentifier("a name behind AS").value;
}

/// Calls parse_one for every element of a list up to the end of the text.
template <typename ParseOne>
void parseList(Lexer & lexer, ParseOne && parse_one)
{
    do
        parse_one();
    while (lexer.tryTake(','));
    if (!lexer.isAtEnd())
        lexer.throwExpected("',' or the end");
}

ExpressionNode parseExpression(Lexer & lexer, size_t depth_left)
{
    ExpressionNode node;
    node.position = lexer.peek().position;
    if (depth_left == 0)
        lexer.throwExpected("less deeply nested expressions");
    if (isLiteralStart(lexer))
    {
        node.kind = ExpressionNode::Kind::Literal;
        node.literal = parseLiteral(lexer, depth_left);
        return node;
    }
    const Token name = lexer.requireIdentifier("a column, a function or a literal");
    node.name = name.value;
    if (!lexer.tryTake('('))
        return node;
    node.kind = ExpressionNode::Kind::Function;
    if (lexer.tryTake(')'))
        return node;
    do
        node.arguments.push_back(parseExpression(lexer, depth_left - 1));
    while (lexer.tryTake(','));
    if (!lexer.tryTake(')'))
        lexer.throwExpected("',' or ')'");
    return node;
}

AggregateNode parseAggregate(Lexer & lexer)
{
    AggregateNode node;
    node.position = lexer.peek().position;
    node.function = lexer.requireIdentifier("an aggregate function").value;
    lexer.require('(');
    /// Parameters and arguments look alike until it is known whether a second list follows.
    std::vector<Literal> parameters;
    std::vector<Token> columns;
    if (!lexer.isPunctuation(')'))
    {
        do
        {
            if (isLiteralStart(lexer))
                parameters.push_back(parseLiteral(lexer, MAX_EXPRESSION_DEPTH));
            else
                columns.push_back(lexer.requireIdentifier("a column or a literal"));
        } while (lexer.tryTake(','));
    }
    if (!lexer.tryTake(')'))
        lexer.throwExpected("',' or ')'");
    if (lexer.tryTake('('))
    {
        if (!columns.empty())
            Lexer::throwSyntaxError(columns[0].position, columns[0].text, "a literal as a parameter");
        for (const Literal & parameter : parameters)
            node.parameters.push_back(toField(parameter));
        if (!lexer.isPunctuation(')'))
        {
            do
                columns.push_back(lexer.requireIdentifier("a column"));
            while (lexer.tryTake(','));
        }
        if (!lexer.tryTake(')'))
            lexer.throwExpected("',' or ')'");
    }
    else if (!parameters.empty())
        Lexer::throwSyntaxError(parameters[0].position, lexer.wholeText().substr(parameters[0].position), "a column as an argument");
    for (const Token & column : columns)
        node.argument_names.push_back(column.value);
    node.result_name = parseResultName(lexer, node.position);
    return node;
}
}

std::vector<ExpressionNode> parseExpressions(std::string_view text)
{
    Lexer lexer(text);
    std::vector<ExpressionNode> nodes;
    parseList(lexer, [&] {
        ExpressionNode node;
        node.position = lexer.peek().position;
        if (lexer.tryTake('*'))
            node.kind = ExpressionNode::Kind::AllColumns;
        else
            node = parseExpression(lexer, MAX_EXPRESSION_DEPTH);
        const bool plain_column = node.kind == ExpressionNode::Kind::Column && !lexer.isKeyword("AS");
        node.result_name = plain_column ? node.name : parseResultName(lexer, node.position);
        nodes.push_back(std::move(node));
    });
    return nodes;
}

NamesAndTypes parseStructure(std::string_view text, const AggregateFunctionFactory & factory)
{
    Lexer lexer(text);
    NamesAndTypes structure;
    parseList(lexer, [&] {
        const Token name = lexer.requireIdentifier("a column's name");
        if (findName(structure, name.value))
            Lexer::throwSyntaxError(name.position, name.text, "a name that is not there yet");
        const size_t begin = lexer.peek().position;
        size_t depth = 0;
        while (!lexer.isAtEnd() && (depth != 0 || !lexer.isPunctuation(',')))
        {
            depth += lexer.isPunctuation('(');
            if (lexer.isPunctuation(')') && depth-- == 0)
                lexer.throwExpected("',' or the end");
            lexer.take();
        }
        if (lexer.peek().position == begin)
            lexer.throwExpected("a type");
        structure.push_back({ name.value, parseDataType(text.substr(begin, lexer.endOfLast() - begin), factory) });
    });
    return structure;
}

std::vector<std::string> parseNames(std::string_view text)
{
    Lexer lexer(text);
    std::vector<std::string> names;
    if (!lexer.isAtEnd())
        parseList(lexer, [&] { names.push_back(lexer.requireIdentifier("a column's name").value); });
    return names;
}

std::vector<AggregateNode> parseAggregates(std::string_view text)
{
    Lexer lexer(text);
    std::vector<AggregateNode> nodes;
    parseList(lexer, [&] { nodes.push_back(parseAggregate(lexer)); });
    return nodes;
}

}
