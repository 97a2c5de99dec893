#pragma once

#include <statewire/CountMin/CountMinParameters.h>

#include <nlohmann/json.hpp>

namespace statewire_program
{

/// Adds what sketches of every kind say of their shape.
inline void describeParameters(nlohmann::ordered_json & object, const DB::CountMinParameters & parameters)
{
    object["num_hashes"] = parameters.numHashes();
    object["num_buckets"] = parameters.numBuckets();
    object["seed_hash"] = parameters.seedHash();
    if (parameters.option() != DB::CountMinOption::Plain)
        object["option"] = DB::toString(parameters.option());
}

}
