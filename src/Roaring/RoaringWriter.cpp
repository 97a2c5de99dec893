#include "RoaringWriter.h"

namespace DB::inline statewire
{

RoaringWriter::RoaringWriter(RoaringCursor source_, RoaringFormat format) : source(source_), layout(format)
{
    for (RoaringCursor at = source; at.valid(); at.next())
        layout.add(at.key(), countContainer(at.container()));
}

UInt64 roaringWrittenSize(RoaringCursor source, RoaringFormat format)
{
    RoaringLayoutSize size(format);
    for (; source.valid(); source.next())
        if (const ContainerCount count = countContainer(source.container()); count.cardinality != 0)
            size.add(source.key(), count);
    return size.bytes();
}

}
