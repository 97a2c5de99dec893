#include "StateType.h"

#include <statewire/AggregateFunctions/AggregateFunctionCountMinRanges.h>
#include <statewire/AggregateFunctions/AggregateFunctionCountMinSketch.h>
#include <statewire/AggregateFunctions/AggregateFunctionCountMinTopK.h>
#include <statewire/AggregateFunctions/AggregateFunctionGroupBitmap.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/throwError.h>
#include <statewire/DataTypes/DataTypeAggregateFunction.h>
#include <statewire/DataTypes/dispatchNumber.h>
#include <statewire/DataTypes/parseDataType.h>
#include <statewire/Formats/NamesAndTypes.h>
#include <statewire/Interpreters/ExpressionParser.h>
#include <statewire/Interpreters/QueryError.h>
#include <statewire/Roaring/RoaringForeignFormats.h>

#include <utility>

using namespace DB;

namespace statewire_program
{

namespace
{
constexpr std::pair<std::string_view, StateLayout> LAYOUTS[]
    = {{"RoaringPortable32", StateLayout::Portable32},
       {"RoaringPortable64", StateLayout::Portable64},
       {"RoaringFrozen32", StateLayout::Frozen32},
       {"RoaringJavaLegacy64", StateLayout::JavaLegacy64},
       {"DorisBitmapValue", StateLayout::DorisBitmapValue},
       {"StarRocksBitmapValue", StateLayout::StarRocksBitmapValue},
       {"IntegerList", StateLayout::IntegerList}};

UInt64 seedOf(const Field & field)
{
    if (const auto * seed = std::get_if<UInt64>(&field))
        return *seed;
    throwError(ErrorCodes::BAD_ARGUMENTS, "The seed of a count-min sketch is an integer of 64 bits without a sign");
}

RowSeeds schemeOf(const std::string & name)
{
    const auto scheme = parseRowSeeds(name);
    if (!scheme)
        throwError(ErrorCodes::BAD_ARGUMENTS, concat("Unknown row seeds ", quoteName(name), ", known are libstdcxx and libcxx"));
    return *scheme;
}

/// CountMinImage(W[, seed[, scheme]]), the scheme bare or in quotes.
void parseImageType(std::string_view name, StateType & type)
{
    Lexer lexer(name);
    lexer.take();
    lexer.require('(');
    const Token weight = lexer.requireIdentifier("a weight type");
    if (lexer.tryTake(','))
    {
        type.seed = seedOf(toField(parseLiteral(lexer, 0)));
        if (lexer.tryTake(','))
        {
            if (lexer.peek().kind != Token::Kind::String && lexer.peek().kind != Token::Kind::Identifier)
                lexer.throwExpected("libstdcxx or libcxx");
            type.row_seeds = schemeOf(lexer.take().value);
        }
    }
    lexer.require(')');
    if (!lexer.isAtEnd())
        lexer.throwExpected("the end of the type");
    type.weight = parseDataType(weight.value)->getTypeId();
    if (sizeOfNumber(type.weight) == 0)
        throwError(ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT, concat("Weights of a count-min image are numbers, not ", weight.value));
    type.layout = StateLayout::SketchImage;
}
}

StateType stateTypeOf(const DataTypePtr & data_type)
{
    StateType type;
    type.name = data_type->getName();
    type.data_type = data_type;
    const AggregateFunctionPtr & function = static_cast<const DataTypeAggregateFunction &>(*data_type).getFunction();
    if (const auto element = groupBitmapElementType(*function))
    {
        type.layout = StateLayout::BitmapState;
        type.element = *element;
    }
    else if (const auto arguments = countMinSketchArguments(*function))
    {
        type.layout = StateLayout::SketchState;
        type.num_hashes = arguments->sketch->numHashes();
        type.num_buckets = arguments->sketch->numBuckets();
        type.seed = arguments->sketch->seed();
        type.row_seeds = arguments->sketch->rowSeeds();
        type.option = arguments->sketch->option();
        type.key = arguments->key->getTypeId();
        type.weight = arguments->weight;
    }
    else if (const auto top = countMinTopKArguments(*function))
    {
        type.layout = StateLayout::TopKState;
        type.key = top->key->getTypeId();
    }
    else if (const auto value = countMinRangesValueType(*function))
    {
        type.layout = StateLayout::RangesState;
        type.key = *value;
    }
    return type;
}

StateType parseStateType(std::string_view name)
{
    StateType type;
    type.name = name;
    for (const auto & [layout_name, layout] : LAYOUTS)
        if (name == layout_name)
        {
            type.layout = layout;
            type.element = elementOfLayout(layout);
            return type;
        }
    if (name.starts_with("CountMinImage"))
    {
        showingErrorsIn(name, [&] { parseImageType(name, type); });
        return type;
    }
    if (name.starts_with("AggregateFunction"))
        if (const DataTypePtr data_type = parseDataType(name); data_type->getTypeId() == TypeIndex::AggregateFunction)
        {
            StateType found = stateTypeOf(data_type);
            found.name = name;
            return found;
        }
    throwError(ErrorCodes::BAD_ARGUMENTS, concat("Unknown type of state: expected ", std::string_view(STATE_TYPE_NAMES)));
}

TypeIndex elementOfLayout(StateLayout layout) noexcept
{
    return layout == StateLayout::Portable32 || layout == StateLayout::Frozen32 ? TypeIndex::UInt32 : TypeIndex::UInt64;
}

RoaringBitmap readRoaringLayout(StateLayout layout, std::string_view bytes, UInt64 & consumed)
{
    switch (layout)
    {
        case StateLayout::Portable32:
        case StateLayout::Portable64: {
            const RoaringView view
                = RoaringView::parse(bytes, layout == StateLayout::Portable32 ? RoaringFormat::Portable32 : RoaringFormat::Portable64);
            consumed = view.sizeInBytes();
            return RoaringBitmap(view);
        }
        case StateLayout::Frozen32:
            consumed = bytes.size();
            return readRoaringFrozen32(bytes);
        case StateLayout::JavaLegacy64:
            return readRoaringJavaLegacy64(bytes, &consumed);
        case StateLayout::DorisBitmapValue:
            return readRoaringBitmapValue(bytes, BitmapValueDialect::Doris, &consumed);
        case StateLayout::StarRocksBitmapValue:
            return readRoaringBitmapValue(bytes, BitmapValueDialect::StarRocks, &consumed);
        default:
            throwError(ErrorCodes::LOGICAL_ERROR, "This is no Roaring layout");
    }
}

}
