#pragma once

#include "StateType.h"

#include <statewire/Columns/ColumnAggregateFunction.h>
#include <statewire/DataTypes/DataTypeAggregateFunction.h>
#include <statewire/IO/ReadBufferFromMemory.h>
#include <statewire/IO/WriteBufferFromVector.h>

#include <new>
#include <string>
#include <string_view>

namespace statewire_program
{

/** One state, read and checked by its own function: the one at the front of `bytes`. Errors: what the function refuses the bytes for. */
class FunctionState
{
public:
    FunctionState(const StateType & type, std::string_view bytes)
        : column(static_cast<const DB::DataTypeAggregateFunction &>(*type.data_type).getFunction())
    {
        const auto & data_type = static_cast<const DB::DataTypeAggregateFunction &>(*type.data_type);
        DB::ReadBufferFromMemory in(bytes);
        column.insertSerialized(in, data_type.getVersion());
        size = in.count();
        std::string rewritten;
        DB::WriteBufferFromString out(rewritten);
        data_type.serializeBinary(column, 0, out);
        out.finalize();
        is_canonical = rewritten == bytes.substr(0, static_cast<size_t>(size));
    }

    /// Bytes of the state.
    [[nodiscard]] DB::UInt64 consumed() const noexcept { return size; }
    /// Rewriting gives the same bytes.
    [[nodiscard]] bool isCanonical() const noexcept { return is_canonical; }
    /// The function's places hold a State.
    template <typename State>
    [[nodiscard]] const State & as() const noexcept
    {
        return *std::launder(reinterpret_cast<const State *>(column[0]));
    }

private:
    DB::ColumnAggregateFunction column;
    DB::UInt64 size = 0;
    bool is_canonical = false;
};

}
