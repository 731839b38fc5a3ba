// SPDX-License-Identifier: Apache-2.0
// weft diff: differences between two models.
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class DiffCommand : public CommandTest {};

TEST_F(DiffCommand, SaysThatNothingChanged) {
  WriteModel(kSum);
  ASSERT_EQ(Weft("convert model.xml -o a.weft").code, 0);
  ASSERT_EQ(Weft("convert model.xml -o b.weft").code, 0);
  EXPECT_EQ(Weft("diff a.weft b.weft").out, "the files are the same\n");
  EXPECT_EQ(nlohmann::json::parse(Weft("diff a.weft b.weft --json").out)["changes"].size(), 0u);
}

TEST_F(DiffCommand, ListsPortsBytesAndLayers) {
  WriteModel(kSum);
  ASSERT_EQ(Weft("convert model.xml -o a.weft").code, 0);
  ASSERT_EQ(Weft("convert model.xml -o b.weft --shape x=4,3 --self-test 1").code, 0);
  const auto json = nlohmann::json::parse(Weft("diff a.weft b.weft --json").out);
  const auto change = [&](const std::string& about, const std::string& name) {
    for (const auto& each : json["changes"]) {
      if (each["about"] == about && each["name"] == name) return each;
    }
    return nlohmann::json();
  };
  EXPECT_EQ(change("ports", "input 0")["before"], "x f32[2,3]");
  EXPECT_EQ(change("ports", "input 0")["after"], "x f32[4,3]");
  EXPECT_EQ(change("plan", "scratch 0")["before"], 32);
  EXPECT_EQ(change("plan", "scratch 0")["after"], 48);
  EXPECT_FALSE(change("bytes", "file").is_null());
  EXPECT_TRUE(change("steps", "binary").is_null());
  const Outcome outcome = Weft("diff a.weft b.weft");
  EXPECT_NE(outcome.out.find("+16"), std::string::npos) << outcome.out;
}

TEST_F(DiffCommand, ListsWhatOneModelAloneHas) {
  WriteModel(kSum);
  ASSERT_EQ(Weft("convert model.xml -o a.weft").code, 0);
  WriteModel(kCounter);
  ASSERT_EQ(Weft("convert model.xml -o b.weft").code, 0);
  const auto json = nlohmann::json::parse(Weft("diff a.weft b.weft --json").out);
  bool gone = false, added = false;
  for (const auto& each : json["changes"]) {
    if (each["about"] != "layers") continue;
    gone = gone || (each["name"] == "sum" && each["after"].is_null());
    added = added || (each["name"] == "add" && each["before"].is_null());
  }
  EXPECT_TRUE(gone && added) << json.dump(1);
  EXPECT_EQ(Weft("diff a.weft absent.weft").code, 1);
  EXPECT_EQ(Weft("diff a.weft").code, 2);
}

}  // namespace
}  // namespace weft::cli
