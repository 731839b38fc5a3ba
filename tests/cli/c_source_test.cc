// SPDX-License-Identifier: Apache-2.0
// The output of --c-source compiles as C99 and C++17 without warnings for all names of models,
// ports and folders.
#include "tests/cli/compiler_fixture.h"

namespace weft::cli {
namespace {

// One Relu per name, from an input to an output with this name, which is escaped for XML.
std::string Relus(const Names& names) {
  const std::string dims = "<dim>1</dim><dim>4</dim></port>";
  std::string layers, edges;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string x = std::to_string(i), relu = std::to_string(100 + i),
                      result = std::to_string(200 + i);
    layers += "<layer id=\"" + x + "\" name=\"p" + x +
              "\" type=\"Parameter\" version=\"opset1\"><data shape=\"1,4\" element_type=\"f32\"/>"
              "<output><port id=\"0\" precision=\"FP32\" names=\"" +
              names[i] + "\">" + dims + "</output></layer>\n<layer id=\"" + relu + "\" name=\"r" +
              x + "\" type=\"ReLU\" version=\"opset1\"><input><port id=\"0\">" + dims +
              "</input><output><port id=\"1\" precision=\"FP32\" names=\"" + names[i] + "\">" +
              dims + "</output></layer>\n<layer id=\"" + result + "\" name=\"o" + x +
              "\" type=\"Result\" version=\"opset1\"><input><port id=\"0\">" + dims +
              "</input></layer>\n";
    edges += "<edge from-layer=\"" + x + "\" from-port=\"0\" to-layer=\"" + relu +
             "\" to-port=\"0\"/>\n<edge from-layer=\"" + relu + "\" from-port=\"1\" to-layer=\"" +
             result + "\" to-port=\"0\"/>\n";
  }
  return "<net name=\"n\" version=\"11\"><layers>\n" + layers + "</layers><edges>\n" + edges +
         "</edges></net>\n";
}

class CSource : public CompilerTest {};

TEST_F(CSource, GivesPortsNamesOfTheirOwn) {
  // Some of these give the same C identifier, some are not identifiers at all.
  WriteText("m.xml", Relus({"x", "x_2", "X", "a?b", "a:b", "_", "", "class", "INT_MAX", "7", "8a",
                            "a__b", "_A", "\xc3\xa9", "\xc3\xa8", "/", "x_2_2", "model_bytes"}));
  ASSERT_EQ(Weft("convert m.xml -o m.weft --c-source m.c").code, 0);
  WriteText("use.c", "#include \"m.h\"\nint use[] = {M_INPUT_X, M_INPUT_X_2, M_OUTPUT_A_B};\n");
  EXPECT_EQ(Shell(kC + std::string("-c m.c use.c")), "");
  EXPECT_EQ(Shell(kCxx + std::string("-x c++ -c use.c")), "");
  const std::string header = Text("m.h");
  for (const char* line :
       {"  M_INPUT_X = 0,", "  M_INPUT_X_2 = 1,", "  M_INPUT_X_2_2 = 16,", "  M_INPUT_X_2_2_2 = 2,",
        "  M_INPUT_A_B = 3,", "  M_INPUT_A_B_4 = 4,", "  M_INPUT_CLASS = 7,", "  M_INPUT_M7 = 9,",
        "  M_INPUT_A_B_11 = 11,", "  M_INPUT_UE9 = 13,", "  M_INPUT_UE8 = 14,"}) {
    EXPECT_NE(header.find(line), std::string::npos) << line << "\n" << header;
  }
}

TEST_F(CSource, GivesModelsNamesThatCAndCxxTake) {
  WriteText("m.xml", Relus({"x", "X"}));
  std::string use =
      "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n";
  std::string objects = "use.o";
  const Names models = {"class",
                        "2fast",
                        "_x",
                        "a  b",
                        "sin",
                        "int",
                        "weft",
                        "weft_run",
                        "NULL",
                        "linux",
                        "y0",
                        "index",
                        "main",
                        "stdin",
                        "mod\xc3\xa8le",
                        "\xe6\xa8\xa1\xe5\x9e\x8b",
                        "\xff",
                        "-",
                        "size_t",
                        "sem",
                        "a__c",
                        "std"};
  for (size_t i = 0; i < models.size(); ++i) {
    const std::string stem = "'" + models[i] + "'", o = "m" + std::to_string(i) + ".o";
    const Outcome outcome = Weft("convert m.xml -o m.weft --c-source ./" + stem + ".c");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(Shell(kC + ("-c ./" + stem + ".c -o " + o)), "") << models[i];
    use += "#include \"" + models[i] + ".h\"\n";
    objects += " " + o;
  }
  // All models in one program, in C and C++.
  WriteText("use.c", use + "int used = M_CLASS_INPUT_X + M2FAST_INPUT_X_1 + A_B_OUTPUT_X;\n");
  WriteText("use.cc", use +
                          "static_assert(m_class::kStateBytes == 0, \"\");\n"
                          "int used = int(m_sin::kModelBytes + m_weft::kScratchBytes);\n");
  EXPECT_EQ(Shell(kC + std::string("-c use.c && gcc -r -nostdlib -o all.o ") + objects), "");
  EXPECT_EQ(Shell(kCxx + std::string("-c use.cc")), "");
  EXPECT_EQ(Shell("g++ -std=gnu++17 -Werror -I'" WEFT_SOURCE_DIR "' -I. -c use.cc"), "");
}

// Programs may include other headers before that of a model.
TEST_F(CSource, AvoidsMacrosOfStandardHeaders) {
  WriteText("m.xml", Relus({"x"}));
  std::string use =
      "#define _GNU_SOURCE\n#include <errno.h>\n#include <inttypes.h>\n#include <math.h>\n"
      "#include <signal.h>\n";
  std::string used = "int used = 0";
  for (const std::string stem :
       {"INT8_MAX", "NAN", "M_PI", "EINVAL", "SIGINT", "PRId32", "SCNuFAST8", "PRIxMAX"}) {
    ASSERT_EQ(Weft("convert m.xml -o m.weft --c-source " + stem + ".c").code, 0) << stem;
    use += "#include \"" + stem + ".h\"\n";
    used += " + (int)sizeof m_" + stem + "_model";
  }
  for (const std::string stem : {"PRIME", "SCNx", "INT_MAXIMUM", "M_NET"}) {
    ASSERT_EQ(Weft("convert m.xml -o m.weft --c-source " + stem + ".c").code, 0) << stem;
    use += "#include \"" + stem + ".h\"\n";
    used += " + (int)sizeof " + stem + "_model";
  }
  WriteText("use.c", use + used + ";\n");
  WriteText("use.cc", "#undef _GNU_SOURCE\n" + use + used + ";\n");
  EXPECT_EQ(Shell(kC + std::string("-c use.c")), "");
  EXPECT_EQ(Shell(kCxx + std::string("-c use.cc")), "");
}

TEST_F(CSource, TellsWhenTwoModelsOfAProgramHaveTheSameNames) {
  WriteText("m.xml", Relus({"x"}));
  ASSERT_EQ(Weft("convert m.xml -o m.weft --c-source a-b.c").code, 0);
  ASSERT_EQ(Weft("convert m.xml -o m.weft --c-source A.b.c").code, 0);
  WriteText("twice.c", "#include \"a-b.h\"\n#include \"a-b.h\"\nint used = A_B_INPUT_X;\n");
  EXPECT_EQ(Shell(kC + std::string("-c twice.c")), "");
  WriteText("use.c", "#include \"a-b.h\"\n#include \"A.b.h\"\nint used = A_B_INPUT_X;\n");
  EXPECT_NE(Shell(kC + std::string("-c use.c")).find("two models have the same names in C"),
            std::string::npos);
}

// Two folders may have a model.h. Equal conversions have equal headers, in any folder.
TEST_F(CSource, TellsWhenHeadersOfTwoFoldersHaveTheSameName) {
  WriteText("m.xml", Relus({"x"}));
  WriteText("n.xml", Relus({"x", "y"}));
  for (const char* folder : {"a", "b", "c"}) std::filesystem::create_directory(Path(folder));
  ASSERT_EQ(Weft("convert m.xml -o a/model.weft --c-source a/model.c").code, 0);
  ASSERT_EQ(Weft("convert n.xml -o b/model.weft --c-source b/model.c").code, 0);
  ASSERT_EQ(Weft("convert m.xml -o c/model.weft --c-source c/model.c --incbin").code, 0);
  EXPECT_EQ(Text("a/model.h"), Text("c/model.h"));
  WriteText("same.c",
            "#include \"a/model.h\"\n#include \"c/model.h\"\nint used = MODEL_INPUT_X;\n");
  EXPECT_EQ(Shell(kC + std::string("-c same.c")), "");
  WriteText("use.c", "#include \"a/model.h\"\n#include \"b/model.h\"\nint used = MODEL_INPUT_X;\n");
  EXPECT_NE(Shell(kC + std::string("-c use.c")).find("two models have the same names in C"),
            std::string::npos);
}

// Two conversions at the same time may leave the header of one and the source of the other.
TEST_F(CSource, DoesNotCompileWithTheHeaderOfAnotherConversion) {
  WriteText("m.xml", Relus({"x"}));
  for (const std::string form : {"", " --incbin"}) {
    ASSERT_EQ(Weft("convert m.xml -o m.weft --c-source m.c" + form).code, 0);
    const std::string header = Text("m.h");
    EXPECT_EQ(Shell(kC + std::string("-c m.c")), "");
    // The same names and sizes, and other bytes of the model.
    ASSERT_EQ(Weft("convert m.xml -o m.weft --self-test 1 --c-source m.c" + form).code, 0);
    EXPECT_EQ(Shell(kC + std::string("-c m.c")), "");
    WriteText("m.h", header);
    EXPECT_NE(Shell(kC + std::string("-c m.c")).find("the header is of another conversion"),
              std::string::npos);
  }
}

// The namespace of kws_model is an array of kws.
TEST_F(CSource, TellsWhenANamespaceIsANameOfAnotherModel) {
  WriteText("m.xml", Relus({"x"}));
  const std::string one = "#include \"kws.h\"\n";
  ASSERT_EQ(Weft("convert m.xml -o m.weft --c-source kws.c").code, 0);
  for (const std::string name :
       {"kws_model", "kws_open", "kws_state", "kws_steps", "kws_scratch"}) {
    ASSERT_EQ(Weft("convert m.xml -o m.weft --c-source " + name + ".c").code, 0);
    const std::string other = "#include \"" + name + ".h\"\n";
    for (const std::string& both : {one + other, other + one}) {
      WriteText("use.c", both + "int used = KWS_INPUT_X;\n");
      EXPECT_EQ(Shell(kC + std::string("-c use.c " + name + ".c")), "") << both;
      const std::string errors = Shell(kCxx + std::string("-x c++ -c use.c"));
      EXPECT_NE(errors.find("two models have the same names in C"), std::string::npos) << both;
    }
    WriteText("use.c", other + other + "int used = 0;\n");
    EXPECT_EQ(Shell(kCxx + std::string("-x c++ -c use.c")), "");
  }
}

TEST_F(CSource, RefusesNamesThatCannotBeIncluded) {
  WriteText("m.xml", Relus({"x"}));
  for (const std::string name :
       {"'a\"b.c'", "'a\\b.c'", "\"$(printf 'a\\nb.c')\"", "'a\?\?=b.c'"}) {
    const Outcome outcome = Weft("convert m.xml -o m.weft --c-source " + name);
    EXPECT_EQ(outcome.code, 2) << name;
    EXPECT_NE(outcome.err.find("must be a name that #include accepts"), std::string::npos)
        << outcome.err;
    // As in all other messages.
    EXPECT_EQ(outcome.err.find("is \"a\\nb.c\"; ") != std::string::npos,
              name.find("nb.c") != std::string::npos)
        << outcome.err;
  }
  EXPECT_EQ(Entries(), (Names{"m.xml"}));
}

TEST_F(CSource, TakesTheModelFromAnyFolder) {
  WriteText("m.xml", Relus({"x"}));
  for (const std::string folder :
       {"quote\"", "back\\slash", "two  words", "per%cent%d%%", "line\nend",
        "\?\?/tri\?\?=", "tab\t", "\xc3\xa9\xff", "dollar$HOME`;#'{}"}) {
    std::filesystem::remove_all(Path("made"));
    std::filesystem::create_directories(Path("made/" + folder));
    // Avoids quoting the name for the shell.
    std::filesystem::remove(Path("here"));
    const std::string weft = "../" + folder + "/m\"\\.weft";
    WriteText("name", weft);
    std::filesystem::create_directories(Path("made/c"));
    const Outcome outcome =
        Weft("convert m.xml -o \"made/c/$(cat name)\" --c-source made/c/m.c --incbin");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(Shell(kC + std::string("-Imade/c -c made/c/m.c -o m.o")), "") << folder;
    const std::string model = Text("made/" + folder + "/m\"\\.weft"), object = Text("m.o");
    ASSERT_FALSE(model.empty());
    EXPECT_NE(object.find(model), std::string::npos) << folder;
  }
}

TEST_F(CSource, HoldsNamesMadeToBreakIt) {
  WriteText("evil.xml",
            Relus({"x*/ int evil_0 = 1; /*", "a&#10;int evil_nl_1;", "b&quot;; int evil_q_2; //",
                   "c\?\?/ &#10;int evil_tri_3;", "d\\ &#10; int evil_bs_4;", "#define evil_5",
                   "9start_6", "int", "", "ü☃", "../../etc/10", "x", "x", "X"}));
  const Outcome outcome = Weft("convert evil.xml -o evil.weft --c-source evil.c");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  WriteText("use.c", "#include \"evil.h\"\nint used = EVIL_MODEL_BYTES;\n");
  EXPECT_EQ(Shell(kC + std::string("-c evil.c use.c")), "");
  EXPECT_EQ(Shell(kCxx + std::string("-x c++ -c use.c")), "");
}

// The numbers are those that LiteRT reads from the files.
TEST_F(CSource, HasScalesAndZeroPointsOfTflitePorts) {
  struct Case {
    std::string file;
    Names lines;
  };
  for (const Case& test :
       {Case{"elementwise/add_i8",
             {"\n#define M_INPUT_X0_SCALE 0.018819684f\n", "\n  M_INPUT_X0_ZERO_POINT = -6,\n",
              "\n#define M_INPUT_X1_SCALE 0.016678983f\n", "\n  M_INPUT_X1_ZERO_POINT = -8,\n",
              "\n#define M_OUTPUT_Y0_SCALE 0.017207043f\n", "\n  M_OUTPUT_Y0_ZERO_POINT = -37,\n"}},
        Case{"elementwise/add_u8",
             {"\n  M_INPUT_X0_ZERO_POINT = 122,\n", "\n  M_INPUT_X1_ZERO_POINT = 120,\n",
              "\n  M_OUTPUT_Y0_ZERO_POINT = 91,\n"}},
        Case{"shorts/add_0",
             {"\n#define M_INPUT_X1_SCALE 9e-05f\n", "\n#define M_OUTPUT_Y0_SCALE 0.00017f\n",
              "\n  M_OUTPUT_Y0_ZERO_POINT = 0,\n"}}}) {
    SCOPED_TRACE(test.file);
    ASSERT_EQ(Weft("convert '" WEFT_FIXTURES_DIR "/tflite/" + test.file +
                   "/model.tflite' -o m.weft --c-source m.c")
                  .code,
              0);
    const std::string header = Text("m.h");
    for (const std::string& line : test.lines) {
      EXPECT_NE(header.find(line), std::string::npos) << line << header;
    }
    WriteText("use.c",
              "#include \"m.h\"\n"
              "float number(int code) {\n"
              "  return (float)(code - M_INPUT_X0_ZERO_POINT) * M_INPUT_X0_SCALE;\n}\n");
    EXPECT_EQ(Shell(kC + std::string("-c m.c use.c")), "");
    EXPECT_EQ(Shell(kCxx + std::string("-x c++ -c use.c")), "");
  }
  ASSERT_EQ(Weft("convert '" WEFT_FIXTURES_DIR
                 "/tflite/elementwise/add_f32/model.tflite' -o m.weft --c-source m.c")
                .code,
            0);
  EXPECT_EQ(Text("m.h").find("_SCALE"), std::string::npos);
}

// Needs no compiler.
class CSourceText : public CommandTest {};

TEST_F(CSourceText, NamesTheModelFile) {
  WriteModel(kCounter);
  ASSERT_EQ(Weft("convert model.xml -o other.weft --c-source m.c").code, 0);
  for (const char* file : {"m.c", "m.h"}) {
    const std::string first = "/* Written by \"weft convert --c-source\" from other.weft; ";
    EXPECT_TRUE(Text(file).starts_with(first)) << Text(file).substr(0, 100);
  }
}

TEST_F(CSourceText, HasTheStateLayoutThatInspectPrints) {
  WriteModel(kCounter);
  const std::string streamed =
      "'" WEFT_FIXTURES_DIR "/cases/streaming/convolutions_then_gru/model.xml' --streaming";
  const Names calls = {"model.xml", "model.xml --region dtcm=16 sram=1K", streamed, streamed + "=4",
                       streamed + " --precision i8"};
  for (const std::string& call : calls) {
    SCOPED_TRACE(call);
    const Outcome converted = Weft("convert " + call + " -o m.weft --c-source m.c");
    ASSERT_EQ(converted.code, 0) << converted.err;
    const auto json = nlohmann::json::parse(Weft("inspect m.weft --json").out);
    const std::string layout = json["state_layout"];
    EXPECT_NE(layout, "");
    const std::string header = Text("m.h");
    EXPECT_NE(header.find("#define M_STATE_LAYOUT UINT64_C(0x" + layout + ")\n"), std::string::npos)
        << header;
  }
}

}  // namespace
}  // namespace weft::cli
