#include "CpuFeatures.h"

#include <algorithm>
#include <cstdlib>

namespace DB::inline statewire
{

CpuLevel supportedCpuLevel() noexcept
{
#if STATEWIRE_X86_KERNELS
    /// These ask for the operating system's support too.
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
        && __builtin_cpu_supports("popcnt");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2")
        && __builtin_cpu_supports("avx512vpopcntdq");
    if (avx2 && avx512)
        return CpuLevel::AVX512;
    if (avx2)
        return CpuLevel::AVX2;
#endif
    return CpuLevel::Plain;
}

CpuLevel cpuLevel() noexcept
{
    static const CpuLevel level = [] {
        const CpuLevel supported = supportedCpuLevel();
        const char * wanted = std::getenv("STATEWIRE_CPU_LEVEL");
        if (wanted)
            for (const CpuLevel candidate : ALL_CPU_LEVELS)
                if (cpuLevelName(candidate) == wanted)
                    return std::min(candidate, supported);
        return supported;
    }();
    return level;
}

std::string_view cpuLevelName(CpuLevel level) noexcept
{
    switch (level)
    {
        case CpuLevel::Plain:
            return "plain";
        case CpuLevel::AVX2:
            return "avx2";
        case CpuLevel::AVX512:
            return "avx512";
    }
    return "unknown";
}

}
