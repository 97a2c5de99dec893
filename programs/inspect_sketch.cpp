#include "Bytes.h"
#include "NumberText.h"
#include "StateInspector.h"

#include <statewire/AggregateFunctions/AggregateFunctionCountMinSketch.h>
#include <statewire/AggregateFunctions/CountMinSketchState.h>
#include <statewire/Common/ErrorCodes.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>
#include <statewire/CountMin/CountMinSketch.h>
#include <statewire/CountMin/CountMinView.h>
#include <statewire/DataTypes/DataTypeAggregateFunction.h>
#include <statewire/DataTypes/DataTypeNumber.h>
#include <statewire/DataTypes/dispatchNumber.h>
#include <statewire/DataTypes/parseDataType.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>
#include <statewire/Interpreters/ExpressionParser.h>
#include <statewire/Interpreters/Lexer.h>

#include <optional>

using namespace DB;

namespace statewire_program
{

namespace
{
/// The bytes that a column of T would hash for the number `text`.
template <typename T>
std::string numberKey(std::string_view text)
{
    std::string key(sizeof(T), '\0');
    unalignedStoreLittleEndian<T>(key.data(), DataTypeNumber<T>::parse(text));
    return key;
}

/// A key as it was given: `u8:N` to `i64:N`, `hex:H`, or a literal of the key type; without one a string. A string may be quoted, as in a
/// query, or bare.
std::string keyBytes(std::string_view text, const std::optional<TypeIndex> & key_type)
{
    if (text.starts_with("hex:"))
        return decodeHex(text.substr(4));
    const size_t colon = text.find(':');
    const std::string_view prefix = colon == std::string_view::npos ? std::string_view() : text.substr(0, colon);
    const std::string_view number = prefix.empty() ? std::string_view() : text.substr(colon + 1);
    if (prefix == "u8")
        return numberKey<UInt8>(number);
    if (prefix == "u16")
        return numberKey<UInt16>(number);
    if (prefix == "u32")
        return numberKey<UInt32>(number);
    if (prefix == "u64")
        return numberKey<UInt64>(number);
    if (prefix == "i8")
        return numberKey<Int8>(number);
    if (prefix == "i16")
        return numberKey<Int16>(number);
    if (prefix == "i32")
        return numberKey<Int32>(number);
    if (prefix == "i64")
        return numberKey<Int64>(number);
    std::string key(text);
    if (text.size() >= 2 && text.starts_with('\'') && text.ends_with('\''))
    {
        Lexer lexer(text);
        const Token token = lexer.take();
        if (lexer.isAtEnd())
            key = token.value;
    }
    if (key_type)
        dispatchNumber(*key_type, [&]<typename T>() { key = numberKey<T>(text); });
    return key;
}

/// The answers that state and view give in the same words.
template <typename Sketch>
nlohmann::ordered_json
estimatesOf(const Sketch & sketch, const std::vector<std::string> & keys, const std::optional<TypeIndex> & key_type, UInt64 key_size)
{
    auto estimates = nlohmann::ordered_json::array();
    for (const std::string & text : keys)
    {
        std::string key;
        try
        {
            key = keyBytes(text, key_type);
        }
        catch (Exception & e)
        {
            e.addMessage(concat("in --estimate ", quoteName(text)));
            throw;
        }
        if (key_size != 0 && key.size() != key_size)
            throwError(
                ErrorCodes::BAD_ARGUMENTS,
                concat("The key of --estimate ", quoteName(text), " has ", key.size(), " bytes, keys of this sketch have ", key_size));
        nlohmann::ordered_json estimate;
        estimate["key"] = text;
        estimate["estimate"] = numberText(sketch.estimate(key));
        estimate["lower"] = numberText(sketch.lowerBound(key));
        estimate["upper"] = numberText(sketch.upperBound(key));
        estimate["datasketches_lower"] = numberText(sketch.dataSketchesLowerBound(key));
        estimate["datasketches_upper"] = numberText(sketch.dataSketchesUpperBound(key));
        estimates.push_back(std::move(estimate));
    }
    return estimates;
}

[[noreturn]] void throwNoValues()
{
    throwError(ErrorCodes::BAD_ARGUMENTS, "A count-min sketch does not know its keys: --values is for bitmaps");
}

template <typename W>
class StateSketchInspector final : public StateInspector
{
public:
    StateSketchInspector(
        const CountMinParameters & parameters_, TypeIndex key_type_, UInt32 key_size, const std::shared_ptr<const std::string> & bytes)
        : parameters(parameters_), key_type(key_type_), state(parameters, key_size)
    {
        ReadBufferFromMemory in(*bytes);
        state.read(in, bytes);
        size = in.count();
        std::string rewritten;
        WriteBufferFromString out(rewritten);
        state.write(out);
        out.finalize();
        canonical = rewritten == std::string_view(*bytes).substr(0, static_cast<size_t>(size));
    }

    [[nodiscard]] UInt64 consumed() const override { return size; }

    void describe(nlohmann::ordered_json & object, const std::vector<std::string> & estimate_keys) const override
    {
        object["kind"] = state.storage() == CountMinSketchState<W>::Storage::Small ? "small" : "sketch";
        object["canonical"] = canonical;
        object["empty"] = state.isEmpty();
        object["num_hashes"] = parameters.numHashes();
        object["num_buckets"] = parameters.numBuckets();
        object["seed_hash"] = parameters.seedHash();
        object["total_weight"] = numberText(state.total());
        object["filled_cells"] = state.filledCells();
        object["estimates"] = estimatesOf(state, estimate_keys, key_type, state.keySize());
    }

