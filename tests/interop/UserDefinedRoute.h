#pragma once

#include "ScratchDirectory.h"
#include "engine/Engine.h"

#include <udf/UserDefinedFunction.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace statewire_tests
{

/** Real engines in which the user-defined functions are declared, one for each route. Started at the first use, so that what one test made is
  * there for the next; each test uses names of its own.
  */
struct UserDefinedRoute
{
    ScratchDirectory folder;
    std::unique_ptr<Engine> engine;

    /// `route` is "executable" or "wasm". Prints one SKIPPED line with the reason and returns nullptr where there is no engine or no module.
    static Engine * engineOf(std::string_view route)
    {
        if (route == "executable")
        {
            static const std::unique_ptr<UserDefinedRoute> executable = startExecutable();
            return executable ? executable->engine.get() : nullptr;
        }
        static const std::unique_ptr<UserDefinedRoute> wasm = startWasm();
        return wasm ? wasm->engine.get() : nullptr;
    }

private:
    template <typename Declare>
    static std::unique_ptr<UserDefinedRoute> start(const char * what, Declare && declare)
    {
        try
        {
            const char * process_path = std::getenv("STATEWIRE_ENGINE_PROCESS");
            const char * library_path = std::getenv("STATEWIRE_ENGINE_LIB");
            if (!process_path || !*process_path || !library_path || !*library_path)
                throw std::runtime_error("STATEWIRE_ENGINE_PROCESS or STATEWIRE_ENGINE_LIB is not set");
            auto result = std::make_unique<UserDefinedRoute>();
            declare(*result, process_path, library_path);
            return result;
        }
        catch (const std::exception & e)
        {
            std::printf("SKIPPED: %s in the real engine: %s\n", what, e.what());
            std::fflush(stdout);
            return nullptr;
        }
    }

    static std::unique_ptr<UserDefinedRoute> startExecutable()
    {
        return start("executable user-defined functions", [](UserDefinedRoute & route, const char * process, const char * library) {
            /// The engine runs what lies in the folder itself.
            const std::string script = route.folder.file("statewire");
            writeWholeFile(script, "#!/bin/sh\nexec '" STATEWIRE_PROGRAM "' \"$@\"\n");
            std::filesystem::permissions(script, std::filesystem::perms::owner_all);
            writeWholeFile(route.folder.file("statewire_function.xml"), statewire_udf::executableConfiguration("statewire"));
            route.engine = std::make_unique<Engine>(
                process,
                library,
                std::vector<std::string>{
                    "--user_scripts_path=" + route.folder.name(),
                    "--user_defined_executable_functions_config=" + route.folder.file("*_function.xml")});
        });
    }

    static std::unique_ptr<UserDefinedRoute> startWasm()
    {
        return start("the WebAssembly module", [](UserDefinedRoute & route, const char * process, const char * library) {
#ifndef STATEWIRE_WASM_MODULE
            static_cast<void>(route);
            static_cast<void>(process);
            static_cast<void>(library);
            throw std::runtime_error("it was not built (the configuration says why)");
#else
            route.engine = std::make_unique<Engine>(
                process, library, std::vector<std::string>{"--allow_experimental_webassembly_udf=1"});
            route.engine->query(
                "INSERT INTO system.webassembly_modules (name, code) SELECT 'statewire', raw_blob FROM file('" STATEWIRE_WASM_MODULE
                "', RawBLOB)");
            const std::string statements = statewire_udf::webAssemblyStatements("statewire");
            for (size_t begin = 0; begin < statements.size();)
            {
                const size_t end = statements.find(";\n", begin);
                route.engine->query(std::string_view(statements).substr(begin, end - begin));
                begin = end + 2;
            }
#endif
        });
    }
};

}
