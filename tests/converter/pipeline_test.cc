// SPDX-License-Identifier: Apache-2.0
// The table of passes: what it says is what runs, and every pass can be looked at.
#include "converter/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/converter/ir/fixture.h"

namespace weft {
namespace {

using Dumps = std::vector<std::pair<std::string, std::string>>;

class PipelineTest : public ir::IrTest {
 protected:
  // y = ReLU(x), or of an operation that does not exist.
  void WriteModel(const std::string& type = "ReLU") {
    const std::string row = R"(<port id="1" precision="FP32"><dim>1</dim><dim>4</dim></port>)";
    Write("model.xml", Net({R"(<layer id="0" name="x" type="Parameter" version="opset1"><data )"
                            R"(element_type="f32" shape="1,4"/><output>)" +
                                row + "</output></layer>",
                            R"(<layer id="1" name="r" type=")" + type +
                                R"(" version="opset1"><input><port id="0"/></input><output>)" +
                                row + "</output></layer>",
                            Result(2, "y")},
                           {Edge("0:1", "1:0"), Edge("1:1", "2:0")}));
  }

  Dumps DumpsAfter(const std::string& pass) {
    pipeline::ConvertOptions options;
    options.model = Path("model.xml");
    options.dump_after = pass;
    Dumps dumps;
    options.dump = [&](std::string_view name, std::string_view text) {
      dumps.emplace_back(name, text);
    };
    Faults faults;
    pipeline::Convert(options, faults);
    return dumps;
  }
};

// The names of all passes, without or with their parts.
std::vector<std::string> Names(bool with_parts = false) {
  std::vector<std::string> names;
  for (const pipeline::PassRow& row : pipeline::Passes()) {
    if (with_parts || !row.is_part) names.push_back(row.name);
  }
  return names;
}

TEST_F(PipelineTest, EveryPassHasANameAndALineOfAccount) {
  const std::vector<std::string> names = Names(true);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const pipeline::PassRow& row : pipeline::Passes()) {
    EXPECT_NE(row.name, pipeline::kAllPasses);
    EXPECT_FALSE(row.account.empty()) << row.name;
    EXPECT_LT(row.account.size(), 70u) << row.name;
    EXPECT_EQ(row.account.find('\n'), std::string_view::npos) << row.name;
  }
}

TEST_F(PipelineTest, StagesFollowOneAnother) {
  const std::vector<std::string> order = {"graph", "program", "plan", "file"};
  std::vector<std::string> stages;
  for (const pipeline::PassRow& row : pipeline::Passes()) {
    if (stages.empty() || stages.back() != row.stage) stages.emplace_back(row.stage);
  }
  EXPECT_EQ(stages, order);
}

TEST_F(PipelineTest, TheTableIsWhatRuns) {
  WriteModel();
  std::vector<std::string> begun;
  pipeline::ConvertOptions options;
  options.model = Path("model.xml");
  options.progress = [&](std::string_view pass) { begun.emplace_back(pass); };
  Faults faults;
  ASSERT_TRUE(pipeline::Convert(options, faults));
  EXPECT_EQ(begun, Names());
  begun.clear();
  ASSERT_TRUE(pipeline::LowerModel(options, faults));
  std::vector<std::string> before_planning = Names();
  before_planning.resize(
      static_cast<size_t>(std::ranges::find(before_planning, "plan") - before_planning.begin()));
  EXPECT_EQ(begun, before_planning);
}

TEST_F(PipelineTest, EveryPassCanBeDumped) {
  WriteModel();
  const Dumps all = DumpsAfter("all");
  std::vector<std::string> passes, parts;
  for (const auto& [name, text] : all) {
    (name.find('.') == std::string::npos ? passes : parts).push_back(name);
    EXPECT_FALSE(text.empty()) << name;
    EXPECT_EQ(DumpsAfter(name), (Dumps{{name, text}}));
  }
  EXPECT_EQ(passes, Names());
  std::vector<std::string> with_parts;  // streaming did not run, and there is no formula
  for (const std::string& name : Names(true)) {
    const bool is_of_others = name.starts_with("streaming.") || name.starts_with("formulas.");
    if (name.find('.') != std::string::npos && !is_of_others) with_parts.push_back(name);
  }
  EXPECT_EQ(parts, with_parts);
  EXPECT_TRUE(DumpsAfter("").empty());
}

TEST_F(PipelineTest, PartsStandBeforeTheirPass) {
  std::string part_of;
  for (const pipeline::PassRow& row : pipeline::Passes()) {
    if (row.is_part) {
      part_of = row.name.substr(0, row.name.find('.'));
      continue;
    }
    if (!part_of.empty()) {
      EXPECT_EQ(row.name, part_of);
    }
    part_of.clear();
  }
}

TEST_F(PipelineTest, TheLastPartShowsWhatThePassMakes) {
  WriteModel();
  std::map<std::string, std::string> text;
  for (const auto& [pass, dump] : DumpsAfter("all")) text[pass] = dump;
  EXPECT_EQ(text["loops.storage"], text["loops"]);
  EXPECT_EQ(text["plan.in_place"], "unary %0:f32[1,4] <- %0:f32[1,4]  (r)\n");
}

TEST_F(PipelineTest, ADumpShowsWhatTheStageMakes) {
  WriteModel();
  std::map<std::string, std::string> text;
  for (const auto& [pass, dump] : DumpsAfter("all")) text[pass] = dump;
  EXPECT_EQ(text["infer"],
            "Parameter %0:f32[1,4] <-  (\"x\" 0 opset1) element_type=f32 shape=1,4\n"
            "ReLU %1:f32[1,4] <- %0  (\"r\" 1 opset1)\n"
            "Result <- %1  (\"y\" 2 opset1)\n");
  EXPECT_EQ(text["lower"], "unary %1:f32[1,4] <- %0:f32[1,4]  (r)\n");
  EXPECT_EQ(text["plan"].find("unary %0:f32[1,4] <- %0:f32[1,4]  (r)\n"), 0u) << text["plan"];
  EXPECT_NE(text["plan"].find("     0        0        16  [0, 3)                x\n"),
            std::string::npos)
      << text["plan"];
  EXPECT_NE(text["verify"].find("unary"), std::string::npos) << text["verify"];
}

TEST_F(PipelineTest, PassesBeforeAFaultAreDumped) {
  WriteModel("Relou");
  std::vector<std::string> dumped;
  for (const auto& [pass, dump] : DumpsAfter("all")) dumped.push_back(pass);
  EXPECT_EQ(dumped, (std::vector<std::string>{"read", "count", "resolve", "flatten", "promote"}));
}

}  // namespace
}  // namespace weft