    void printValues(WriteBuffer &) const override { throwNoValues(); }

private:
    CountMinParameters parameters;
    TypeIndex key_type;
    CountMinSketchState<W> state;
    UInt64 size = 0;
    bool canonical = false;
};

template <typename W>
class ImageInspector final : public StateInspector
{
public:
    ImageInspector(UInt64 seed, RowSeeds scheme, const std::shared_ptr<const std::string> & bytes_)
        : bytes(bytes_),
          shape(CountMinView<W>::readShape(std::string_view(*bytes).substr(0, COUNT_MIN_HEADER_SIZE))),
          parameters(shape.num_hashes, shape.num_buckets, seed, scheme)
    {
        /// An image that is empty ends with its header; what is behind it is judged as for any other state.
        std::string_view image = *bytes;
        if (shape.empty)
            image = image.substr(0, COUNT_MIN_HEADER_SIZE);
        view = CountMinView<W>::parse(image, parameters);
        canonical = CountMinSketch<W>(view).toString() == view.bytes();
    }

    [[nodiscard]] UInt64 consumed() const override { return view.sizeInBytes(); }

    void describe(nlohmann::ordered_json & object, const std::vector<std::string> & estimate_keys) const override
    {
        object["kind"] = "image";
        object["canonical"] = canonical;
        object["empty"] = view.isEmpty();
        object["num_hashes"] = shape.num_hashes;
        object["num_buckets"] = shape.num_buckets;
        object["seed_hash"] = shape.seed_hash;
        object["total_weight"] = numberText(view.total());
        object["filled_cells"] = view.filledCells();
        object["estimates"] = estimatesOf(view, estimate_keys, std::nullopt, 0);
    }

    void printValues(WriteBuffer &) const override { throwNoValues(); }

private:
    std::shared_ptr<const std::string> bytes;
    CountMinShape shape;
    CountMinParameters parameters;
    CountMinView<W> view;
    bool canonical = false;
};

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

/// The parameters that the function accepted before, from their printed form.
CountMinParameters parametersOf(const Array & printed)
{
    const auto shape_number = [&](size_t i) { return static_cast<UInt32>(std::get<UInt64>(printed.at(i))); };
    const UInt64 seed = printed.size() > 2 ? seedOf(printed[2]) : COUNT_MIN_DEFAULT_SEED;
    const RowSeeds scheme = printed.size() > 3 ? schemeOf(std::get<std::string>(printed[3])) : RowSeeds::LibStdCxx;
    return CountMinParameters(shape_number(0), shape_number(1), seed, scheme);
}

/// CountMinImage(W[, seed[, scheme]]), the scheme bare or in quotes.
std::unique_ptr<StateInspector> inspectImage(std::string_view type, const std::shared_ptr<const std::string> & bytes)
{
    Lexer lexer(type);
    lexer.take();
    lexer.require('(');
    const Token weight = lexer.requireIdentifier("a weight type");
    UInt64 seed = COUNT_MIN_DEFAULT_SEED;
    RowSeeds scheme = RowSeeds::LibStdCxx;
    if (lexer.tryTake(','))
    {
        seed = seedOf(toField(parseLiteral(lexer, 0)));
        if (lexer.tryTake(','))
        {
            if (lexer.peek().kind != Token::Kind::String && lexer.peek().kind != Token::Kind::Identifier)
                lexer.throwExpected("libstdcxx or libcxx");
            scheme = schemeOf(lexer.take().value);
        }
    }
    lexer.require(')');
    if (!lexer.isAtEnd())
        lexer.throwExpected("the end of the type");
    std::unique_ptr<StateInspector> inspector;
    const bool is_number = dispatchNumber(parseDataType(weight.value)->getTypeId(), [&]<typename W>() {
        inspector = std::make_unique<ImageInspector<W>>(seed, scheme, bytes);
    });
    if (!is_number)
        throwError(ErrorCodes::ILLEGAL_TYPE_OF_ARGUMENT, concat("Weights of a count-min image are numbers, not ", weight.value));
    return inspector;
}
}

std::unique_ptr<StateInspector> inspectSketch(std::string_view type, const std::shared_ptr<const std::string> & bytes)
{
    if (type.starts_with("CountMinImage"))
        return inspectImage(type, bytes);
    if (!type.starts_with("AggregateFunction"))
        return nullptr;
    const DataTypePtr data_type = parseDataType(type);
    if (data_type->getTypeId() != TypeIndex::AggregateFunction)
        return nullptr;
    const AggregateFunctionPtr & function = static_cast<const DataTypeAggregateFunction &>(*data_type).getFunction();
    const auto arguments = countMinSketchArguments(*function);
    if (!arguments)
        return nullptr;
    const CountMinParameters parameters = parametersOf(function->getBaseAggregateFunctionWithSameStateRepresentation().getParameters());
    const UInt32 key_size = sizeOfNumber(arguments->key->getTypeId());
    std::unique_ptr<StateInspector> inspector;
    dispatchCountMinWeight(arguments->weight, [&]<typename W>() {
        inspector = std::make_unique<StateSketchInspector<W>>(parameters, arguments->key->getTypeId(), key_size, bytes);
    });
    return inspector;
}

}
