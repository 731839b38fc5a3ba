// SPDX-License-Identifier: Apache-2.0
#include "tests/converter/ir/fixture.h"

namespace weft::ir {
namespace {

class Bodies : public IrTest {
 protected:
  static constexpr std::string_view kPorts =
      "<input><port id=\"0\"/><port id=\"1\"/></input>"
      "<output><port id=\"2\" precision=\"FP32\"><dim>2</dim><dim>3</dim></port></output>";

  // Parameters 0 and 1, an Add and Results 3 and 4 of one body.
  static std::string Body(std::string_view tag) {
    return "<" + std::string(tag) + "><layers>" + Parameter(0, "bx") + Parameter(1, "bh") +
           Add(2, "sum") + Result(3, "by") + Result(4, "bn") + "</layers><edges>" +
           Edge("0:0", "2:0") + Edge("1:0", "2:1") + Edge("2:2", "3:0") + Edge("2:2", "4:0") +
           "</edges></" + std::string(tag) + ">";
  }

  // A model with one layer, on line 5, that has the given children.
  std::unique_ptr<Graph> ReadCarrier(std::string_view type, std::string_view children) {
    const std::string carrier = "<layer id=\"2\" name=\"rnn\" type=\"" + std::string(type) +
                                "\" version=\"opset1\">" + std::string(children) + "</layer>";
    return ReadModel(Net({Parameter(0, "x"), Parameter(1, "h"), carrier, Result(3, "y")},
                         {Edge("0:0", "2:0"), Edge("1:0", "2:1"), Edge("2:2", "3:0")}));
  }

