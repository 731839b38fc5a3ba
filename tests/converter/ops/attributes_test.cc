// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "converter/ops/operation.h"

namespace weft::ops {
namespace {

class AttributesTest : public testing::Test {
 protected:
  AttributesTest() {
    graph.file = "m.xml";
    node.id = 4;
    node.line = 9;
    node.name = "n";
    node.type = "Clamp";
  }
  Attributes With(const std::string& value) {
    node.attributes["key"] = value;
    return Attributes(graph, node, faults);
  }
  std::string Complaint() const { return faults.ok() ? "" : faults.lines().back(); }

  ir::Graph graph;
  ir::Node node;
  Faults faults;
};

TEST_F(AttributesTest, FallBackWhenAbsent) {
  const Attributes none(graph, node, faults);
  EXPECT_FALSE(none.Has("key"));
  EXPECT_EQ(none.Int("key", 7), 7);
  EXPECT_EQ(none.Bool("key", true), true);
  EXPECT_EQ(none.Text("key", "x"), "x");
  EXPECT_EQ(none.Ints("key", {1}), Dims{1});
  EXPECT_TRUE(faults.ok());
}

TEST_F(AttributesTest, ReadNumbersAsOpenVinoWritesThem) {
  EXPECT_EQ(With(" -12 ").Int("key", 0), -12);
  EXPECT_EQ(With("+3").Int("key", 0), 3);
  EXPECT_EQ(With("9223372036854775807").Int("key", 0), INT64_MAX);
  EXPECT_EQ(With("1e-05").Float("key", 0), 1e-05f);
  EXPECT_TRUE(std::isinf(With("inf").Float("key", 0)));
  EXPECT_EQ(With("1.7976931348623157e+308").Float("key", 0), INFINITY);
  EXPECT_EQ(With("-1.7976931348623157e+308").Float("key", 0), -INFINITY);
  EXPECT_EQ(With("3.4028234663852886e+38").Float("key", 0), 3.4028234663852886e+38f);
  EXPECT_EQ(With("1, 4,6 ").Ints("key"), (Dims{1, 4, 6}));
  EXPECT_EQ(With("").Ints("key", {5}), Dims{});
  EXPECT_EQ(With("0.5, -2").Floats("key"), (std::vector<float>{0.5f, -2}));
  EXPECT_EQ(With("sigmoid, tanh").Texts("key"), (std::vector<std::string>{"sigmoid", "tanh"}));
  EXPECT_TRUE(faults.ok()) << Complaint();
}

TEST_F(AttributesTest, ReadBooleansInAnyCase) {
  EXPECT_TRUE(With("True").Bool("key", false));
  EXPECT_TRUE(With("1").Bool("key", false));
  EXPECT_FALSE(With("false").Bool("key", true));
  EXPECT_FALSE(With("0").Bool("key", true));
  EXPECT_TRUE(faults.ok());
}

TEST_F(AttributesTest, ChooseInAnyCaseAndListTheChoices) {
  constexpr std::array<std::string_view, 2> kAllowed = {"forward", "reverse"};
  EXPECT_EQ(With("REVERSE").Choice("key", "forward", kAllowed), "reverse");
  EXPECT_TRUE(faults.ok());
  EXPECT_EQ(With("sideways").Choice("key", "forward", kAllowed), "forward");
  EXPECT_EQ(Complaint(),
            "m.xml:9: layer 4 \"n\" (Clamp): attribute key is \"sideways\"; must be one of forward "
            "reverse");
}

TEST_F(AttributesTest, TellMalformedValuesOnce) {
  EXPECT_EQ(With("1.5").Int("key", 3), 3);
  EXPECT_EQ(Complaint(),
            "m.xml:9: layer 4 \"n\" (Clamp): attribute key is \"1.5\"; must be an integer");
  EXPECT_EQ(With("1.5").Int("key", 3), 3);
  EXPECT_EQ(faults.lines().size(), 1u);
  With("yes").Bool("key", false);
  EXPECT_EQ(
      Complaint(),
      "m.xml:9: layer 4 \"n\" (Clamp): attribute key is \"yes\"; must be true, false, 1 or 0");
  With("1,,2").Ints("key");
  EXPECT_EQ(Complaint(),
            "m.xml:9: layer 4 \"n\" (Clamp): attribute key is \"1,,2\"; must be integers separated "
            "by commas");
  With("9223372036854775808").Int("key", 0);
  EXPECT_EQ(faults.lines().size(), 4u);
}

}  // namespace
}  // namespace weft::ops
