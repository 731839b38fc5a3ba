// SPDX-License-Identifier: Apache-2.0
// Full conversions of models with very many layers, ports or inputs. Each test checks the result. A
// pass whose work grows with the square of these numbers would exceed the suite's timeout.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "converter/pipeline.h"
#include "converter/read_model.h"
#include "tests/converter/ir/fixture.h"
#include "tests/rounds.h"

namespace weft {
namespace {

constexpr const char* kRow = "<dim>1</dim><dim>4</dim>";

// Writes an IR layer by layer; a layer comes after the layers that compute its inputs.
class NetText {
 public:
  struct Output {
    int layer, port;
  };

  Output Parameter(const std::string& dims, const std::string& shape) {
    return Layer("Parameter", "element_type=\"f32\" shape=\"" + shape + "\"", {}, {dims}, dims);
  }
  Output Row() { return Parameter(kRow, "1,4"); }
  Output Relu(Output x) { return Layer("ReLU", "", {x}, {kRow}, kRow); }
  void Result(Output x) { Layer("Result", "", {x}, {}, kRow); }

  // The first of its outputs. `dims_in` are those of every input.
  Output Layer(const std::string& type, const std::string& data, const std::vector<Output>& inputs,
               const std::vector<std::string>& outputs, const std::string& dims_in) {
    const int id = count_++;
    layers_ += "<layer id=\"" + std::to_string(id) + "\" name=\"l" + std::to_string(id) +
               "\" type=\"" + type + "\" version=\"opset1\"><data " + data + "/><input>";
    int port = 0;
    for (const Output& input : inputs) {
      layers_ += "<port id=\"" + std::to_string(port) + "\">" + dims_in + "</port>";
      edges_ += "<edge from-layer=\"" + std::to_string(input.layer) + "\" from-port=\"" +
                std::to_string(input.port) + "\" to-layer=\"" + std::to_string(id) +
                "\" to-port=\"" + std::to_string(port++) + "\"/>\n";
    }
    const int first = port;
    layers_ += "</input><output>";
    for (const std::string& dims : outputs) {
      layers_ +=
          "<port id=\"" + std::to_string(port++) + "\" precision=\"FP32\">" + dims + "</port>";
    }
    layers_ += "</output></layer>\n";
    return {id, first};
  }

  // An i64 constant: the first eight bytes of model.bin.
  Output Zero() {
    const int id = count_++;
    layers_ += "<layer id=\"" + std::to_string(id) +
               "\" name=\"zero\" type=\"Const\" version=\"opset1\"><data element_type=\"i64\" "
               "shape=\"\" offset=\"0\" size=\"8\"/><output><port id=\"0\" precision=\"I64\"/>"
               "</output></layer>\n";
    return {id, 0};
  }

  std::string Text() const {
    return "<net name=\"m\" version=\"11\">\n<layers>\n" + layers_ + "</layers>\n<edges>\n" +
           edges_ + "</edges>\n</net>\n";
  }

 private:
  int count_ = 0;
  std::string layers_, edges_;
};

class Scale : public ir::IrTest {
 protected:
  std::optional<pipeline::Converted> Convert(const NetText& net) {
    Write("model.xml", net.Text());
    pipeline::ConvertOptions options;
    options.model = Path("model.xml");
    std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
    for (size_t i = 0; i < std::min<size_t>(faults.lines().size(), 3); ++i) {
      ADD_FAILURE() << faults.lines()[i];
    }
    return converted;
  }

  Faults faults;
};

std::string Rows(int count) { return "<dim>" + std::to_string(count) + "</dim><dim>4</dim>"; }

TEST_F(Scale, AChainOfLayersRunsInPlace) {
  NetText net;
  NetText::Output x = net.Row();
  for (int i = 0; i < Rounds(30000); ++i) x = net.Relu(x);
  net.Result(x);
  const auto converted = Convert(net);
  ASSERT_TRUE(converted);
  EXPECT_EQ(converted->scratch_bytes, 16);
}

TEST_F(Scale, OneValueFeedsManyResults) {
  constexpr int kCount = Rounds(10000);
  NetText net;
  const NetText::Output x = net.Row();
  for (int i = 0; i < kCount; ++i) net.Result(net.Relu(x));
  const auto converted = Convert(net);
  ASSERT_TRUE(converted);
  EXPECT_EQ(converted->scratch_bytes, kCount * 16);
}

TEST_F(Scale, ManyPortsGoIntoOneConcat) {
  constexpr int kCount = Rounds(10000);
  NetText net;
  std::vector<NetText::Output> parts;
  for (int i = 0; i < kCount; ++i) parts.push_back(net.Row());
  net.Result(net.Layer("Concat", "axis=\"0\"", parts, {Rows(kCount)}, kRow));
  const auto converted = Convert(net);
  ASSERT_TRUE(converted);
  EXPECT_EQ(converted->scratch_bytes, kCount * 16);
}

TEST_F(Scale, TheNumberOfLayersIsLimited) {
  NetText net;
  for (size_t i = 1; i < pipeline::kMaxLayers; ++i) net.Row();
  net.Result(net.Row());
  Write("model.xml", net.Text());
  EXPECT_EQ(pipeline::ReadModel(Path("model.xml"), {}, {}, faults), nullptr);
  ASSERT_EQ(faults.lines().size(), 1u);
  EXPECT_EQ(faults.lines()[0],
            Path("model.xml").string() + ": has 262145 layers; must have at most 262144");
}

// Parts are read in place, and written directly to the joined value.
TEST_F(Scale, ManyPartsAreSplitAndJoined) {
  constexpr int kCount = Rounds(10000);
  Write("model.bin", std::string(8, '\0'));
  NetText net;
  const NetText::Output x = net.Parameter(Rows(kCount), std::to_string(kCount) + ",4");
  const NetText::Output axis = net.Zero();
  const NetText::Output first = net.Layer("Split", "num_splits=\"" + std::to_string(kCount) + "\"",
                                          {x, axis}, std::vector<std::string>(kCount, kRow), "");
  std::vector<NetText::Output> parts;
  for (int i = 0; i < kCount; ++i) parts.push_back(net.Relu({first.layer, first.port + i}));
  std::reverse(parts.begin(), parts.end());
  net.Result(net.Layer("Concat", "axis=\"0\"", parts, {Rows(kCount)}, kRow));
  const auto converted = Convert(net);
  ASSERT_TRUE(converted);
  EXPECT_EQ(converted->scratch_bytes, 2 * kCount * 16);
}

}  // namespace
}  // namespace weft
