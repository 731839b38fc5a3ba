// SPDX-License-Identifier: Apache-2.0
// Constants that expand from a few bytes of XML are refused before memory is allocated.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "converter/pipeline.h"
#include "tests/converter/ir/fixture.h"

namespace weft {
namespace {

class FoldBudget : public ir::IrTest {
 protected:
  // Converts x + sum over i of Tile(constant, repeats[i]), each reduced to one element. model.bin
  // holds the f32 constant, and the repeats as i64 starting at byte 8; the last of them is axis 0.
  std::optional<pipeline::Converted> Convert(std::vector<int64_t> repeats,
                                             pipeline::ConvertOptions options = {}) {
    std::string bin(8, '\0');
    repeats.push_back(0);
    bin.append(reinterpret_cast<const char*>(repeats.data()), repeats.size() * sizeof(int64_t));
    repeats.pop_back();
    Write("model.bin", bin);
    std::vector<std::string> layers = {
        R"(<layer id="0" name="x" type="Parameter" version="opset1"><data element_type="f32" shape="1"/><output><port id="0" precision="FP32"><dim>1</dim></port></output></layer>)",
        Const(1, "seed", R"(element_type="f32" shape="1" offset="0" size="4")",
              R"(id="0" precision="FP32"><dim>1</dim>)"),
        Const(2, "axis", Number(repeats.size()), R"(id="0" precision="I64"><dim>1</dim>)")};
    std::vector<std::string> edges;
    int sum = 0, id = 3;
    for (size_t i = 0; i < repeats.size(); ++i, id += 4) {
      const std::string name = std::to_string(i);
      layers.push_back(Const(id, "r" + name, Number(i), R"(id="0" precision="I64"><dim>1</dim>)"));
      layers.push_back(Binary(id + 1, "t" + name, "Tile", repeats[i]));
      layers.push_back(Binary(id + 2, "s" + name, "ReduceSum", 1));
      layers.push_back(Binary(id + 3, "a" + name, "Add", 1));
      Join(edges, 1, id + 1, 0);
      Join(edges, id, id + 1, 1);
      Join(edges, id + 1, id + 2, 0);
      Join(edges, 2, id + 2, 1);
      Join(edges, sum, id + 3, 0);
      Join(edges, id + 2, id + 3, 1);
      sum = id + 3;
    }
    layers.push_back(Result(id, "y"));
    Join(edges, sum, id, 0);
    Write("model.xml", Net(layers, edges));
    options.model = Path("model.xml");
    Faults faults;
    std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
    lines.clear();
    for (const std::string& line : faults.lines()) lines.push_back(WithoutFolder(line));
    return converted;
  }

 private:
  static std::string Number(size_t index) {
    return R"(element_type="i64" shape="1" size="8" offset=")" + std::to_string(8 + 8 * index) +
           "\"";
  }
  static std::string Binary(int id, const std::string& name, const std::string& type, int64_t dim) {
    return "<layer id=\"" + std::to_string(id) + "\" name=\"" + name + "\" type=\"" + type +
           R"(" version="opset1"><data keep_dims="true"/><input><port id="0"/><port id="1"/></input><output><port id="2" precision="FP32"><dim>)" +
           std::to_string(dim) + "</dim></port></output></layer>";
  }
  // Output ports follow the input ports: port 2 for nodes with two inputs, else port 0.
  static void Join(std::vector<std::string>& edges, int from, int to, int port) {
    const bool has_inputs = from > 2 && (from - 3) % 4 != 0;
    edges.push_back(Edge(std::to_string(from) + (has_inputs ? ":2" : ":0"),
                         std::to_string(to) + ":" + std::to_string(port)));
  }
};

TEST_F(FoldBudget, WhatFitsIsFolded) {
  EXPECT_TRUE(Convert({1000, 1000}));
  EXPECT_EQ(lines, ir::Lines());
}

// 3.6 GB from a few hundred bytes; readers of the constant add no further lines.
TEST_F(FoldBudget, ABombIsRefusedByName) {
  EXPECT_FALSE(Convert({900000000}));
  EXPECT_EQ(lines, ir::Lines({"model.xml:7: layer 4 \"t0\" (Tile): folding needs 3600000012 bytes "
                              "in addition to the 0 of earlier constants; must be at most "
                              "1073741824 in total (--fold-budget)"}));
}

TEST_F(FoldBudget, CountsAllConstantsTogether) {
  pipeline::ConvertOptions options;
  options.fold_budget_bytes = 12100;
  EXPECT_TRUE(Convert({1000, 1000}, options));
  EXPECT_EQ(lines, ir::Lines());
  EXPECT_FALSE(Convert({1000, 1000, 1000}, options));
  EXPECT_EQ(lines,
            ir::Lines({"model.xml:16: layer 13 \"s2\" (ReduceSum): folding needs 4012 bytes "
                       "in addition to the 12008 of earlier constants; must be at most 12100 "
                       "in total (--fold-budget)"}));
  options.fold_budget_bytes = 16100;
  EXPECT_TRUE(Convert({1000, 1000, 1000}, options));
}

// 4.8 MB of 64 MB, but more operations than this budget and a small file allow.
TEST_F(FoldBudget, LimitsWorkAsWellAsBytes) {
  pipeline::ConvertOptions options;
  options.fold_budget_bytes = int64_t{1} << 26;
  EXPECT_FALSE(Convert({1200000}, options));
  EXPECT_EQ(lines,
            ir::Lines({"model.xml:7: layer 4 \"t0\" (Tile): folding needs about 1200000 operations "
                       "in addition to the 0 of earlier constants; must be at most 1049344 in "
                       "total (increase it with --fold-budget)"}));
  EXPECT_TRUE(Convert({1200000}));
  EXPECT_EQ(lines, ir::Lines());
}

// 240 MB of the 1 GiB of the default budget.
TEST_F(FoldBudget, LimitsTheWorkOfSmallFilesByDefault) {
  EXPECT_FALSE(Convert({60000000}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("folding needs about 60000000 operations"), std::string::npos)
      << lines[0];
}

}  // namespace
}  // namespace weft
