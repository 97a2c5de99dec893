#include "RoaringStatistics.h"

#include "../Common/throwError.h"
#include "RoaringKernels.h"

namespace DB::inline statewire
{

RoaringStatistics roaringStatistics(const RoaringSnapshot & set)
{
    RoaringStatistics result;
    for (RoaringCursor at = set.cursor(); at.valid(); at.next())
    {
        const ContainerView container = at.container();
        RoaringStatistics::Kind & kind = container.kind == ContainerKind::Array ? result.arrays
            : container.kind == ContainerKind::Bitset                          ? result.bitsets
                                                                               : result.runs;
        const UInt64 values = containerCardinality(container);
        ++kind.containers;
        kind.values += values;
        kind.bytes += container.payloadBytes() + (container.kind == ContainerKind::Run ? 2 : 0);
        if (result.cardinality == 0)
            result.minimum = at.key() << 16 | containerMinimum(container);
        result.cardinality += values;
        result.maximum = at.key() << 16 | containerMaximum(container);
    }
    return result;
}

std::string RoaringStatistics::describe() const
{
    std::string result = concat(cardinality, cardinality == 1 ? " value" : " values");
    if (cardinality != 0)
        result += concat(" in [", minimum, ", ", maximum, "]");
    result += concat(", ", containers(), containers() == 1 ? " container" : " containers");
    const char * separator = ": ";
    const auto add = [&](const Kind & kind, std::string_view name) {
        if (kind.containers == 0)
            return;
        result += concat(
            separator, kind.containers, " ", name, kind.containers == 1 ? "" : "s", " (", kind.values, kind.values == 1 ? " value, " : " values, ",
            kind.bytes, " bytes)");
        separator = ", ";
    };
    add(arrays, "array");
    add(bitsets, "bitset");
    add(runs, "run");
    return result;
}

}
