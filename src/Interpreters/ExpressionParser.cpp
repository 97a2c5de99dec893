#include "ExpressionParser.h"

#include "../DataTypes/parseDataType.h"
#include "QueryError.h"

#include <algorithm>
#include <iterator>
#include <utility>

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

ExpressionNode parseExpression(Lexer & lexer, size_t depth_left);

/// Words that end an expression: a column of such a name is quoted.
bool isReserved(const Lexer & lexer) noexcept
{
    constexpr std::string_view WORDS[] = {"SELECT", "FROM", "WHERE", "ORDER", "LIMIT", "AS", "AND", "OR", "NOT", "IN", "IS", "NULL"};
    return std::any_of(std::begin(WORDS), std::end(WORDS), [&](std::string_view word) { return lexer.isKeyword(word); });
}

void addArgument(ExpressionNode & node, ExpressionNode && argument)
{
    node.operators = std::max(node.operators, argument.operators);
    node.arguments.push_back(std::move(argument));
}

ExpressionNode makeCall(std::string_view function, size_t position, ExpressionNode && first)
{
    ExpressionNode node;
    node.kind = ExpressionNode::Kind::Function;
    node.position = position;
    node.name = function;
    addArgument(node, std::move(first));
    return node;
}

ExpressionNode parseOperand(Lexer & lexer, size_t depth_left)
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
    if (lexer.tryTake('('))
    {
        node = parseExpression(lexer, depth_left - 1);
        if (!lexer.tryTake(')'))
            lexer.throwExpected("an operator or ')'");
        return node;
    }
    constexpr std::string_view EXPECTED = "a column, a function or a literal";
    const bool reserved = isReserved(lexer);
    const Token name = lexer.requireIdentifier(EXPECTED);
    node.name = name.value;
    if (!lexer.tryTake('('))
    {
        if (reserved)
            Lexer::throwSyntaxError(name.position, lexer.wholeText().substr(name.position), EXPECTED);
        return node;
    }
    node.kind = ExpressionNode::Kind::Function;
    if (lexer.tryTake(')'))
        return node;
    do
        addArgument(node, parseExpression(lexer, depth_left - 1));
    while (lexer.tryTake(','));
    if (!lexer.tryTake(')'))
        lexer.throwExpected("',' or ')'");
    return node;
}

/// The call of an operator on what stands on both its sides. Chains bound recursion as nesting does.
ExpressionNode makeBinary(Lexer & lexer, std::string_view function, size_t position, ExpressionNode && left, ExpressionNode && right)
{
    ExpressionNode node = makeCall(function, position, std::move(left));
    addArgument(node, std::move(right));
    if (++node.operators > MAX_EXPRESSION_DEPTH)
        lexer.throwExpected("fewer operators behind each other");
    return node;
}

ExpressionNode parseProduct(Lexer & lexer, size_t depth_left)
{
    ExpressionNode node = parseOperand(lexer, depth_left);
    while (lexer.isPunctuation('*'))
    {
        const size_t position = lexer.take().position;
        node = makeBinary(lexer, "multiply", position, std::move(node), parseOperand(lexer, depth_left));
    }
    return node;
}

ExpressionNode parseSum(Lexer & lexer, size_t depth_left)
{
    ExpressionNode node = parseProduct(lexer, depth_left);
    while (lexer.isPunctuation('+') || lexer.isPunctuation('-'))
    {
        const std::string_view function = lexer.isPunctuation('+') ? "plus" : "minus";
        const size_t position = lexer.take().position;
        node = makeBinary(lexer, function, position, std::move(node), parseProduct(lexer, depth_left));
    }
    return node;
}

/// The function of the comparison that stands here; empty when none does.
std::string_view comparisonHere(const Lexer & lexer) noexcept
{
    if (lexer.peek().kind != Token::Kind::Punctuation)
        return {};
    constexpr std::pair<std::string_view, std::string_view> COMPARISONS[]
        = {{"=", "equals"},
           {"==", "equals"},
           {"!=", "notEquals"},
           {"<>", "notEquals"},
           {"<", "less"},
           {"<=", "lessOrEquals"},
           {">", "greater"},
           {">=", "greaterOrEquals"}};
    for (const auto & [sign, function] : COMPARISONS)
        if (lexer.peek().text == sign)
            return function;
    return {};
}

void parseInList(Lexer & lexer, size_t depth_left, ExpressionNode & node)
{
    lexer.require('(');
    do
    {
        if (!isLiteralStart(lexer))
            lexer.throwExpected("a literal");
        ExpressionNode element;
        element.kind = ExpressionNode::Kind::Literal;
        element.position = lexer.peek().position;
        element.literal = parseLiteral(lexer, depth_left);
        /// It is equal to nothing.
        if (element.literal.kind != Literal::Kind::Null)
            node.arguments.push_back(std::move(element));
    } while (lexer.tryTake(','));
    if (!lexer.tryTake(')'))
        lexer.throwExpected("',' or ')'");
}

ExpressionNode parsePredicate(Lexer & lexer, size_t depth_left)
{
    const size_t begin = lexer.peek().position;
    if (lexer.isKeyword("NOT"))
    {
        if (depth_left == 0)
            lexer.throwExpected("less deeply nested expressions");
        lexer.take();
        return makeCall("not", begin, parsePredicate(lexer, depth_left - 1));
    }
    ExpressionNode operand = parseSum(lexer, depth_left);
    const size_t position = lexer.peek().position;
    if (const std::string_view comparison = comparisonHere(lexer); !comparison.empty())
    {
        lexer.take();
        ExpressionNode node = makeCall(comparison, position, std::move(operand));
        addArgument(node, parseSum(lexer, depth_left));
        return node;
    }
    if (lexer.tryTakeKeyword("IS"))
    {
        const bool negated = lexer.tryTakeKeyword("NOT");
        if (!lexer.tryTakeKeyword("NULL"))
            lexer.throwExpected("NULL");
        return makeCall(negated ? "isNotNull" : "isNull", position, std::move(operand));
    }
    const bool negated = lexer.tryTakeKeyword("NOT");
    if (lexer.tryTakeKeyword("IN"))
    {
        ExpressionNode node = makeCall(negated ? "notIn" : "in", position, std::move(operand));
        parseInList(lexer, depth_left, node);
        return node;
    }
    if (negated)
        lexer.throwExpected("IN");
    return operand;
}

