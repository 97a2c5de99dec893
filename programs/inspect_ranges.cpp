#include "FunctionState.h"
#include "NumberText.h"
#include "SketchDescription.h"
#include "StateInspector.h"

#include <statewire/AggregateFunctions/AggregateFunctionCountMinRanges.h>
#include <statewire/AggregateFunctions/CountMinRangesState.h>
#include <statewire/Common/Exception.h>
#include <statewire/Common/throwError.h>
#include <statewire/CountMin/CountMinRanges.h>
#include <statewire/DataTypes/DataTypeNumber.h>
#include <statewire/DataTypes/dispatchNumber.h>
#include <statewire/Formats/NamesAndTypes.h>

#include <utility>

using namespace DB;

namespace statewire_program
{

namespace
{
constexpr std::pair<const char *, double> QUANTILES[] = {{"0", 0}, {"0.25", 0.25}, {"0.5", 0.5}, {"0.75", 0.75}, {"0.99", 0.99}, {"1", 1}};

/// Of values of type T.
template <typename T>
class RangesInspector final : public StateInspector
{
public:
    RangesInspector(const StateType & type, std::string_view bytes)
        : function_state(type, bytes), state(function_state.as<CountMinRangesState>())
    {
    }

    [[nodiscard]] UInt64 consumed() const override { return function_state.consumed(); }

    void describe(nlohmann::ordered_json & object, const std::vector<std::string> & estimate_ranges) const override
    {
        object["kind"] = state.isSmall() ? "small" : "levels";
        object["canonical"] = function_state.isCanonical();
        object["empty"] = state.total() == 0;
        describeParameters(object, state.parameters());
        const UInt32 estimated_levels = CountMinRanges::estimatedLevels(state.parameters(), state.bits());
        object["bits"] = state.bits();
        object["estimated_levels"] = estimated_levels;
        object["exact_levels"] = state.bits() + 1 - estimated_levels;
        object["total_weight"] = numberText(state.total());
        nlohmann::ordered_json quantiles = nlohmann::ordered_json::object();
        for (const auto & [name, level] : QUANTILES)
            quantiles[name] = state.total() == 0 ? nlohmann::ordered_json()
                                                 : nlohmann::ordered_json(numberText(fromRangesValue<T>(state.quantile(level))));
        object["quantiles"] = std::move(quantiles);
        auto estimates = nlohmann::ordered_json::array();
        for (const std::string & text : estimate_ranges)
        {
            const auto [first, last] = rangeOf(text);
            estimates.push_back(
                {{"range", text},
                 {"estimate", numberText(state.count(first, last))},
                 {"lower", numberText(state.lowerBound(first, last))},
                 {"upper", numberText(state.count(first, last))}});
        }
        object["estimates"] = std::move(estimates);
    }

private:
    /// FIRST..LAST, or one value.
    [[nodiscard]] static std::pair<UInt64, UInt64> rangeOf(std::string_view text)
    {
        const size_t dots = text.find("..");
        try
        {
            const std::string_view first = text.substr(0, dots);
            const std::string_view last = dots == std::string_view::npos ? text : text.substr(dots + 2);
            return {toRangesValue(DataTypeNumber<T>::parse(first)), toRangesValue(DataTypeNumber<T>::parse(last))};
        }
        catch (Exception & e)
        {
            e.addMessage(concat("in --estimate ", quoteName(text)));
            throw;
        }
    }

    FunctionState function_state;
    const CountMinRangesState & state;
};
}

std::unique_ptr<StateInspector> inspectRanges(const StateType & type, const std::shared_ptr<const std::string> & bytes)
{
    std::unique_ptr<StateInspector> inspector;
    dispatchInteger(type.key, [&]<typename T>() { inspector = std::make_unique<RangesInspector<T>>(type, *bytes); });
    return inspector;
}

}
