/// What the C library would ask of a system through WASI, which ClickHouse does not offer: a module that imports it cannot be called. Nothing is
/// there: no files, no environment. Names and signatures as in wasi-libc.

#include <cstddef>
#include <cstdint>

extern "C"
{

    constexpr int32_t ERRNO_BADF = 8;

    int32_t __imported_wasi_snapshot_preview1_fd_close(int32_t) { return ERRNO_BADF; }

    int32_t __imported_wasi_snapshot_preview1_fd_seek(int32_t, int64_t, int32_t, int32_t) { return ERRNO_BADF; }

    int32_t __imported_wasi_snapshot_preview1_fd_write(int32_t, int32_t, int32_t, int32_t) { return ERRNO_BADF; }

    int32_t __imported_wasi_snapshot_preview1_fd_fdstat_get(int32_t, int32_t) { return ERRNO_BADF; }

    int32_t __imported_wasi_snapshot_preview1_environ_sizes_get(int32_t * count, int32_t * size)
    {
        *count = 0;
        *size = 0;
        return 0;
    }

    int32_t __imported_wasi_snapshot_preview1_environ_get(int32_t, int32_t) { return 0; }

    [[noreturn]] void __imported_wasi_snapshot_preview1_proc_exit(int32_t) { __builtin_trap(); }
}
