// SPDX-License-Identifier: Apache-2.0
// weft plan: placement of problems that are given as text.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class PlanCommand : public CommandTest {
 protected:
  void WriteProblem(const std::string& text) { std::ofstream(Path("p.csv")) << text; }
  std::string Text(const std::string& name) {
    std::ifstream file(Path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(PlanCommand, WritesTheSolutionInTheFormOfTheProblem) {
  WriteProblem("id,lower,upper,size\na,0,2,64\nb,1,3,32\nc,2,4,64\n");
  const Outcome outcome = Weft("plan p.csv -o s.csv");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with(
      "p.csv: 3 buffers, bound 96, result 96 (proven minimum for this order of steps); 0 nodes, "))
      << outcome.out;
  EXPECT_EQ(Text("s.csv"), "id,lower,upper,size,offset\na,0,2,64,0\nb,1,3,32,64\nc,2,4,64,0\n");
}

TEST_F(PlanCommand, SaysWhetherTheCapacityIsMet) {
  WriteProblem("id,lower,upper,size\na,0,2,64\nb,1,3,32\n");
  EXPECT_EQ(Weft("plan p.csv --capacity 96").code, 0);
  const Outcome outcome = Weft("plan p.csv --capacity 95 -o s.csv");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err,
            "p.csv: the best placement found needs 96 bytes; must be at most 95, as --capacity "
            "requires\n");
  EXPECT_FALSE(std::filesystem::exists(Path("s.csv")));
  const Outcome refused = Weft("plan p.csv --capacity 95 --json");
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(nlohmann::json::parse(refused.out)["fits"], false);
  EXPECT_NE(outcome.out.find("; no placement within 95; "), std::string::npos) << outcome.out;
  const auto json = nlohmann::json::parse(Weft("plan p.csv --capacity 1K --json").out);
  EXPECT_EQ(json["fits"], true);
  EXPECT_EQ(json["proven"], true);
  EXPECT_EQ(json["used_bytes"], 96);
}

TEST_F(PlanCommand, SearchesAsFarAsItIsTold) {
  const std::string file =
      "'" WEFT_SOURCE_DIR "/tests/converter/plan/minimalloc/B.1048576.csv' --json --nodes ";
  const auto little = nlohmann::json::parse(Weft("plan " + file + "100").out);
  const auto enough = nlohmann::json::parse(Weft("plan " + file + "100000").out);
  EXPECT_EQ(little["proven"], false);
  EXPECT_GT(little["used_bytes"], 1048576);
  EXPECT_EQ(enough["proven"], true);
  EXPECT_EQ(enough["used_bytes"], 1048576);
}

TEST_F(PlanCommand, SaysWhatIsWrongWithAProblem) {
  WriteProblem("id,lower,upper,size\na,2,2,64\n");
  const Outcome outcome = Weft("plan p.csv -o s.csv");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "p.csv:2: lifetime is [2, 2); must not be empty\n");
  EXPECT_EQ(Weft("plan absent.csv").err, "absent.csv: cannot be read: No such file or directory\n");
  WriteProblem("id,lower,upper,size\na,0,2,64\nb,0,2,64\na,1,3,32\n");
  EXPECT_EQ(Weft("plan p.csv").err,
            "p.csv:4: id is \"a\", as in an earlier line; must be given once\n");
  EXPECT_EQ(Weft("plan absent.csv").code, 1);
  EXPECT_EQ(Weft("plan p.csv -o p.csv").code, 2);
  EXPECT_EQ(Entries(), Names{"p.csv"});
}

}  // namespace
}  // namespace weft::cli
