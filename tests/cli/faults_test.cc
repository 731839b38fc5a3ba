// SPDX-License-Identifier: Apache-2.0
// Messages of `weft convert` for a file with several errors: all errors in one run, but not their
// consequences.
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class FileFaults : public CommandTest {
 protected:
  static std::string With(std::string_view xml,
                          const std::vector<std::pair<std::string, std::string>>& replacements) {
    std::string text(xml);
    for (const auto& [from, to] : replacements) {
      const size_t at = text.find(from);
      EXPECT_NE(at, std::string::npos) << from;
      if (at != std::string::npos) text.replace(at, from.size(), to);
    }
    return text;
  }
  void ExpectLines(const std::string& options, const std::string& lines) {
    const Outcome outcome = Weft("convert model.xml -o m.weft " + options);
    EXPECT_EQ(outcome.code, lines.find("--shape: ") == std::string::npos ? 1 : 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, lines);
  }
};

constexpr const char* kUnknownAdd =
    "model.xml:7: Frob-1, layer \"sum\": has no lowering; must be one that \"weft ops\" lists\n";
constexpr const char* kShortConstant =
    "model.xml:5: layer 1 \"w\" (Const): size is 11 bytes but f32[3] needs 12\n";

TEST_F(FileFaults, ABadConstantHidesNoUnknownOperation) {
  WriteModel(With(kSum, {{"type=\"Add\"", "type=\"Frob\""}, {"size=\"12\"", "size=\"11\""}}));
  ExpectLines("", std::string(kShortConstant) + kUnknownAdd);
}

TEST_F(FileFaults, AMissingWeightsFileHidesNoUnknownOperation) {
  WriteModel(With(kSum, {{"type=\"Add\"", "type=\"Frob\""}}));
  std::filesystem::remove(Path("model.bin"));
  ExpectLines(
      "", std::string("model.bin: cannot be read: No such file or directory; 1 constant needs it, "
                      "the first is layer 1 \"w\" at line 5\n") +
              kUnknownAdd);
}

