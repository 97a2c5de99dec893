#include "RoaringWriter.h"

namespace DB::inline statewire
{

RoaringWriter::RoaringWriter(RoaringCursor source_, RoaringFormat format) : source(source_), layout(format)
{
    for (RoaringCursor at = source; at.valid(); at.next())
        layout.add(at.key(), countContainer(at.container()));
}

}