  static std::string PortMap(std::string_view entries) {
    return "<port_map>" + std::string(entries) + "</port_map>";
  }
};

constexpr std::string_view kInputs =
    "<input external_port_id=\"0\" internal_layer_id=\"0\" axis=\"0\" stride=\"-1\" start=\"-1\" "
    "end=\"0\" "
    "part_size=\"1\"/><input external_port_id=\"1\" internal_layer_id=\"1\"/>";
constexpr std::string_view kOutput =
    "<output external_port_id=\"2\" internal_layer_id=\"3\" axis=\"0\"/>";
constexpr std::string_view kBackEdges =
    "<back_edges><edge from-layer=\"4\" to-layer=\"1\"/></back_edges>";

std::string Text(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (std::string_view part : parts) text += part;
  return text;
}

TEST_F(Bodies, StandInAnyOrderOfChildren) {
  const std::string map = PortMap(Text({kInputs, kOutput}));
  for (const std::string& children : {Text({kPorts, map, kBackEdges, Body("body")}),
                                      Text({map, kBackEdges, kPorts, Body("body")}),
                                      Text({Body("body"), kBackEdges, map, kPorts})}) {
    const auto graph = ReadCarrier("TensorIterator", children);
    ASSERT_NE(graph, nullptr) << lines[0];
    const Node& node = *graph->nodes[2];
    ASSERT_EQ(node.bodies.size(), 1u);
    const weft::ir::Body& body = node.bodies[0];
    EXPECT_EQ(body.graph->nodes.size(), 5u);
    EXPECT_EQ(body.graph->parameters.size(), 2u);
    EXPECT_EQ(body.graph->results.size(), 2u);
    ASSERT_EQ(body.map.inputs.size(), 2u);
    const BodyInput &slice = body.map.inputs[0], &state = body.map.inputs[1];
    EXPECT_EQ(slice.parameter, body.graph->parameters[0]);
    EXPECT_EQ(slice.input, 0u);
    ASSERT_TRUE(slice.range.has_value());
    EXPECT_EQ(slice.range->axis, 0);
    EXPECT_EQ(slice.range->start, -1);
    EXPECT_EQ(slice.range->stride, -1);
    EXPECT_TRUE(slice.is(BodyInput::Kind::kSliced));
    EXPECT_FALSE(state.range.has_value());
    EXPECT_EQ(state.next, body.graph->results[1]);
    EXPECT_TRUE(state.is(BodyInput::Kind::kCarried));
    ASSERT_EQ(body.map.outputs.size(), 1u);
    EXPECT_EQ(body.map.outputs[0].result, body.graph->results[0]);
    ASSERT_TRUE(body.map.outputs[0].range.has_value());
    EXPECT_FALSE(body.map.outputs[0].range->start.has_value());
    EXPECT_EQ(body.map.condition, nullptr);
  }
}

TEST_F(Bodies, OfIfAreTwo) {
  const std::string then_map =
      "<then_port_map><input external_port_id=\"0\" internal_layer_id=\"0\"/><input "
      "external_port_id=\"1\" "
      "internal_layer_id=\"1\"/><output external_port_id=\"0\" "
      "internal_layer_id=\"3\"/></then_port_map>";
  std::string else_map = then_map;
  for (size_t at = else_map.find("then"); at != std::string::npos; at = else_map.find("then")) {
    else_map.replace(at, 4, "else");
  }
  const auto graph =
      ReadCarrier("If", Text({kPorts, then_map, else_map, Body("then_body"), Body("else_body")}));
  ASSERT_NE(graph, nullptr) << lines[0];
  EXPECT_EQ(graph->nodes[2]->bodies.size(), 2u);
}

TEST_F(Bodies, ShareTheWeightsOfTheModel) {
  Write("model.bin", std::string(24, 'w'));
  const std::string constant =
      Const(1, "w", "element_type=\"f32\" shape=\"2,3\" offset=\"0\" size=\"24\"",
            "id=\"0\" precision=\"FP32\"><dim>2</dim><dim>3</dim>");
  const std::string body = "<body><layers>" + Parameter(0, "bx") + constant + Add(2, "sum") +
                           Result(3, "by") + "</layers><edges>" + Edge("0:0", "2:0") +
                           Edge("1:0", "2:1") + Edge("2:2", "3:0") + "</edges></body>";
  const auto graph = ReadCarrier(
      "Loop",
      Text({kPorts,
            PortMap(Text({"<input external_port_id=\"0\" internal_layer_id=\"0\"/>", kOutput})),
            body}));
  ASSERT_NE(graph, nullptr) << lines[0];
  EXPECT_EQ(graph->nodes[2]->bodies[0].graph->nodes[1]->constant->bytes.size(), 24u);
}

TEST_F(Bodies, MayLeaveUnreadParametersWithoutSource) {
  const std::string body = "<body><layers>" + Parameter(0, "bx") + Parameter(1, "unread") +
                           Result(3, "by") + "</layers><edges>" + Edge("0:0", "3:0") +
                           "</edges></body>";
  EXPECT_NE(
      ReadCarrier(
          "TensorIterator",
          Text({kPorts,
                PortMap(Text({"<input external_port_id=\"0\" internal_layer_id=\"0\"/>", kOutput})),
                body})),
      nullptr);
}

TEST_F(Bodies, ReportMapsThatNameTheWrongLayers) {
  ReadCarrier(
      "TensorIterator",
      Text({kPorts,
            PortMap("<input external_port_id=\"0\" internal_layer_id=\"2\"/><input "
                    "external_port_id=\"1\" "
                    "internal_layer_id=\"1\"/><input external_port_id=\"5\" "
                    "internal_layer_id=\"0\"/><output "
                    "external_port_id=\"2\" internal_layer_id=\"77\"/>"),
            "<back_edges><edge from-layer=\"2\" to-layer=\"3\"/></back_edges>", Body("body")}));
  const std::string who = "model.xml:5: layer 2 \"rnn\" (TensorIterator): ";
  EXPECT_EQ(
      lines,
      (Lines{who + "port_map input 0 -> 2: layer 2 \"sum\" has type Add; must name a Parameter",
             who + "port_map input 5 -> 0: the layer has 2 inputs, counted from 0",
             who + "port_map output 2 <- 77: the body has no layer 77; must name a Result",
             who + "back edge 2 -> 3: layer 2 \"sum\" has type Add; must come from a Result",
             who + "back edge 2 -> 3: layer 3 \"by\" has type Result; must lead to a Parameter"}));
}

TEST_F(Bodies, ReportTwoSourcesForOneTarget) {
  ReadCarrier("TensorIterator",
              Text({kPorts,
                    PortMap(Text({kInputs, kOutput,
                                  "<input external_port_id=\"0\" internal_layer_id=\"1\"/>",
                                  "<output external_port_id=\"2\" internal_layer_id=\"4\"/>"})),
                    "<back_edges><edge from-layer=\"4\" to-layer=\"1\"/><edge from-layer=\"3\" "
                    "to-layer=\"1\"/>"
                    "</back_edges>",
                    Body("body")}));
  const std::string who = "model.xml:5: layer 2 \"rnn\" (TensorIterator): ";
  EXPECT_EQ(
      lines,
      (Lines{
          who + "port_map input 0 -> 1: the entry at line 5 feeds Parameter 1 too; must be one",
          who + "port_map output 2 <- 4: the entry at line 5 gives output 2 too; must be one",
          who + "back edge 3 -> 1: the back edge at line 5 feeds Parameter 1 too; must be one"}));
}

TEST_F(Bodies, ReportParametersWithoutSource) {
  ReadCarrier(
      "TensorIterator",
      Text({kPorts,
            PortMap(Text({"<input external_port_id=\"0\" internal_layer_id=\"0\"/>", kOutput})),
            kBackEdges, Body("body")}));
  EXPECT_EQ(lines, Lines{"model.xml:5: layer 1 \"bh\" (Parameter): no port_map input of layer 2 "
                         "\"rnn\" feeds it; must "
                         "have one"});
}

TEST_F(Bodies, ReportWhatIsMissing) {
  ReadCarrier("TensorIterator", kPorts);
  EXPECT_EQ(lines, Lines{"model.xml:5: layer 2 \"rnn\" (TensorIterator): has no <body>"});
  ReadCarrier("TensorIterator", Text({kPorts, PortMap(kInputs), kBackEdges, Body("body")}));
  EXPECT_EQ(lines, Lines{"model.xml:5: layer 2 \"rnn\" (TensorIterator): port_map gives 0 outputs "
                         "but the layer has 1 "
                         "output ports; must be one for each"});
  ReadCarrier(
      "Loop",
      Text({kPorts,
            PortMap(Text({kInputs, kOutput, "<input internal_layer_id=\"x\" purpose=\"why\"/>"})),
            Body("body")}));
  const std::string who = "model.xml:5: layer 2 \"rnn\" (Loop): ";
  EXPECT_EQ(
      lines,
      (Lines{who + "port_map input: external_port_id is missing",
             who + "port_map input: internal_layer_id is \"x\"; must be an integer",
             who + "port_map input: purpose is \"why\"; must be \"current_iteration\" or absent",
             who + "port_map input -1 -> -1: the body has no layer -1; must name a Parameter"}));
}

TEST_F(Bodies, ReportFaultsInsideWithTheirLines) {
  ReadCarrier("TensorIterator",
              Text({kPorts, PortMap("<output external_port_id=\"2\" internal_layer_id=\"3\"/>"),
                    "<body>\n<layers>\n", Result(3, "by"), "\n</layers><edges/></body>"}));
  EXPECT_EQ(lines, Lines{"model.xml:7: layer 3 \"by\" (Result): input port 0 is not connected; "
                         "must have one edge"});
}

TEST_F(Bodies, NestNoDeeperThanTheEngine) {
  std::string xml = "<layers/>";
  for (int depth = 0; depth < 20; ++depth) {
    xml = "<layers>" + Result(3, "by") +
          "<layer id=\"2\" name=\"rnn\" type=\"Loop\" version=\"opset5\">" +
          "<output><port id=\"0\"/></output><body>" + xml + "</body>" +
          PortMap("<output external_port_id=\"0\" internal_layer_id=\"3\"/>") +
          "</layer></layers><edges>" + Edge("2:0", "3:0") + "</edges>";
  }
  ReadModel("<net name=\"m\" version=\"11\">" + xml + "</net>");
  EXPECT_EQ(lines, Lines{"model.xml:1: layer 2 \"rnn\" (Loop): its bodies nest deeper than this; "
                         "must be at most 16 deep"});
}

}  // namespace
}  // namespace weft::ir
