#pragma once

#include "RoaringCursor.h"
#include "RoaringLayout.h"

namespace DB::inline statewire
{

/** The encoder of both portable layouts, canonical and run-optimizing, without touching or copying the source.
  *
  * Construction decides every container's kind and size; size() and write() follow that one plan, so they cannot disagree. Payloads that
  * keep their kind leave in one append each.
  * Points into: the cursor's source. Valid while: that lives unchanged. Errors: ARGUMENT_OUT_OF_BOUND from the constructor when a key does
  * not fit the 32-bit layout; std::bad_alloc; whatever the sink throws.
  */
class RoaringWriter
{
public:
    RoaringWriter(RoaringCursor source_, RoaringFormat format);

    [[nodiscard]] UInt64 size() const noexcept { return layout.size(); }

    template <typename Sink>
    void write(Sink & sink) const
    {
        RoaringCursor at = source;
        layout.write(sink, [&] {
            ContainerView container = at.container();
            /// What unchecked bytes call a bitset may hold nothing; then it is not in the plan.
            while (!at.isTrusted() && container.kind == ContainerKind::Bitset && countContainer(container).cardinality == 0)
            {
                at.next();
                container = at.container();
            }
            at.next();
            return container;
        });
    }

private:
    RoaringCursor source;
    RoaringLayout layout;
};

/// Bytes that a RoaringWriter writes, counted without memory. Errors: as there, but for those of memory and of the sink.
[[nodiscard]] UInt64 roaringWrittenSize(RoaringCursor source, RoaringFormat format);

}
