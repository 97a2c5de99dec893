# The module statewire.wasm: target statewire_wasm, made by clang for wasm32 beside the native build. Without the compiler, the linker or the
# libraries there is no target, and one line says so.
function(statewire_find_wasm_tools reason)
    find_program(STATEWIRE_WASM_CXX NAMES clang++-14 clang++ DOC "clang++ for the WebAssembly module")
    find_program(STATEWIRE_WASM_LD NAMES wasm-ld-14 wasm-ld DOC "LLVM's linker for WebAssembly")
    if (STATEWIRE_SANITIZE)
        set(${reason} "sanitized builds do not make it" PARENT_SCOPE)
        return()
    endif ()
    if (NOT STATEWIRE_WASM_CXX OR NOT STATEWIRE_WASM_LD)
        set(${reason} "clang++ or wasm-ld is not installed (Debian: clang lld)" PARENT_SCOPE)
        return()
    endif ()
    execute_process(COMMAND ${STATEWIRE_WASM_CXX} -print-resource-dir OUTPUT_VARIABLE resource_dir OUTPUT_STRIP_TRAILING_WHITESPACE)
    file(REAL_PATH ${resource_dir}/../../.. llvm_root)
    set(wasm_headers ${llvm_root}/include/wasm32-wasi/c++/v1 /usr/include/wasm32-wasi)
    set(wasm_libraries ${llvm_root}/lib/wasm32-wasi/libc++.a ${llvm_root}/lib/wasm32-wasi/libc++abi.a /usr/lib/wasm32-wasi/libc.a
        ${resource_dir}/lib/wasi/libclang_rt.builtins-wasm32.a)
    foreach (file ${wasm_headers} ${wasm_libraries})
        if (NOT EXISTS ${file})
            set(${reason}
                "${file} is missing (Debian: wasi-libc libc++-14-dev-wasm32 libc++abi-14-dev-wasm32 libclang-rt-14-dev-wasm32)" PARENT_SCOPE)
            return()
        endif ()
    endforeach ()
    set(STATEWIRE_WASM_HEADERS ${wasm_headers} PARENT_SCOPE)
    set(STATEWIRE_WASM_LIBRARIES ${wasm_libraries} PARENT_SCOPE)
    set(${reason} "" PARENT_SCOPE)
endfunction()

statewire_find_wasm_tools(no_wasm)
if (no_wasm)
    message(STATUS "SKIPPED: the WebAssembly module and its tests: ${no_wasm}")
    return()
endif ()

# The core as it is, and of the rest what it needs.
get_target_property(core_sources statewire_core SOURCES)
list(FILTER core_sources INCLUDE REGEX
    "/(CountMin|Roaring|AggregateFunctions)/|Common/(Arena|CpuFeatures|ErrorCodes|MemoryTracker|MurmurHash3).cpp|IO/(VarInt|ReadBuffer|SeekableReadBuffer|WriteBuffer|ZeroCopyReader).cpp")
list(TRANSFORM udf_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
list(TRANSFORM STATEWIRE_WASM_HEADERS PREPEND -isystem OUTPUT_VARIABLE header_options)

set(objects)
foreach (source ${core_sources} ${udf_sources} ${CMAKE_CURRENT_SOURCE_DIR}/wasm/module.cpp ${CMAKE_CURRENT_SOURCE_DIR}/wasm/system_interface.cpp)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    string(REPLACE "/" "_" name ${name})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/wasm/${name}.o)
    add_custom_command(OUTPUT ${object}
        COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${STATEWIRE_WASM_CXX} --target=wasm32-wasi -std=c++20 -O2 -DNDEBUG -fno-exceptions -fno-rtti -Wall -Wextra
            -nostdinc++ ${header_options} -I${PROJECT_BINARY_DIR}/include -include ${CMAKE_CURRENT_SOURCE_DIR}/wasm/for_overwrite.h
            -MD -MF ${object}.d -c ${source} -o ${object}
        DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building WebAssembly object ${name}.o" VERBATIM)
    list(APPEND objects ${object})
endforeach ()
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/wasm)

# The linker's default is a stack of 64 KiB behind which the data lies: an overflow would go unnoticed.
set(STATEWIRE_WASM_MODULE ${CMAKE_CURRENT_BINARY_DIR}/statewire.wasm)
set(STATEWIRE_WASM_MODULE ${STATEWIRE_WASM_MODULE} CACHE INTERNAL "The module that target statewire_wasm makes")
add_custom_command(OUTPUT ${STATEWIRE_WASM_MODULE}
    COMMAND ${STATEWIRE_WASM_LD} --no-entry --strip-all --stack-first -z stack-size=1048576
        --allow-undefined-file=${CMAKE_CURRENT_SOURCE_DIR}/wasm/imports.txt -o ${STATEWIRE_WASM_MODULE} ${objects} ${STATEWIRE_WASM_LIBRARIES}
    DEPENDS ${objects} wasm/imports.txt COMMENT "Linking WebAssembly module statewire.wasm" VERBATIM)
add_custom_target(statewire_wasm DEPENDS ${STATEWIRE_WASM_MODULE})
