#include "RoaringOperations.h"

#include <algorithm>

namespace DB::inline statewire
{

RoaringBitmap roaringCombine(SetOperation operation, const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    RoaringCursor at_a = a.cursor();
    RoaringCursor at_b = b.cursor();
    const size_t na = at_a.knownSize();
    const size_t nb = at_b.knownSize();
    const bool keep_b = applyTo(operation, false, true);
    RoaringBuilder builder(operation == SetOperation::And ? std::min(na, nb) : keep_b ? na + nb : na);
    if (operation == SetOperation::And)
    {
        RoaringCursor::forCommonKeys(at_a, at_b, [&](const RoaringCursor & in_a, const RoaringCursor & in_b) {
            builder.append(in_a.key(), combine(SetOperation::And, in_a.container(), in_b.container()));
            return true;
        });
        return builder.finish();
    }
    while (at_a.valid() && at_b.valid())
    {
        if (at_a.key() < at_b.key())
        {
            builder.append(at_a.key(), at_a.copy());
            at_a.next();
        }
        else if (at_b.key() < at_a.key())
        {
            if (keep_b)
            {
                builder.append(at_b.key(), at_b.copy());
                at_b.next();
            }
            else
                at_b.seek(at_a.key());
        }
        else
        {
            builder.append(at_a.key(), combine(operation, at_a.container(), at_b.container()));
            at_a.next();
            at_b.next();
        }
    }
    for (; at_a.valid(); at_a.next())
        builder.append(at_a.key(), at_a.copy());
    for (; keep_b && at_b.valid(); at_b.next())
        builder.append(at_b.key(), at_b.copy());
    return builder.finish();
}

UInt64 roaringCombinedCardinality(SetOperation operation, const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    RoaringCursor at_a = a.cursor();
    RoaringCursor at_b = b.cursor();
    UInt64 both = 0;
    const auto add = [&](const RoaringCursor & in_a, const RoaringCursor & in_b) {
        both += intersectionCardinality(in_a.container(), in_b.container());
        return true;
    };
    const UInt64 in_a = operation == SetOperation::And ? 0 : at_a.remainingCardinality();
    const UInt64 in_b = applyTo(operation, false, true) ? at_b.remainingCardinality() : 0;
    RoaringCursor::forCommonKeys(at_a, at_b, add);
    return operation == SetOperation::And ? both : in_a + in_b - (operation == SetOperation::Xor ? 2 * both : both);
}

bool roaringEquals(const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    return roaringCombinedCardinality(SetOperation::Xor, a, b) == 0;
}

}
