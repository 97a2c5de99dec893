#include "FunctionState.h"
#include "NumberText.h"
#include "SketchDescription.h"
#include "SketchKeys.h"
#include "StateInspector.h"

#include <statewire/AggregateFunctions/AggregateFunctionCountMinTopK.h>
#include <statewire/AggregateFunctions/CountMinTopKState.h>
#include <statewire/DataTypes/dispatchNumber.h>

#include <utility>

using namespace DB;

namespace statewire_program
{

namespace
{
class TopKInspector final : public StateInspector
{
public:
    TopKInspector(const StateType & type, std::string_view bytes)
        : key_type(type.key),
          k(countMinTopKArguments(*static_cast<const DataTypeAggregateFunction &>(*type.data_type).getFunction())->k),
          function_state(type, bytes),
          state(function_state.as<CountMinTopKState>())
    {
    }

    [[nodiscard]] UInt64 consumed() const override { return function_state.consumed(); }

    void describe(nlohmann::ordered_json & object, const std::vector<std::string> & estimate_keys) const override
    {
        object["kind"] = state.isSmall() ? "small" : "sketch";
        object["canonical"] = function_state.isCanonical();
        object["empty"] = state.total() == 0;
        describeParameters(object, state.parameters());
        object["k"] = k;
        object["capacity"] = state.capacity();
        object["total_weight"] = numberText(state.total());
        auto candidates = nlohmann::ordered_json::array();
        for (const auto & hitter : state.top(state.smallEntries() + state.capacity()))
            candidates.push_back(boundsOf(sketchKeyText(hitter.key, key_type), hitter.estimate, hitter.lower_bound));
        object["candidates"] = std::move(candidates);
        auto estimates = nlohmann::ordered_json::array();
        for (const std::string & text : estimate_keys)
        {
            const std::string key = givenSketchKey(text, key_type, state.keySize());
            estimates.push_back(boundsOf(text, state.estimate(key), state.lowerBound(key)));
        }
        object["estimates"] = std::move(estimates);
    }

private:
    [[nodiscard]] static nlohmann::ordered_json boundsOf(std::string key, UInt64 estimate, UInt64 lower_bound)
    {
        return {
            {"key", std::move(key)},
            {"estimate", numberText(estimate)},
            {"lower", numberText(lower_bound)},
            {"upper", numberText(estimate)}};
    }

    TypeIndex key_type;
    UInt64 k;
    FunctionState function_state;
    const CountMinTopKState & state;
};
}

std::unique_ptr<StateInspector> inspectTopK(const StateType & type, const std::shared_ptr<const std::string> & bytes)
{
    return std::make_unique<TopKInspector>(type, *bytes);
}

}
