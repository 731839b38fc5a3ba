// SPDX-License-Identifier: Apache-2.0
#include "tests/converter/ir/fixture.h"

namespace weft::ir {
namespace {

class Reader : public IrTest {};

TEST_F(Reader, ConnectsLayersByPortId) {
  const auto graph = ReadModel(Net({Parameter(7, "x"), Relu(3, "r"), Result(5, "y")},
                                   {Edge("7:0", "3:0"), Edge("3:1", "5:0")}));
  ASSERT_NE(graph, nullptr) << lines[0];
  ASSERT_EQ(graph->nodes.size(), 3u);
  Node& relu = *graph->nodes[1];
  EXPECT_EQ(relu.line, 4);
  EXPECT_EQ(relu.type, "ReLU");
  EXPECT_EQ(relu.inputs[0], (Source{graph->parameters[0], 0}));
  EXPECT_EQ(graph->results[0]->inputs[0], (Source{&relu, 0}));
  EXPECT_EQ(ToString(relu.outputs[0].type), "f32[2,3]");
  EXPECT_TRUE(relu.outputs[0].declared);
  EXPECT_EQ(Topological(*graph).size(), 3u);
}

TEST_F(Reader, IgnoresLayersThatNoResultNeeds) {
  const std::string broken =
      "<layer id=\"8\" name=\"z\" type=\"Const\" version=\"opset1\"><data element_type=\"nf4\" "
      "offset=\"0\" "
      "size=\"9\"/><output><port id=\"0\" precision=\"NF4\"/></output></layer>";
  const auto graph = ReadModel(Net({Parameter(0, "x"), broken, Relu(9, "dead"), Result(1, "y")},
                                   {Edge("0:0", "1:0"), Edge("8:44", "9:0")}));
  ASSERT_NE(graph, nullptr) << lines[0];
  EXPECT_EQ(graph->nodes.size(), 2u);
}

TEST_F(Reader, KeepsUnusedParametersInFileOrder) {
  const auto graph =
      ReadModel(Net({Parameter(9, "b"), Parameter(2, "a"), Result(1, "y")}, {Edge("2:0", "1:0")}));
  ASSERT_NE(graph, nullptr);
  ASSERT_EQ(graph->parameters.size(), 2u);
  EXPECT_EQ(graph->parameters[0]->name, "b");
  EXPECT_EQ(Topological(*graph).size(), 3u);
}

TEST_F(Reader, SplitsTensorNamesAtPlainCommas) {
  const std::string named =
      "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data shape=\"\" "
      "element_type=\"i64\"/>"
      "<output><port id=\"0\" precision=\"I64\" names=\"a\\,b,c:0\"/></output></layer>";
  const auto graph = ReadModel(Net({named, Result(1, "y")}, {Edge("0:0", "1:0")}));
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->parameters[0]->outputs[0].names, (std::vector<std::string>{"a,b", "c:0"}));
  EXPECT_EQ(ToString(graph->parameters[0]->outputs[0].type), "i64[]");
  EXPECT_TRUE(graph->parameters[0]->outputs[0].declared);
}

TEST_F(Reader, ShowsDynamicDimsAsMinusOne) {
  const std::string dynamic =
      "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data shape=\"?, "
      "1..8,-1,4\" "
      "element_type=\"f32\"/><output><port id=\"0\" "
      "precision=\"FP32\"><dim>-1</dim><dim>-1</dim><dim>-1</dim>"
      "<dim>4</dim></port></output></layer>";
  const auto graph = ReadModel(Net({dynamic, Result(1, "y")}, {Edge("0:0", "1:0")}));
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->parameters[0]->outputs[0].type.dims, (Dims{-1, -1, -1, 4}));
  EXPECT_EQ(BoundedText(*graph->parameters[0]), "f32[?,1..8,?,4]");
}

TEST_F(Reader, KeepsTheBoundsOfAParameter) {
  const auto text_of = [this](const std::string& shape) {
    const auto graph = ReadModel(Net(
        {"<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data shape=\"" + shape +
             "\" element_type=\"f32\"/><output><port id=\"0\" precision=\"FP32\"/></output>"
             "</layer>",
         Result(1, "y")},
        {Edge("0:0", "1:0")}));
    return graph == nullptr ? lines[0] : BoundedText(*graph->parameters[0]);
  };
  EXPECT_EQ(text_of("[..8,2..,3..3,0..]"), "f32[0..8,2..,3,?]");
  for (const std::string wrong : {"5..2", "1..x", "-1..4"}) {
    EXPECT_EQ(text_of(wrong),
              "model.xml:3: layer 0 \"x\" (Parameter): shape is \"" + wrong +
                  "\"; must be integers, \"?\" or ranges such as 1..8, separated by commas");
  }
}

