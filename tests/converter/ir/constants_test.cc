// SPDX-License-Identifier: Apache-2.0
#include "tests/converter/ir/fixture.h"

namespace weft::ir {
namespace {

class Constants : public IrTest {
 protected:
  // A model that returns the constants.
  std::unique_ptr<Graph> ReadConstants(const std::vector<std::string>& constants,
                                       const std::vector<std::string>& ports) {
    std::vector<std::string> layers = constants, edges;
    for (size_t i = 0; i < constants.size(); ++i) {
      const int result = static_cast<int>(100 + i);
      layers.push_back(Result(result, "y"));
      edges.push_back(Edge(std::to_string(i) + ":" + ports[i], std::to_string(result) + ":0"));
    }
    return ReadModel(Net(layers, edges));
  }

  static const Constant& ValueOf(const Graph& graph, size_t i) { return *graph.nodes[i]->constant; }
};

TEST_F(Constants, TakeTypeAndShapeFromDataOrFromThePort) {
  Write("model.bin", "abcdefghijklmnopqrstuvwxyz");
  const auto graph = ReadConstants(
      {Const(0, "new", "element_type=\"u8\" shape=\"2, 3\" offset=\"1\" size=\"6\"",
             "id=\"0\" precision=\"U8\"><dim>2</dim><dim>3</dim>"),
       Const(1, "old", "offset=\"3\" size=\"8\"", "id=\"1\" precision=\"I32\"><dim>2</dim>"),
       Const(2, "scalar", "element_type=\"i64\" shape=\"\" offset=\"5\" size=\"8\"",
             "id=\"0\" precision=\"I64\">")},
      {"0", "1", "0"});
  ASSERT_NE(graph, nullptr) << lines[0];
  EXPECT_EQ(ToString(ValueOf(*graph, 0).type), "u8[2,3]");
  EXPECT_EQ(ToString(ValueOf(*graph, 1).type), "i32[2]");
  EXPECT_EQ(ToString(ValueOf(*graph, 2).type), "i64[]");
  EXPECT_EQ(std::memcmp(ValueOf(*graph, 0).bytes.data(), "bcdefg", 6), 0);
  EXPECT_EQ(std::memcmp(ValueOf(*graph, 1).bytes.data(), "defghijk", 8), 0);
  EXPECT_EQ(ValueOf(*graph, 2).bytes.size(), 8u);
}

// The elements of a constant, of the C++ type that stores them.
template <typename T>
std::vector<T> ElementsOf(const Constant& constant) {
  std::vector<T> elements(constant.bytes.size() / sizeof(T));
  std::memcpy(elements.data(), constant.bytes.data(), constant.bytes.size());
  return elements;
}

TEST_F(Constants, OfTypesThatTheFormatLacksAreWidened) {
  Write("model.bin", std::string_view("\x01\x02\xFF\xFF\xFE\xFF\xFF\xFF\xFF\xFF\xFF\x7F\x1B", 13));
  const auto graph = ReadConstants(
      {Const(0, "a", R"(element_type="u16" shape="2" offset="1" size="4")",
             R"(id="0" precision="U16"><dim>2</dim>)"),
       Const(1, "b", R"(element_type="u32" shape="1,2" offset="0" size="8")",
             R"(id="0" precision="U32"><dim>1</dim><dim>2</dim>)"),
       Const(2, "c", R"(offset="4" size="8")", R"(id="0" precision="U64"><dim>1</dim>)"),
       Const(3, "d", R"(element_type="u1" shape="7" offset="12" size="1")",
             R"(id="0" precision="BIN"><dim>7</dim>)"),
       Const(4, "e", R"(element_type="u64" shape="0" offset="0" size="0")",
             R"(id="0" precision="U64"><dim>0</dim>)")},
      {"0", "0", "0", "0", "0"});
  ASSERT_NE(graph, nullptr) << lines[0];
  EXPECT_EQ(ToString(ValueOf(*graph, 0).type), "i32[2]");
  EXPECT_EQ(ElementsOf<int32_t>(ValueOf(*graph, 0)), (std::vector<int32_t>{0xFF02, 0xFEFF}));
  EXPECT_EQ(ToString(ValueOf(*graph, 1).type), "i64[1,2]");
  EXPECT_EQ(ElementsOf<int64_t>(ValueOf(*graph, 1)),
            (std::vector<int64_t>{0xFFFF0201, 0xFFFFFFFE}));
  EXPECT_EQ(ToString(ValueOf(*graph, 2).type), "i64[1]");
  EXPECT_EQ(ElementsOf<int64_t>(ValueOf(*graph, 2)), (std::vector<int64_t>{0x7FFFFFFFFFFFFFFE}));
  EXPECT_EQ(ToString(ValueOf(*graph, 3).type), "u8[7]");
  EXPECT_EQ(ElementsOf<uint8_t>(ValueOf(*graph, 3)), (std::vector<uint8_t>{0, 0, 0, 1, 1, 0, 1}));
  EXPECT_EQ(ToString(ValueOf(*graph, 4).type), "i64[0]");
  EXPECT_EQ(graph->nodes[2]->outputs[0].widened->name, "u64");
}

TEST_F(Constants, OfU64MustFitInto63Bits) {
  Write("model.bin", std::string(7, '\0') + "\x80" + std::string(1, '\x01'));
  const std::string eight = R"( shape="1" offset="0" size="8")";
  EXPECT_EQ(ReadConstants({Const(0, "w", "element_type=\"u64\"" + eight,
                                 R"(id="0" precision="U64"><dim>1</dim>)"),
                           Const(1, "short", R"(element_type="u16" shape="5" offset="0" size="9")",
                                 R"(id="0" precision="U16"><dim>5</dim>)"),
                           Const(2, "other", "element_type=\"u32\"" + eight,
                                 R"(id="0" precision="I64"><dim>1</dim>)")},
                          {"0", "0", "0"}),
            nullptr);
  EXPECT_EQ(lines,
            (Lines{"model.xml:3: layer 0 \"w\" (Const): element 0 of u64 is 9223372036854775808; "
                   "must be below 2^63",
                   "model.xml:4: layer 1 \"short\" (Const): size is 9 bytes but u16[5] needs 10",
                   "model.xml:5: layer 2 \"other\" (Const): type is u32 in <data> and i64 on the "
                   "output port; both must be equal"}));
}

TEST_F(Constants, AloneMayBeOfThoseTypes) {
  std::string parameter = Parameter(0, "x");
  parameter.replace(parameter.find("\"f32\""), 5, "\"u32\"");
  parameter.replace(parameter.find("FP32"), 4, "U32");
  EXPECT_EQ(ReadModel(Net({parameter, Result(1, "y")}, {Edge("0:0", "1:0")})), nullptr);
  EXPECT_EQ(
      lines,
      Lines{"model.xml:3: layer 0 \"x\" (Parameter): element_type is u32, which only "
            "constants may have; must be one of f32 f16 bf16 f64 i4 u4 i8 u8 i16 i32 i64 boolean"});
}

TEST_F(Constants, ShareTheFileWithoutCopies) {
  Write("model.bin", "0123456789");
  const std::string data = "element_type=\"u8\" shape=\"4\" offset=\"2\" size=\"4\"";
  const std::string other = "element_type=\"i16\" shape=\"2\" offset=\"2\" size=\"8\"";
  auto graph = ReadConstants({Const(0, "a", data, "id=\"0\" precision=\"U8\"><dim>4</dim>"),
                              Const(1, "b", other, "id=\"0\" precision=\"I16\"><dim>2</dim>")},
                             {"0", "0"});
  ASSERT_NE(graph, nullptr) << lines[0];
  EXPECT_EQ(ValueOf(*graph, 0).bytes.data(), ValueOf(*graph, 1).bytes.data());
  EXPECT_EQ(ValueOf(*graph, 1).bytes.size(), 4u);  // `size` may exceed the required bytes
  const Constant kept = ValueOf(*graph, 0);
  graph.reset();
  EXPECT_EQ(std::memcmp(kept.bytes.data(), "2345", 4), 0);
}

TEST_F(Constants, MayNotNameMoreThanTheFile) {
  Write("model.bin", "0123456789");
  for (const char* size : {"9", "4294967300", "1099511627776", "9223372036854775807"}) {
    const std::string data = "element_type=\"i16\" shape=\"2\" offset=\"2\" size=\"";
    EXPECT_EQ(
        ReadConstants(
            {Const(0, "w", data + size + "\"", "id=\"0\" precision=\"I16\"><dim>2</dim>")}, {"0"}),
        nullptr)
        << size;
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_NE(lines[0].find("but the file has 10"), std::string::npos) << lines[0];
  }
}

TEST_F(Constants, MayLackSubByteTails) {
  Write("model.bin", std::string_view("\x21\x03", 2));
  const auto graph =
      ReadConstants({Const(0, "w", "element_type=\"u4\" shape=\"3\" offset=\"0\" size=\"2\"",
                           "id=\"0\" precision=\"U4\"><dim>3</dim>")},
                    {"0"});
  ASSERT_NE(graph, nullptr) << lines[0];
  EXPECT_EQ(ValueOf(*graph, 0).bytes.size(), 2u);
}

TEST_F(Constants, OfNoBytesNeedNoFile) {
  const auto graph =
      ReadConstants({Const(0, "none", "element_type=\"f32\" shape=\"0\" offset=\"0\" size=\"0\"",
                           "id=\"0\" precision=\"FP32\"><dim>0</dim>")},
                    {"0"});
  ASSERT_NE(graph, nullptr) << lines[0];
  EXPECT_TRUE(ValueOf(*graph, 0).bytes.empty());
}

TEST_F(Constants, ReportAnAbsentFileOnce) {
  const std::string data = "element_type=\"u8\" shape=\"4\" offset=\"2\" size=\"4\"";
  const std::string port = "id=\"0\" precision=\"U8\"><dim>4</dim>";
  ReadConstants({Const(0, "a", data, port), Const(1, "b", data, port)}, {"0", "0"});
  EXPECT_EQ(
      lines,
      Lines{
          "model.bin: cannot be read: No such file or directory; 2 constants need it, the first is "
          "layer 0 \"a\" at line 3"});
}

TEST_F(Constants, ReportATruncatedFile) {
  Write("model.bin", std::string(6000, 'x'));
  ReadConstants(
      {Const(0, "w", "element_type=\"f32\" shape=\"1024\" offset=\"4096\" size=\"4096\"",
             "id=\"0\" precision=\"FP32\"><dim>1024</dim>"),
       Const(1, "far", "element_type=\"u8\" shape=\"1\" offset=\"9223372036854775807\" size=\"1\"",
             "id=\"0\" precision=\"U8\"><dim>1</dim>")},
      {"0", "0"});
  EXPECT_EQ(lines,
            (Lines{"model.bin: layer 0 \"w\": needs bytes [4096, 8192) but the file has 6000",
                   "model.bin: layer 1 \"far\": needs bytes [9223372036854775807, "
                   "9223372036854775808) but the "
                   "file has 6000"}));
}

TEST_F(Constants, ReportWhatTheyLack) {
  Write("model.bin", "0123456789");
  ReadConstants({Const(0, "type", "shape=\"4\" offset=\"0\" size=\"4\"", "id=\"0\"><dim>4</dim>"),
                 Const(1, "size", "element_type=\"f32\" shape=\"4\" offset=\"0\" size=\"15\"",
                       "id=\"0\" precision=\"FP32\"><dim>4</dim>"),
                 Const(2, "offset", "element_type=\"u8\" shape=\"4\" size=\"4\"",
                       "id=\"0\" precision=\"U8\"><dim>4</dim>"),
                 Const(3, "open", "element_type=\"u8\" shape=\"?\" offset=\"0\" size=\"4\"",
                       "id=\"0\" precision=\"U8\"><dim>-1</dim>"),
                 Const(4, "any", "element_type=\"u8\" shape=\"...\" offset=\"0\" size=\"4\"",
                       "id=\"0\" precision=\"U8\">"),
                 Const(5, "new", "element_type=\"nf4\" shape=\"4\" offset=\"0\" size=\"2\"",
                       "id=\"0\" precision=\"NF4\"><dim>4</dim>")},
                {"0", "0", "0", "0", "0", "0"});
  EXPECT_EQ(
      lines,
      (Lines{
          "model.xml:3: layer 0 \"type\" (Const): no element type is given, neither by <data> nor "
          "by the output "
          "port",
          "model.xml:4: layer 1 \"size\" (Const): size is 15 bytes but f32[4] needs 16",
          "model.xml:5: layer 2 \"offset\" (Const): offset is \"\" and size is \"4\"; both must be "
          "integers "
          "from 0",
          "model.xml:6: layer 3 \"open\" (Const): is u8[?]; the shape of a constant must be fixed",
          "model.xml:7: layer 4 \"any\" (Const): shape is \"...\"; the shape of a constant must be "
          "fixed",
          "model.xml:8: layer 5 \"new\" (Const): element_type is \"nf4\"; must be one of f32 f16 "
          "bf16 f64 i4 "
          "u4 i8 u8 i16 i32 i64 boolean"}));
}

}  // namespace
}  // namespace weft::ir
