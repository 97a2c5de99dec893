#include "ScratchDirectory.h"
#include "UserDefinedRoute.h"
#include "Vectors.h"

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

/** Every ```sql block of docs/clickhouse.md runs in the real engine, in their order; a ```text block behind one is what its last statement answers.
  * Blocks marked ```sh run are run as well; the other ```sh blocks are about a server's machine.
  */

using namespace statewire_tests;

namespace
{

struct Fence
{
    std::string kind;
    std::string content;
};

std::vector<Fence> fencesOf(const std::string & markdown)
{
    std::vector<Fence> fences;
    bool inside = false;
    for (size_t begin = 0; begin < markdown.size();)
    {
        const size_t end = std::min(markdown.find('\n', begin), markdown.size());
        const std::string line = markdown.substr(begin, end - begin);
        begin = end + 1;
        if (line.starts_with("```"))
        {
            if (!inside)
                fences.push_back({line.substr(3), ""});
            inside = !inside;
        }
        else if (inside)
            fences.back().content += line + "\n";
    }
    EXPECT_FALSE(inside);
    return fences;
}

std::vector<std::string> statementsOf(const std::string & sql)
{
    std::vector<std::string> statements;
    for (size_t begin = 0; begin < sql.size();)
    {
        const size_t end = sql.find(";\n", begin);
        EXPECT_NE(end, std::string::npos) << "no semicolon behind: " << sql.substr(begin);
        if (end == std::string::npos)
            break;
        statements.push_back(sql.substr(begin, end - begin));
        begin = end + 2;
    }
    return statements;
}

}

class InteropRecipes : public testing::TestWithParam<const char *>
{
};

TEST_P(InteropRecipes, EveryStatementOfTheDocumentAnswersAsItSays)
{
    Engine * engine = UserDefinedRoute::engineOf(GetParam());
    if (!engine)
        GTEST_SKIP() << "SKIPPED: no engine with this route";
    const std::vector<Fence> fences = fencesOf(readFile(sourceDirectory() / "docs" / "clickhouse.md"));
    const ScratchDirectory scratch;
    size_t statements = 0;
    size_t answers = 0;
    std::string last_answer;
    for (const Fence & fence : fences)
    {
        if (fence.kind == "sql")
        {
            for (std::string statement : statementsOf(fence.content))
            {
                /// Files of the recipes lie in a folder of this test.
                for (size_t at = 0; (at = statement.find(".native'", at)) != std::string::npos; ++at)
                {
                    const size_t quote = statement.rfind('\'', at);
                    statement.insert(quote + 1, scratch.name() + "/");
                    at += scratch.name().size() + 1;
                }
                try
                {
                    last_answer = engine->query(statement);
                }
                catch (const std::runtime_error & e)
                {
                    ADD_FAILURE() << statement << "\n" << e.what();
                }
                ++statements;
            }
        }
        else if (fence.kind == "text")
        {
            EXPECT_EQ(last_answer, fence.content);
            ++answers;
        }
        else if (fence.kind == "sh run")
        {
            const std::string script = scratch.file("recipe.sh");
            writeWholeFile(
                script, "set -eu\ncd '" + scratch.name() + "'\nstatewire() { '" STATEWIRE_PROGRAM "' \"$@\"; }\n" + fence.content);
            EXPECT_EQ(std::system(("sh '" + script + "'").c_str()), 0) << fence.content;
        }
    }
    std::printf("%zu statements, %zu answers\n", statements, answers);
    EXPECT_GT(statements, 12u);
    EXPECT_GT(answers, 5u);
}

INSTANTIATE_TEST_SUITE_P(Routes, InteropRecipes, testing::Values("executable", "wasm"), [](const auto & route) {
    return std::string(route.param);
});