TEST_F(Reader, LeavesAParameterOfUnknownRankUndeclared) {
  const std::string any =
      "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data shape=\"...\" "
      "element_type=\"f32\"/><output><port id=\"0\" precision=\"FP32\"/></output></layer>";
  const auto graph = ReadModel(Net({any, Result(1, "y")}, {Edge("0:0", "1:0")}));
  ASSERT_NE(graph, nullptr);
  EXPECT_FALSE(graph->parameters[0]->outputs[0].declared);
}

TEST_F(Reader, GivesStructuralTypesOneSpelling) {
  std::string xml = Net({Parameter(0, "x"), Result(1, "y")}, {Edge("0:0", "1:0")});
  xml.replace(xml.find("\"Result\""), 8, "\"result\"");
  const auto graph = ReadModel(xml);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->results[0]->type, "Result");
}

TEST_F(Reader, RefusesWhatIsNoXml) {
  ReadModel("<net name=\"m\" version=\"11\">\n<layers>\n<layer id=\"0\"\n</layers>\n</net>\n");
  EXPECT_EQ(lines, Lines{"model.xml:4: broken XML: Error parsing start element tag; must be a "
                         "well-formed OpenVINO IR"});
  ReadModel("");
  EXPECT_EQ(lines, Lines{"model.xml: is empty; must be the XML of an OpenVINO IR"});
  ReadModel("a text\n");
  EXPECT_EQ(lines, Lines{"model.xml: has no XML element; must be the XML of an OpenVINO IR"});
}

TEST_F(Reader, RefusesEveryPrefixOfAModel) {
  const std::string xml = Net({Parameter(0, "x"), Result(1, "y")}, {Edge("0:0", "1:0")});
  ASSERT_NE(ReadModel(xml), nullptr);
  for (size_t size = 0; size < xml.rfind('>'); ++size) {
    EXPECT_EQ(ReadModel(std::string_view(xml).substr(0, size)), nullptr) << size;
  }
}

TEST_F(Reader, RefusesWhatIsNoIr) {
  ReadModel("<?xml version=\"1.0\"?>\n<html/>\n");
  EXPECT_EQ(lines,
            Lines{"model.xml:2: root element is <html>; must be <net>, as in an OpenVINO IR"});
  ReadModel("<net name=\"m\" version=\"7\"/>\n");
  EXPECT_EQ(lines, Lines{"model.xml:1: IR version is \"7\"; must be 10 or 11"});
  ReadModel("<net name=\"m\"/>\n");
  EXPECT_EQ(lines, Lines{"model.xml:1: IR version is \"\"; must be 10 or 11"});
  ReadModel("<net name=\"m\" version=\"10\"/>\n");
  EXPECT_EQ(lines, (Lines{"model.xml:1: <net> has no <layers>",
                          "model.xml:1: the model has no Result; must have at least one"}));
}

TEST_F(Reader, SaysWhyAFileCannotBeRead) {
  Faults faults;
  EXPECT_EQ(pipeline::ReadModel(Path("absent.xml"), {}, {}, faults), nullptr);
  EXPECT_EQ(pipeline::ReadModel(Path(""), {}, {}, faults), nullptr);
  ASSERT_EQ(faults.lines().size(), 2u);
  EXPECT_EQ(WithoutFolder(faults.lines()[0]),
            "absent.xml: cannot be read: No such file or directory");
  EXPECT_TRUE(faults.lines()[1].ends_with("cannot be read: Is a directory")) << faults.lines()[1];
}

TEST_F(Reader, ReportsBadIds) {
  std::string odd = Relu(4, "odd");
  odd.replace(odd.find("\"4\""), 3, "\"4x\"");
  ReadModel(Net({Parameter(0, "x"), Relu(1, "a"), Relu(1, "b"), odd, Result(2, "y")},
                {Edge("0:0", "1:0"), Edge("1:1", "2:0")}));
  EXPECT_EQ(
      lines,
      (Lines{"model.xml:5: layer 1 \"b\" (ReLU): id 1 is that of \"a\" at line 4 too; ids must be "
             "unique",
             "model.xml:6: layer \"odd\" (ReLU): id is \"4x\"; must be an integer from 0"}));
}