// A loop without its constants cannot be recognised.
TEST_F(FileFaults, AMissingWeightsFileIsTheOnlyFaultOfALoop) {
  for (const char* name : {"exports/tf_while_lstm", "exports/keras_simple_rnn", "if/in_loop",
                           "loop_run/do_while", "convert/f16_constant"}) {
    const Outcome outcome = Weft("convert '" WEFT_FIXTURES_DIR "/cases/" + std::string(name) +
                                 "/model.xml' --weights no.bin -o m.weft");
    EXPECT_EQ(outcome.code, 1) << name;
    EXPECT_TRUE(outcome.err.starts_with("no.bin: cannot be read: ")) << name << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

// The sum cannot be checked without its constant; the input has a separate error.
TEST_F(FileFaults, ABadConstantHidesNoDynamicInput) {
  WriteModel(With(kSum, {{"shape=\"2,3\"", "shape=\"2,?\""},
                         {"<dim>3</dim>", "<dim>-1</dim>"},
                         {"size=\"12\"", "size=\"11\""}}));
  ExpectLines("", std::string(kShortConstant) +
                      "model.xml:3: layer 0 \"x_layer\" (Parameter): dimension 1 of f32[2,?] is "
                      "dynamic; weft plans memory ahead, so every dimension must be fixed (--shape "
                      "x=2,N with a number for each N, or --streaming if it is time, with ? for it "
                      "in --shape)\n");
}

// Each loop of the conformance models with one unknown operation gives exactly that error.
TEST_F(FileFaults, AnUnknownOperationInALoopIsTheOnlyFault) {
  for (const auto& [name, operation] : std::vector<std::pair<std::string, std::string>>{
           {"if/in_loop", "Multiply"},
           {"exports/tf_while_lstm", "ScatterUpdate"},
           // Needed to recognise the list that the loop fills.
           {"exports/keras_lstm", "Broadcast"},
           {"exports/keras_lstm", "LogicalAnd"}}) {
    const std::string folder = WEFT_FIXTURES_DIR "/cases/" + name;
    std::ifstream file(folder + "/model.xml");
    const std::string xml{std::istreambuf_iterator<char>(file), {}};
    WriteText("model.xml", With(xml, {{"type=\"" + operation + "\"", "type=\"Frob\""}}));
    const Outcome outcome =
        Weft("convert model.xml --weights '" + folder + "/model.bin' -o m.weft");
    EXPECT_EQ(outcome.code, 1) << name;
    EXPECT_NE(outcome.err.find(": Frob-"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(": has no lowering; must be one that"), std::string::npos)
        << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST_F(FileFaults, ShowsADimensionThatShapeMakesDynamicAsAQuestionMark) {
  WriteModel(kSum);
  const Outcome outcome = Weft("convert model.xml -o m.weft --shape 'x=2,?'");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("dimension 1 of f32[2,?] is dynamic"), std::string::npos)
      << outcome.err;
}

// If all dimensions have a length, the lists that the loops fill are recognised.
TEST_F(FileFaults, ADynamicInputIsTheOnlyFaultOfLoopsOverIt) {
  const Outcome outcome = Weft("convert '" WEFT_FIXTURES_DIR
                               "/cases/exports/keras_stacked_any_length/model.xml' -o m.weft");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("dimension 0 of f32[?,?,4] is dynamic"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

// f16 is computed as f32, also in a file that cannot be converted for another reason.
TEST_F(FileFaults, AnUnknownOperationMakesNoFaultOfElementTypes) {
  std::string xml =
      With(kPair, {{"<layer id=\"3\"",
                    "<layer id=\"4\" name=\"f\" type=\"Frob\" version=\"opset1\">\n<input><port "
                    "id=\"0\"><dim>2</dim></port></input><output><port id=\"1\" precision=\"FP16\">"
                    "<dim>2</dim></port></output></layer>\n<layer id=\"3\""},
                   {"<edge from-layer=\"2\" from-port=\"2\" to-layer=\"3\" to-port=\"0\"/>",
                    "<edge from-layer=\"2\" from-port=\"2\" to-layer=\"4\" to-port=\"0\"/>\n<edge "
                    "from-layer=\"4\" from-port=\"1\" to-layer=\"3\" to-port=\"0\"/>"}});
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"i64", "f16"}, {"I64", "FP16"}}) {
    for (size_t at = xml.find(from); at != std::string::npos; at = xml.find(from)) {
      xml.replace(at, from.size(), to);
    }
  }
  WriteModel(xml);
  ExpectLines("",
              "model.xml:10: Frob-1, layer \"f\": has no lowering; must be one that \"weft ops\" "
              "lists\n");
}

// The sum, and a separate loop over x with a layer whose axis is invalid.
constexpr const char* kLoopAtFault =
    R"(<layer id="4" name="each" type="TensorIterator" version="opset1">
<port_map><input external_port_id="0" internal_layer_id="0"/><output external_port_id="1" internal_layer_id="2"/></port_map>
<body><layers>
<layer id="0" name="row" type="Parameter" version="opset1"><data shape="2,3" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="1" name="soft" type="SoftMax" version="opset8"><data axis="7"/>
<input><port id="0"><dim>2</dim><dim>3</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="2" name="end" type="Result" version="opset1"><input><port id="0"><dim>2</dim><dim>3</dim></port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
</edges></body>
<input><port id="0"><dim>2</dim><dim>3</dim></port></input>
<output><port id="1" precision="FP32" names="z"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="5" name="z_layer" type="Result" version="opset1"><input><port id="0"/></input></layer>
<layer id="3")";

TEST_F(FileFaults, ABadConstantHidesNoFaultOfALoop) {
  WriteModel(With(kSum, {{"<layer id=\"3\"", kLoopAtFault},
                         {"size=\"12\"", "size=\"11\""},
                         {"</edges>\n</net>",
                          "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"4\" to-port=\"0\"/>\n"
                          "<edge from-layer=\"4\" from-port=\"1\" to-layer=\"5\" to-port=\"0\"/>\n"
                          "</edges>\n</net>"}}));
  ExpectLines("",
              std::string(kShortConstant) +
                  "model.xml:15: layer 1 \"soft\" (SoftMax): axis 7 of a rank 2 tensor; must be "
                  "from -2 to 1\n");
}

// Input b is also concatenated along an axis that it does not have.
TEST_F(FileFaults, AWrongShapeHidesNoFaultOfOtherInputs) {
  WriteModel(With(
      kPair, {{"<layer id=\"3\"",
               "<layer id=\"4\" name=\"c\" type=\"Concat\" version=\"opset1\"><data axis=\"7\"/>\n"
               "<input><port id=\"0\"><dim>2</dim></port></input>\n"
               "<output><port id=\"1\" precision=\"I64\"><dim>2</dim></port></output></layer>\n"
               "<layer id=\"5\" name=\"d\" type=\"Result\" version=\"opset1\">"
               "<input><port id=\"0\"/></input></layer>\n<layer id=\"3\""},
              {"</edges>\n</net>",
               "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"4\" to-port=\"0\"/>\n"
               "<edge from-layer=\"4\" from-port=\"1\" to-layer=\"5\" to-port=\"0\"/>\n"
               "</edges>\n</net>"}}));
  const std::string concat =
      "model.xml:10: layer 4 \"c\" (Concat): axis 7 of a rank 1 tensor; must be from -1 to 0\n";
  ExpectLines(
      "--shape a=3,3",
      "--shape: input \"a\": i64[3,3] has rank 2; must have rank 1, as the model's i64[2]\n" +
          concat);
  // The name c is ambiguous.
  ExpectLines("--shape c=3",
              "--shape: input \"c\": is not in the model; must be one of \"a\" i64[2], \"b\" "
              "i64[2]\n");
  ExpectLines("--shape c=3 --shape b=3",
              "--shape: input \"c\": is not in the model; must be one of \"a\" i64[2], \"b\" "
              "i64[2]\n" +
                  concat);
}

TEST_F(FileFaults, AShapeOutsideTheBoundsIsToldAtItsOption) {
  WriteModel(
      With(kSum, {{"shape=\"2,3\"", "shape=\"1..50,3\""}, {"<dim>2</dim>", "<dim>-1</dim>"}}));
  ExpectLines("--shape x=51,3",
              "--shape: input \"x\": f32[51,3] has 51 on axis 0; must have from 1 to 50, as the "
              "model's f32[1..50,3]\n");
  const Outcome outcome = Weft("convert model.xml -o m.weft");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err,
            "warning: model.xml: input \"x\" f32[1..50,3]: its batch is dynamic; assumed to be 1 "
            "(--shape x=N,3 sets it)\n");
  EXPECT_EQ(Weft("convert model.xml -o m.weft --shape x=50,3").code, 0);
}

TEST_F(FileFaults, AWrongShapeIsToldAtItsOption) {
  WriteModel(kSum);
  ExpectLines(
      "--shape x=5",
      "--shape: input \"x\": f32[5] has rank 1; must have rank 2, as the model's f32[2,3]\n");
  ExpectLines(
      "--shape x=?",
      "--shape: input \"x\": f32[?] has rank 1; must have rank 2, as the model's f32[2,3]\n");
  ExpectLines(
      "--shape x=",
      "--shape: input \"x\": f32[] has rank 0; must have rank 2, as the model's f32[2,3]\n");
  ExpectLines("--shape x=0,3",
              "--shape: input \"x\": f32[0,3] is empty; dimension 0 must be at least 1\n");
  ExpectLines("--shape x=2000000000,3",
              "--shape: input \"x\": f32[2000000000,3] is too large; must be less than 4294967296 "
              "bytes\n");
  ExpectLines("--shape alias=4,3 --shape x=2,3",
              "--shape: \"alias\" and \"x\" name the same input; must be given once\n");
  ExpectLines(
      "--shape absent=4,3 --shape x=1",
      "--shape: input \"absent\": is not in the model; the only input is \"x\" f32[2,3]\n"
      "--shape: input \"x\": f32[1] has rank 1; must have rank 2, as the model's f32[2,3]\n");
  for (const char* wrong : {"x=-1,3", "x=2147483648,3", "x=99999999999999999999,3", "x", "=1",
                            "x=1,", "x=2;3", "x=0x2,3"}) {
    const Outcome outcome =
        Weft(std::string("convert model.xml -o m.weft --shape '") + wrong + "'");
    EXPECT_EQ(outcome.code, 2) << wrong;
    EXPECT_EQ(outcome.err,
              std::string("weft convert: --shape: is \"") + wrong +
                  "\"; must be NAME=DIM,DIM,..., such as x=1,25,512, with integers up to "
                  "2147483647 or ?\n");
  }
  EXPECT_EQ(Weft("convert model.xml -o m.weft --shape alias=4,3").code, 0);
}

}  // namespace
}  // namespace weft::cli
