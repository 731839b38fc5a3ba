// SPDX-License-Identifier: Apache-2.0
// `weft ops` and docs/operations.md list the same operations.
#include <map>
#include <set>
#include <sstream>

#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class OpsCommand : public CommandTest {};

// Operation -> opsets, from "Add 1; Assign 3, 6; ... Xor 1." between two comments of the page.
std::map<std::string, std::set<int>> ListOfPage() {
  std::ifstream file(WEFT_SOURCE_DIR "/docs/operations.md");
  std::stringstream page;
  page << file.rdbuf();
  const std::string text = page.str(), begin = "<!-- operations -->";
  const size_t from = text.find(begin) + begin.size();
  std::stringstream rows(text.substr(from, text.find("<!-- end -->", from) - from));
  std::map<std::string, std::set<int>> list;
  for (std::string row; std::getline(rows, row, ';');) {
    std::stringstream words(row);
    std::string name, opset;
    words >> name;
    while (words >> opset) list[name].insert(std::stoi(opset));
  }
  return list;
}

TEST_F(OpsCommand, ListsTheOperationsOfThePage) {
  const Outcome outcome = Weft("ops --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::map<std::string, std::set<int>> list;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  for (const auto& row : json["operations"])
    list[row["name"]] = row["versions"].get<std::set<int>>();
  EXPECT_GT(list.size(), 180u);
  EXPECT_EQ(list, ListOfPage());
}

TEST_F(OpsCommand, ListsOperatorsOfTensorFlowLite) {
  const Outcome outcome = Weft("ops CONV_2D SVDF");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "TensorFlow Lite operator  newest version\n"
            "CONV_2D                   8\n"
            "SVDF                      4\n");
}

TEST_F(OpsCommand, ListsUnsupportedOperatorsOfTensorFlowLite) {
  const Outcome outcome = Weft("ops WHERE");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "unsupported TensorFlow Lite operator  advice\n"
            "WHERE                                 must be outside of the model: the number of "
            "results is known late\n");
  const auto json = nlohmann::json::parse(Weft("ops WHERE --json").out);
  ASSERT_EQ(json["tflite_left_out"].size(), 1u);
  EXPECT_EQ(json["tflite_left_out"][0]["name"], "WHERE");
}

// A step may have the name of no operation.
TEST_F(OpsCommand, ListsStepsByName) {
  const auto all = nlohmann::json::parse(Weft("ops --json").out)["steps"];
  EXPECT_GT(all.size(), 50u);
  for (const auto& step : all) {
    const std::string name = step["name"];
    const auto json = nlohmann::json::parse(Weft("ops --json " + name).out);
    EXPECT_EQ(json["steps"], nlohmann::json::array({step})) << name;
  }
  const Outcome outcome = Weft("ops dense Add");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\nAdd "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\ndense "), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace weft::cli