// Edges of a layer with an invalid id cause no further faults.
TEST_F(Reader, ReportsNoConsequencesOfBadIds) {
  std::string odd = Relu(4, "odd");
  odd.replace(odd.find("\"4\""), 3, "\"4x\"");
  ReadModel(Net({Parameter(0, "x"), odd, Relu(5, "c"), Result(2, "y")},
                {Edge("0:0", "4:0"), Edge("4:1", "5:0"), Edge("5:1", "2:0")}));
  EXPECT_EQ(lines,
            (Lines{"model.xml:4: layer \"odd\" (ReLU): id is \"4x\"; must be an integer from "
                   "0"}));
  ReadModel(Net({Parameter(0, "x"), Relu(1, "a"), Relu(1, "b"), Result(2, "y")},
                {Edge("0:0", "1:0"), Edge("1:1", "1:0"), Edge("1:1", "2:0")}));
  EXPECT_EQ(lines, (Lines{"model.xml:5: layer 1 \"b\" (ReLU): id 1 is that of \"a\" at line 4 too; "
                          "ids must be unique"}));
  std::string last = Result(2, "y");
  last.replace(last.find("\"2\""), 3, "\"0\"");
  ReadModel(Net({Parameter(0, "x"), last}, {Edge("0:0", "2:0")}));
  EXPECT_EQ(lines.size(), 1u) << lines.back();
  std::string port = Relu(1, "a");
  port.replace(port.find("port id=\"0\""), 11, "port id=\"q\"");
  ReadModel(
      Net({Parameter(0, "x"), port, Result(2, "y")}, {Edge("0:0", "1:0"), Edge("1:1", "2:0")}));
  EXPECT_EQ(lines, (Lines{"model.xml:4: layer 1 \"a\" (ReLU): input port id is \"q\"; must be an "
                          "integer"}));
}

TEST_F(Reader, RefusesWhatReadsAResult) {
  ReadModel(Net({Parameter(0, "x"), Result(1, "y"), Relu(2, "a"), Result(3, "z")},
                {Edge("0:0", "1:0"), Edge("1:1", "2:0"), Edge("2:1", "3:0")}));
  EXPECT_EQ(lines, (Lines{"model.xml:10: edge 1:1 -> 2:0: layer 1 \"y\" (Result) is read; must be "
                          "read by nothing"}));
}

TEST_F(Reader, ReportsEveryBadEdgeInOneRun) {
  ReadModel(
      Net({Parameter(0, "x"), Add(1, "a"), Result(2, "y")},
          {Edge("0:0", "1:0"), Edge("0:0", "1:0"), Edge("5:0", "1:1"), Edge("1:9", "2:0"),
           Edge("0:0", "7:0"), Edge("0:0", "1:8"), "<edge from-layer=\"0\" to-layer=\"1\"/>"}));
  EXPECT_EQ(
      lines,
      (Lines{"model.xml:12: edge 0:0 -> 7:0: there is no layer 7",
             "model.xml:14: edge lacks an end; from-layer, from-port, to-layer and to-port must be "
             "integers",
             "model.xml:9: edge 0:0 -> 1:0: input port 0 of layer 1 \"a\" (Add) already has the "
             "edge at line 8; must have one edge",
             "model.xml:10: edge 5:0 -> 1:1: there is no layer 5",
             "model.xml:13: edge 0:0 -> 1:8: layer 1 \"a\" (Add) has no input port 8; it has 0 1",
             "model.xml:11: edge 1:9 -> 2:0: layer 1 \"a\" (Add) has no output port 9; it has 2"}));
}

TEST_F(Reader, ReportsInputsWithoutAnEdge) {
  ReadModel(Net({Parameter(0, "x"), Add(1, "a"), Result(2, "y")},
                {Edge("0:0", "1:0"), Edge("1:2", "2:0")}));
  EXPECT_EQ(
      lines,
      Lines{"model.xml:4: layer 1 \"a\" (Add): input port 1 is not connected; must have one edge"});
}

TEST_F(Reader, ReportsCycles) {
  ReadModel(
      Net({Parameter(0, "x"), Add(1, "a"), Relu(2, "b"), Relu(3, "c"), Add(4, "s"), Result(5, "y")},
          {Edge("0:0", "1:0"), Edge("3:1", "1:1"), Edge("1:2", "2:0"), Edge("2:1", "3:0"),
           Edge("2:1", "4:0"), Edge("4:2", "4:1"), Edge("4:2", "5:0")}));
  EXPECT_EQ(lines,
            (Lines{"model.xml:4: layer 1 \"a\" (Add): feeds itself through layer 2 \"b\" (ReLU), "
                   "layer 3 \"c\" "
                   "(ReLU); edges must not form a cycle",
                   "model.xml:7: layer 4 \"s\" (Add): feeds itself; edges must not form a cycle"}));
}

