# What every target of this project has in common. Nothing here is global: warnings and sanitizers are private to the target.
function(statewire_target target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE
        -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wundef
        # g++ 12 sees overlapping copies in std::string's operator+ (its bug 105651) and overflows in a vector's growth that are not there.
        $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-stringop-overflow>
        $<$<BOOL:${STATEWIRE_WARNINGS_AS_ERRORS}>:-Werror>)
    if (STATEWIRE_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${STATEWIRE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
        target_link_options(${target} PRIVATE -fsanitize=${STATEWIRE_SANITIZE})
        if (STATEWIRE_SANITIZE MATCHES undefined)
            # Its checks have data with a million pointers: in a program at a fixed address they need no relocation at each start.
            target_link_options(${target} PRIVATE -no-pie)
        endif ()
    endif ()
endfunction()

# A test program: the library is what is optimized; what only asks it takes longer to optimize than to run.
function(statewire_test_target target)
    statewire_target(${target})
    target_compile_options(${target} PRIVATE -O0)
endfunction()
