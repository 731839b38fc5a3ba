// SPDX-License-Identifier: Apache-2.0
// Port maps that must be rejected, and unusual but valid ones. The conformance cases ti/* and the
// random models check the results.
#include <algorithm>

#include "converter/pipeline.h"
#include "tests/converter/ir/fixture.h"

namespace weft::ops {
namespace {

using ir::Lines;

std::string Dim(std::initializer_list<int> dims) {
  std::string text;
  for (const int dim : dims) text += "<dim>" + std::to_string(dim) + "</dim>";
  return text;
}

std::string Port(int id, const std::string& dims) {
  return "<port id=\"" + std::to_string(id) + "\" precision=\"FP32\">" + dims + "</port>";
}

std::string Layer(int id, std::string_view type, const std::string& inside,
                  std::string_view opset = "opset1") {
  return "<layer id=\"" + std::to_string(id) + "\" name=\"n" + std::to_string(id) + "\" type=\"" +
         std::string(type) + "\" version=\"" + std::string(opset) + "\">" + inside + "</layer>";
}

// `chunk` is the extent of the slice, `whole` that of the output.
struct Shape {
  int chunk = 1, whole = 6;
};

// A TensorIterator over x f32[6,3] and h f32[1,3]. Its body adds Parameter 0 (the slice) to
// Parameter 1 (the state) and stores the sum in Results 3 and 4. The layer is on line 5.
class PortMaps : public ir::IrTest {
 protected:
  static constexpr std::string_view kSlice =
      "<input external_port_id=\"0\" internal_layer_id=\"0\" axis=\"0\"/>";
  static constexpr std::string_view kState =
      "<input external_port_id=\"1\" internal_layer_id=\"1\"/>";
  static constexpr std::string_view kScan =
      "<output external_port_id=\"2\" internal_layer_id=\"3\" axis=\"0\"/>";
  static constexpr std::string_view kEdge = "<edge from-layer=\"4\" to-layer=\"1\"/>";

  static std::string Variable(int id, int extent) {
    return Layer(id, "Parameter",
                 "<data shape=\"" + std::to_string(extent) + ",3\" element_type=\"f32\"/><output>" +
                     Port(0, Dim({extent, 3})) + "</output>");
  }

  static std::string Body(int chunk) {
    const std::string sum = Layer(2, "Add",
                                  "<input>" + Port(0, "") + Port(1, "") + "</input><output>" +
                                      Port(2, Dim({chunk, 3})) + "</output>");
    return "<body><layers>" + Variable(0, chunk) + Variable(1, 1) + sum + Result(3, "scan") +
           Result(4, "next") + "</layers><edges>" + Edge("0:0", "2:0") + Edge("1:0", "2:1") +
           Edge("2:2", "3:0") + Edge("2:2", "4:0") + "</edges></body>";
  }

  // The messages of a conversion, without the layer that all of them name; empty on success.
  Lines Convert(std::initializer_list<std::string_view> entries,
                std::string_view back_edges = kEdge, Shape shape = {}) {
    std::string map;
    for (const std::string_view entry : entries) map += entry;
    const std::string iterator =
        Layer(2, "TensorIterator",
              "<input>" + Port(0, Dim({6, 3})) + Port(1, Dim({1, 3})) + "</input><output>" +
                  Port(2, Dim({shape.whole, 3})) + "</output><port_map>" + map +
                  "</port_map><back_edges>" + std::string(back_edges) + "</back_edges>" +
                  Body(shape.chunk));
    Write("model.xml", Net({Variable(0, 6), Variable(1, 1), iterator, Result(3, "y")},
                           {Edge("0:0", "2:0"), Edge("1:0", "2:1"), Edge("2:2", "3:0")}));
    Write("model.bin", "");
    pipeline::ConvertOptions options;
    options.model = Path("model.xml");
    Faults faults;
    const bool converted = pipeline::Convert(options, faults).has_value();
    EXPECT_EQ(converted, faults.lines().empty());
    const std::string who = "model.xml:5: layer 2 \"n2\" (TensorIterator): ";
    Lines told;
    for (const std::string& line : faults.lines()) {
      std::string text = WithoutFolder(line);
      if (text.starts_with(who)) text.erase(0, who.size());
      told.push_back(text);
    }
    return told;
  }