/// `element {KEYWORD element}`, one call for all of them.
template <typename ParseElement>
ExpressionNode parseChain(Lexer & lexer, std::string_view keyword, std::string_view function, ParseElement && parse_element)
{
    ExpressionNode node = parse_element();
    if (!lexer.isKeyword(keyword))
        return node;
    node = makeCall(function, lexer.peek().position, std::move(node));
    while (lexer.tryTakeKeyword(keyword))
        addArgument(node, parse_element());
    return node;
}

ExpressionNode parseExpression(Lexer & lexer, size_t depth_left)
{
    return parseChain(
        lexer, "OR", "or", [&] { return parseChain(lexer, "AND", "and", [&] { return parsePredicate(lexer, depth_left); }); });
}

ExpressionNode parseItem(Lexer & lexer)
{
    ExpressionNode node;
    node.position = lexer.peek().position;
    const size_t begin = node.position;
    if (lexer.tryTake('*'))
        node.kind = ExpressionNode::Kind::AllColumns;
    else
        node = parseExpression(lexer, MAX_EXPRESSION_DEPTH);
    const bool plain_column = node.kind == ExpressionNode::Kind::Column && !lexer.isKeyword("AS");
    node.result_name = plain_column ? node.name : parseResultName(lexer, begin);
    return node;
}

UInt64 parseCount(Lexer & lexer)
{
    const Token token = lexer.peek();
    Literal literal;
    if (token.kind == Token::Kind::Number)
        literal = parseLiteral(lexer, 0);
    if (token.kind != Token::Kind::Number || literal.kind != Literal::Kind::Integer)
        Lexer::throwSyntaxError(token.position, lexer.wholeText().substr(token.position), "a number of rows");
    return literal.magnitude;
}

void parseOrderBy(Lexer & lexer, std::vector<OrderByElement> & order_by)
{
    if (!lexer.tryTakeKeyword("BY"))
        lexer.throwExpected("BY");
    do
    {
        OrderByElement & element = order_by.emplace_back();
        element.expression = parseExpression(lexer, MAX_EXPRESSION_DEPTH);
        element.is_descending = lexer.tryTakeKeyword("DESC");
        if (!element.is_descending)
            lexer.tryTakeKeyword("ASC");
    } while (lexer.tryTake(','));
}

Query parseWholeQuery(Lexer & lexer)
{
    Query query;
    lexer.tryTakeKeyword("SELECT");
    do
        query.items.push_back(parseItem(lexer));
    while (lexer.tryTake(','));
    std::string_view expected = "an operator, ',', AS, WHERE, ORDER BY, LIMIT or the end";
    if (lexer.tryTakeKeyword("FROM") && !lexer.tryTakeKeyword("TABLE"))
        lexer.throwExpected("table, which is all inputs together");
    if (lexer.tryTakeKeyword("WHERE"))
    {
        query.where = parseExpression(lexer, MAX_EXPRESSION_DEPTH);
        expected = "an operator, ORDER BY, LIMIT or the end";
    }
    if (lexer.tryTakeKeyword("ORDER"))
    {
        parseOrderBy(lexer, query.order_by);
        expected = "an operator, ',', ASC, DESC, LIMIT or the end";
    }
    if (lexer.tryTakeKeyword("LIMIT"))
    {
        query.limit = parseCount(lexer);
        expected = "OFFSET or the end";
        if (lexer.tryTakeKeyword("OFFSET"))
        {
            query.offset = parseCount(lexer);
            expected = "the end";
        }
    }
    lexer.tryTake(';');
    if (!lexer.isAtEnd())
        lexer.throwExpected(expected);
    return query;
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

Query parseQuery(std::string_view text)
{
    return showingErrorsIn(text, [&] {
        Lexer lexer(text);
        return parseWholeQuery(lexer);
    });
}

std::vector<ExpressionNode> parseExpressions(std::string_view text)
{
    return showingErrorsIn(text, [&] {
        Lexer lexer(text);
        std::vector<ExpressionNode> nodes;
        parseList(lexer, [&] { nodes.push_back(parseItem(lexer)); });
        return nodes;
    });
}

NamesAndTypes parseStructure(std::string_view text, const AggregateFunctionFactory & factory)
{
    return showingErrorsIn(text, [&] {
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
            structure.push_back({name.value, parseDataType(text.substr(begin, lexer.endOfLast() - begin), factory)});
        });
        return structure;
    });
}

std::vector<std::string> parseNames(std::string_view text)
{
    return showingErrorsIn(text, [&] {
        Lexer lexer(text);
        std::vector<std::string> names;
        if (!lexer.isAtEnd())
            parseList(lexer, [&] { names.push_back(lexer.requireIdentifier("a column's name").value); });
        return names;
    });
}

std::vector<AggregateNode> parseAggregates(std::string_view text)
{
    return showingErrorsIn(text, [&] {
        Lexer lexer(text);
        std::vector<AggregateNode> nodes;
        parseList(lexer, [&] { nodes.push_back(parseAggregate(lexer)); });
        return nodes;
    });
}

}