TEST_F(Reader, ReportsDimsThatCannotBe) {
  std::string wide = Parameter(0, "x");
  wide.replace(wide.find("2,3"), 3, "3037000500,4000000000");
  wide.replace(wide.find("<dim>2</dim><dim>3</dim>"), 24,
               "<dim>3037000500</dim><dim>4000000000</dim>");
  std::string odd = Relu(1, "r");
  odd.replace(odd.find("<dim>2</dim><dim>3</dim>"), 24, "<dim>?</dim><dim>-7</dim>");
  ReadModel(Net({wide, odd, Result(2, "y")}, {Edge("0:0", "1:0"), Edge("1:1", "2:0")}));
  EXPECT_EQ(lines, (Lines{"model.xml:3: layer 0 \"x\" (Parameter): output port 0 has dims "
                          "[3037000500,4000000000], a "
                          "product above 2^62; tensors hold less than 4294967296 bytes",
                          "model.xml:4: layer 1 \"r\" (ReLU): output port 1 has dim \"?\"; must be "
                          "an integer from 0, "
                          "or -1",
                          "model.xml:4: layer 1 \"r\" (ReLU): output port 1 has dim \"-7\"; must "
                          "be an integer from "
                          "0, or -1"}));
}

TEST_F(Reader, HoldsParameterDataAgainstItsPort) {
  std::string differs = Parameter(0, "x");
  differs.replace(differs.find("2,3"), 3, "2,4");
  differs.replace(differs.find("FP32"), 4, "FP16");
  ReadModel(Net({differs, Result(1, "y")}, {Edge("0:0", "1:0")}));
  EXPECT_EQ(lines, (Lines{"model.xml:3: layer 0 \"x\" (Parameter): type is f32 in <data> and "
                          "f16 on the output port; both must be equal",
                          "model.xml:3: layer 0 \"x\" (Parameter): shape is [2,4] in <data> and "
                          "[2,3] on the output port; both must be equal"}));
}

TEST_F(Reader, NamesUnknownElementTypes) {
  std::string text = Relu(1, "r");
  text.replace(text.find("FP32"), 4, "STRING");
  ReadModel(
      Net({Parameter(0, "x"), text, Result(2, "y")}, {Edge("0:0", "1:0"), Edge("1:1", "2:0")}));
  EXPECT_EQ(lines, Lines{"model.xml:4: layer 1 \"r\" (ReLU): output port 1 has precision "
                         "\"STRING\"; must be one of "
                         "f32 f16 bf16 f64 i4 u4 i8 u8 i16 i32 i64 boolean"});
}

TEST_F(Reader, KeepsMessagesInOneLine) {
  ReadModel(
      Net({Parameter(0, "x"), Relu(1, "two&#10;lines"), Result(2, "y")}, {Edge("1:1", "2:0")}));
  EXPECT_EQ(lines, Lines{"model.xml:4: layer 1 \"two\\nlines\" (ReLU): input port 0 is not "
                         "connected; must have one "
                         "edge"});
}

TEST_F(Reader, CutsTextTooLongToRead) {
  ReadModel("<net name=\"m\" version=\"" + std::string(5000, '1') + "\"/>");
  EXPECT_EQ(lines, Lines{"model.xml:1: IR version is \"" + std::string(200, '1') +
                         "...\"; must be 10 or 11"});
}

TEST_F(Reader, WalksLongChainsWithoutRecursion) {
  std::vector<std::string> layers = {Parameter(0, "x")};
  std::vector<std::string> edges = {Edge("0:0", "1:0")};
  constexpr int kLength = 50000;
  for (int i = 1; i <= kLength; ++i) {
    layers.push_back(Relu(i, "r"));
    if (i > 1) edges.push_back(Edge(std::to_string(i - 1) + ":1", std::to_string(i) + ":0"));
  }
  layers.push_back(Result(kLength + 1, "y"));
  edges.push_back(Edge(std::to_string(kLength) + ":1", std::to_string(kLength + 1) + ":0"));
  const auto graph = ReadModel(Net(layers, edges));
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(Topological(*graph).size(), kLength + 2u);
}

}  // namespace
}  // namespace weft::ir
