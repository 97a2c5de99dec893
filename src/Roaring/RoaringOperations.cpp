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
        forCommonKeys(a, b, [&](UInt64 key, ContainerView in_a, ContainerView in_b) {
            builder.append(key, combine(SetOperation::And, in_a, in_b));
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
    UInt64 both = 0;
    forCommonKeys(a, b, [&](UInt64, ContainerView in_a, ContainerView in_b) {
        both += intersectionCardinality(in_a, in_b);
        return true;
    });
    switch (operation)
    {
        case SetOperation::And:
            return both;
        case SetOperation::Or:
            return a.cardinality() + b.cardinality() - both;
        case SetOperation::Xor:
            return a.cardinality() + b.cardinality() - 2 * both;
        case SetOperation::AndNot:
            return a.cardinality() - both;
    }
    return 0;
}

bool roaringEquals(const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    return roaringCombinedCardinality(SetOperation::Xor, a, b) == 0;
}

}
