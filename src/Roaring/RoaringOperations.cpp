#include "RoaringOperations.h"

namespace DB::inline statewire
{

namespace
{
/// Walks two sets by key and calls on_a, on_b or on_both. Keys that cannot matter are sought past.
template <typename OnA, typename OnB, typename OnBoth>
void walkTogether(RoaringCursor a, RoaringCursor b, bool need_a, bool need_b, OnA && on_a, OnB && on_b, OnBoth && on_both)
{
    while (a.valid() && b.valid())
    {
        if (a.key() == b.key())
        {
            on_both(a, b);
            a.next();
            b.next();
        }
        else if (a.key() < b.key())
        {
            if (need_a)
            {
                on_a(a);
                a.next();
            }
            else
                a.seek(b.key());
        }
        else
        {
            if (need_b)
            {
                on_b(b);
                b.next();
            }
            else
                b.seek(a.key());
        }
    }
    for (; need_a && a.valid(); a.next())
        on_a(a);
    for (; need_b && b.valid(); b.next())
        on_b(b);
}
}

RoaringBitmap roaringCombine(SetOperation operation, const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    RoaringBuilder builder;
    const auto copy = [&](const RoaringCursor & at) { builder.append(at.key(), copyContainer(at.container(), at.isTrusted())); };
    walkTogether(
        a.cursor(), b.cursor(), applyTo(operation, true, false), applyTo(operation, false, true), copy, copy,
        [&](const RoaringCursor & at_a, const RoaringCursor & at_b) {
            builder.append(at_a.key(), combine(operation, at_a.container(), at_b.container()));
        });
    return builder.finish();
}

UInt64 roaringCombinedCardinality(SetOperation operation, const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    UInt64 result = 0;
    if (operation == SetOperation::And)
    {
        RoaringCursor at_a = a.cursor();
        RoaringCursor at_b = b.cursor();
        RoaringCursor::forCommonKeys(at_a, at_b, [&](ContainerView in_a, ContainerView in_b) {
            result += combinedCardinality(SetOperation::And, in_a, in_b);
            return true;
        });
        return result;
    }
    const auto count = [&](const RoaringCursor & at) { result += containerCardinality(at.container()); };
    walkTogether(
        a.cursor(), b.cursor(), applyTo(operation, true, false), applyTo(operation, false, true), count, count,
        [&](const RoaringCursor & at_a, const RoaringCursor & at_b) {
            result += combinedCardinality(operation, at_a.container(), at_b.container());
        });
    return result;
}

bool roaringEquals(const RoaringSnapshot & a, const RoaringSnapshot & b)
{
    return roaringCombinedCardinality(SetOperation::Xor, a, b) == 0;
}

}