  // The messages for a slice with these attributes. A larger chunk leaves no state that fits.
  Lines OfSlice(const std::string& attributes, Shape shape = {}) {
    return Convert(
        {"<input external_port_id=\"0\" internal_layer_id=\"0\" axis=\"0\" " + attributes + "/>",
         kState, kScan},
        shape.chunk == 1 ? kEdge : "", shape);
  }

  Lines OfScan(const std::string& attributes, Shape shape = {}) {
    return Convert(
        {kSlice, kState,
         "<output external_port_id=\"2\" internal_layer_id=\"3\" axis=\"0\" " + attributes + "/>"},
        kEdge, shape);
  }
};

TEST_F(PortMaps, TakeWholeAxesInEverySpelling) {
  for (const char* whole :
       {"", "start=\"0\"", "end=\"-1\"", "start=\"-7\"", "end=\"6\"", "end=\"5\"",
        "start=\"-1\" end=\"0\" stride=\"-1\"", "start=\"6\" end=\"-7\" stride=\"-1\"",
        "start=\"5\" end=\"0\" stride=\"-1\" part_size=\"1\""}) {
    EXPECT_EQ(OfSlice(whole), Lines{}) << whole;
    EXPECT_EQ(OfScan(whole), Lines{}) << whole;
  }
}

TEST_F(PortMaps, RefuseRangesThatCutNothing) {
  EXPECT_EQ(OfSlice("start=\"-9\""),
            Lines{"port_map of input 0: start -9, end -1, stride 1 select [-2, 6) of axis 0 with 6 "
                  "elements; must be inside the axis and a multiple of 1"});
  EXPECT_EQ(OfSlice("end=\"8\""),
            Lines{"port_map of input 0: start 0, end 8, stride 1 select [0, 8) of axis 0 with 6 "
                  "elements; must be inside the axis and a multiple of 1"});
  EXPECT_EQ(OfSlice("stride=\"-1\""),
            Lines{"port_map of input 0: start 0, end -1, stride -1 select [6, 0) of axis 0 with 6 "
                  "elements; must be inside the axis and a multiple of 1"});
  EXPECT_EQ(OfSlice("start=\"1\" stride=\"2\"", {.chunk = 2}),
            Lines{"port_map of input 0: start 1, end -1, stride 2 select [1, 6) of axis 0 with 6 "
                  "elements; must be inside the axis and a multiple of 2"});
}

TEST_F(PortMaps, RefuseStridesAndPartsThatAreNotTheChunk) {
  const std::string must =
      " elements on the axis; these, the magnitude of the stride and part_size must be equal";
  EXPECT_EQ(OfSlice("stride=\"0\""),
            Lines{"port_map of input 0: stride 0 and no part_size but the body has 1" + must});
  EXPECT_EQ(OfSlice("stride=\"2\""),
            Lines{"port_map of input 0: stride 2 and no part_size but the body has 1" + must});
  EXPECT_EQ(OfSlice("stride=\"-9223372036854775808\""),
            Lines{"port_map of input 0: stride -9223372036854775808 and no part_size but the body "
                  "has 1" +
                  must});
  EXPECT_EQ(OfSlice("stride=\"2\" part_size=\"3\"", {.chunk = 2}),
            Lines{"port_map of input 0: stride 2 and part_size 3 but the body has 2" + must});
  EXPECT_EQ(OfSlice("stride=\"1\"", {.chunk = 2}),
            Lines{"port_map of input 0: stride 1 and no part_size but the body has 2" + must});
  EXPECT_EQ(OfScan("stride=\"3\""),
            Lines{"port_map of output 2: stride 3 and no part_size but the body has 1" + must});
}

TEST_F(PortMaps, TakeChunksHoweverTheyAreWritten) {
  for (const char* chunks : {"", "stride=\"2\"", "part_size=\"2\"", "stride=\"1\" part_size=\"2\"",
                             "start=\"-1\" end=\"0\" stride=\"-2\" part_size=\"2\""}) {
    EXPECT_EQ(OfSlice(chunks, {.chunk = 2}), Lines{}) << chunks;
  }
}

TEST_F(PortMaps, CountWhatEachEntryMakesWhenTheyDisagree) {
  EXPECT_EQ(
      OfSlice("start=\"2\""),
      Lines{
          "the iteration counts differ: input 0 gives 4, output 0 declares 6; all must be equal"});
  EXPECT_EQ(OfSlice("end=\"3\""), Lines{"the iteration counts differ: input 0 gives 3 or 4, output "
                                        "0 declares 6; all must be equal"});
  EXPECT_EQ(OfSlice("", {.chunk = 2, .whole = 5}),
            Lines{"output 0 has 5 elements on axis 0 but an iteration yields 2; must divide it"});
}

TEST_F(PortMaps, SettleABoundOfTwoReadingsByTheOutput) {
  EXPECT_EQ(OfSlice("end=\"3\"", {.whole = 3}), Lines{});
  EXPECT_EQ(OfSlice("end=\"3\"", {.whole = 4}), Lines{});
}

TEST_F(PortMaps, PrintBothReadingsWhenNothingSettlesThem) {
  constexpr std::string_view kLast = "<output external_port_id=\"2\" internal_layer_id=\"3\"/>";
  EXPECT_EQ(Convert({"<input external_port_id=\"0\" internal_layer_id=\"0\" axis=\"0\" end=\"3\"/>",
                     kState, kLast},
                    kEdge, {.whole = 1}),
            Lines{"port_map of input 0: the upper bound gives 3 iterations if exclusive and 4 if "
                  "inclusive, and no other entry decides; must be negative, counted from the end"});
}

TEST_F(PortMaps, RefuseOutputsThatAreFilledInPart) {
  EXPECT_EQ(
      OfScan("start=\"1\""),
      Lines{"port_map of output 2: start 1, end -1 cover part of 6 elements; must cover all"});
  EXPECT_EQ(OfScan("end=\"4\""),
            Lines{"port_map of output 2: start 0, end 4 cover part of 6 elements; must cover all"});
}

TEST_F(PortMaps, RefuseAxesBeyondTheRank) {
  EXPECT_EQ(Convert({"<input external_port_id=\"0\" internal_layer_id=\"0\" axis=\"2\"/>", kState,
                     kScan}),
            Lines{"axis 2 of a rank 2 tensor; must be from -2 to 1"});
}

TEST_F(PortMaps, RefuseAParameterWithoutSource) {
  EXPECT_EQ(Convert({kSlice, kScan}),
            Lines{"model.xml:5: layer 1 \"n1\" (Parameter): no port_map input of layer 2 \"n2\" "
                  "feeds it; must have one"});
}

TEST_F(PortMaps, RefuseAParameterWithTwoSources) {
  EXPECT_EQ(Convert({kSlice, kState,
                     "<input external_port_id=\"-1\" internal_layer_id=\"1\" "
                     "purpose=\"current_iteration\"/>",
                     kScan}),
            Lines{"body Parameter 1 \"n1\" has 2 sources in the port_map; must have one"});
  EXPECT_EQ(Convert({kSlice,
                     "<input external_port_id=\"-1\" internal_layer_id=\"1\" "
                     "purpose=\"current_iteration\"/>",
                     kScan}),
            Lines{"body Parameter 1 \"n1\" is the current_iteration and the target of back edge 4 "
                  "-> 1; must have one source"});
}

TEST_F(PortMaps, LetOneInputFeedTwoParameters) {
  EXPECT_EQ(
      Convert({kSlice, "<input external_port_id=\"0\" internal_layer_id=\"1\" axis=\"0\"/>", kScan},
              ""),
      Lines{});
}

TEST_F(PortMaps, RefuseBackEdgesThatJoinTwoShapes) {
  EXPECT_EQ(Convert({kSlice, kState, kScan}, kEdge, {.chunk = 2}),
            Lines{"back edge 4 -> 1 joins f32[2,3] to f32[1,3]; both ends must have one shape"});
}

}  // namespace
}  // namespace weft::ops
