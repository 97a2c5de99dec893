#pragma once

#include "engine/Engine.h"

#include <gtest/gtest.h>

/// Names the engine in a test, which is skipped where there is none.
#define REQUIRE_ENGINE(variable) \
    ::statewire_tests::Engine * const variable = ::statewire_tests::Engine::shared(); \
    if (!variable) \
    GTEST_SKIP() << "SKIPPED: the engine is not available"
