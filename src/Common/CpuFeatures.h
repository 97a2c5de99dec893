#pragma once

#include "../base/types.h"

#include <string_view>

/** What this processor can do, asked once, so that kernels are chosen at run time and one build serves every machine. */
namespace DB::inline statewire
{

/// Levels that kernels are written for; each includes the ones before it.
enum class CpuLevel : UInt8
{
    /// What the compiler's baseline gives.
    Plain,
    /// AVX2, BMI1, BMI2, LZCNT and POPCNT.
    AVX2,
    /// Also AVX-512 F, BW, DQ, VL, VBMI, VBMI2 and VPOPCNTDQ (Ice Lake, Zen 4 and later).
    AVX512
};

inline constexpr CpuLevel ALL_CPU_LEVELS[] = {CpuLevel::Plain, CpuLevel::AVX2, CpuLevel::AVX512};

/// The highest level this processor and its operating system support.
[[nodiscard]] CpuLevel supportedCpuLevel() noexcept;
/// The level to use: what is supported, or less when the environment variable STATEWIRE_CPU_LEVEL names a lower one ("plain", "avx2",
/// "avx512"). The same for the life of the process.
[[nodiscard]] CpuLevel cpuLevel() noexcept;
[[nodiscard]] std::string_view cpuLevelName(CpuLevel level) noexcept;

/// 1 where kernels for x86-64 can be compiled, which also means little-endian.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#    define STATEWIRE_X86_KERNELS 1
#else
#    define STATEWIRE_X86_KERNELS 0
#endif

/// Function attributes for kernels of a level: no global compiler flags, so nothing else can come to depend on the processor.
#define STATEWIRE_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define STATEWIRE_TARGET_AVX512 \
    __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq")))

}
