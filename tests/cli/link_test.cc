// SPDX-License-Identifier: Apache-2.0
// `weft link` writes several models as one C source with one scratch, and refuses models that must
// not share it.
#include <fmt/format.h>

#include <cstring>
#include <regex>
#include <set>

#include "converter/base/aligned_bytes.h"
#include "runtime/format/listing.h"
#include "runtime/weft.h"
#include "tests/cli/compiler_fixture.h"

namespace weft::cli {
namespace {

class Link : public CompilerTest {
 protected:
  // Converts a model to <stem>.weft.
  void Make(const std::string& stem, std::string_view xml) const {
    Convert(xml);
    std::filesystem::rename(Path("model.weft"), Path(stem + ".weft"));
  }
  void MakeThree() const {
    Make("sum", kSum);
    Make("counter", kCounter);
    Make("a-pair", kPair);
  }
  // A GRU with state, whose buffers of scratch are in several places.
  void MakeGru() const {
    const Outcome outcome =
        Weft("convert '" WEFT_FIXTURES_DIR
             "/cases/streaming/convolutions_then_gru/model.xml' --streaming -o gru.weft");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  // Changes a model file, and repairs its checksum.
  template <typename Change>
  void ChangeFile(const std::string& file, const Change& change) const {
    const std::string text = Text(file);
    AlignedBytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    format::Model* model = format::GetMutableModel(bytes.data());
    change(*model);
    model->mutate_checksum(Checksum({bytes.data(), bytes.size()}));
    WriteText(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  nlohmann::json NeedsOf(const std::string& file) const {
    return nlohmann::json::parse(Weft("inspect --json " + file).out)["needs"];
  }
};

// The sizes are those of `weft inspect`; scratch is their maximum.
TEST_F(Link, PrintsTheSizesWithAndWithoutSharing) {
  MakeThree();
  MakeGru();
  const Names files = {"gru.weft", "sum.weft", "counter.weft", "a-pair.weft"};
  std::string call = "link -o all.c";
  uint64_t max = 0, sum = 0, state = 0;
  for (const std::string& file : files) {
    call += " " + file;
    const uint64_t scratch = NeedsOf(file)["scratch_bytes"];
    max = std::max(max, scratch);
    sum += scratch;
    state += NeedsOf(file)["state_bytes"].get<uint64_t>();
  }
  ASSERT_LT(max, sum);
  const Outcome outcome = Weft(call + " --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto facts = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(facts["scratch_bytes"], max);
  EXPECT_EQ(facts["separate_scratch_bytes"], sum);
  EXPECT_EQ(facts["state_bytes"], state);
  ASSERT_EQ(facts["models"].size(), files.size());
  EXPECT_EQ(facts["models"][3]["name"], "a_pair");
  for (size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(facts["models"][i]["scratch_bytes"], NeedsOf(files[i])["scratch_bytes"]);
    EXPECT_EQ(facts["models"][i]["file_bytes"], std::filesystem::file_size(Path(files[i])));
  }
  EXPECT_NE(Text("all.h").find(fmt::format("ALL_SCRATCH_BYTES = {} ", max)), std::string::npos);
  EXPECT_EQ(Weft(call + " --json --quiet").out, outcome.out);
  EXPECT_EQ(Weft(call + " --quiet").out, "");
  const std::string text = Weft(call).out;
  for (const char* line : {"all.c: 4 models; ", "\ngru ", "\na_pair ", "\ntotal, scratch shared ",
                           "\ntotal, scratch separate "}) {
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
}

TEST_F(Link, WritesASourceForCAndCxx) {
  MakeThree();
  for (const std::string form : {"", " --incbin"}) {
    ASSERT_EQ(Weft("link sum.weft counter.weft a-pair.weft -o class.c" + form).code, 0);
    WriteText("use.c",
              "#include \"class.h\"\nm_class_engines engines;\n"
              "int used[] = {SUM_INPUT_X, A_PAIR_OUTPUT_NET_SUM_0};\nweft_fault Use(void);\n"
              "weft_fault Use(void) { return m_class_open(&engines); }\n");
    WriteText("use.cc",
              "#include \"class.h\"\n"
              "static_assert(m_class::kScratchBytes >= sum::kScratchBytes, \"\");\n"
              "m_class::State states[2];\nm_class::Scratch scratch;\nm_class::Engines engines[2];\n"
              "weft::Fault Use() {\n  (void)m_class::Open(&engines[0]);\n"
              "  (void)sum::Open(&states[0].sum, &scratch, &engines[0].sum);\n"
              "  return m_class::Open(&states[1], &scratch, &engines[1]);\n}\n");
    EXPECT_EQ(
        Shell(kC + std::string("-c class.c use.c && gcc -r -nostdlib -o all.o class.o use.o")), "");
    EXPECT_EQ(Shell(kCxx + std::string("-c use.cc")), "");
  }
}

// The compiler refuses a source whose scratch is too small for a model.
TEST_F(Link, HasScratchThatTheCompilerChecks) {
  MakeThree();
  ASSERT_EQ(Weft("link sum.weft counter.weft -o all.c").code, 0);
  const std::string header = Text("all.h");
  const auto replace = [&](const std::string& from, const std::string& to) {
    std::string changed = header;
    changed.replace(changed.find(from), from.size(), to);
    WriteText("all.h", changed);
  };
  WriteText("use.cc", "#include \"all.h\"\n");
  EXPECT_EQ(Shell(kC + std::string("-c all.c")), "");
  replace("  COUNTER_SCRATCH_BYTES = ", "  COUNTER_SCRATCH_BYTES = 9");
  EXPECT_NE(Shell(kC + std::string("-c all.c")).find("counter_fits_in_scratch"), std::string::npos);
  replace("ALL_SCRATCH_BYTES = ", "ALL_SCRATCH_BYTES = 0 * ");
  EXPECT_NE(Shell(kC + std::string("-c all.c")).find("sum_fits_in_scratch"), std::string::npos);
  replace("constexpr uint32_t kScratchBytes = ", "constexpr uint32_t kScratchBytes = 0 * ");
  EXPECT_NE(Shell(kCxx + std::string("-c use.cc")).find("sum must fit in the scratch"),
            std::string::npos);
}

// No input fills the buffer that the first step reads, so it has what an earlier run left there.
TEST_F(Link, RefusesAModelThatReadsScratchOfAnEarlierRun) {
  MakeThree();
  MakeGru();
  ChangeFile("gru.weft", [](format::Model& model) {
    auto* inputs = const_cast<flatbuffers::Vector<const format::Port*>*>(model.inputs());
    auto* port = const_cast<format::Port*>(inputs->Get(0));
    ASSERT_NE(port->slot(), model.outputs()->Get(0)->slot());
    port->mutate_slot(model.outputs()->Get(0)->slot());
  });
  const Outcome outcome = Weft("link counter.weft gru.weft -o all.c");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.err.starts_with("gru.weft: ")) << outcome.err;
  EXPECT_NE(outcome.err.find("read"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(Path("all.c")));
}

// A file without its buffer table runs, but nothing proves its plan.
TEST_F(Link, RefusesAModelWithoutABufferTable) {
  MakeThree();
  ChangeFile("sum.weft", [](format::Model& model) {
    auto& table = reinterpret_cast<flatbuffers::Table&>(model);
    flatbuffers::WriteScalar<uint16_t>(
        const_cast<uint8_t*>(table.GetVTable()) + format::Model::VT_SLOT_BUFFERS, 0);
  });
  const Outcome outcome = Weft("link counter.weft sum.weft -o all.c");
  EXPECT_EQ(outcome.err,
            "sum.weft: has no buffer table; must have one, to prove that no run reads scratch of "
            "an earlier run\n");
  EXPECT_EQ(outcome.code, 1);
}

struct Refused {
  const char *call, *line;
  int code;
};

TEST_F(Link, ReportsEachErrorInOneLine) {
  MakeThree();
  std::filesystem::create_directories(Path("other"));
  std::filesystem::create_directories(Path("folder.c"));
  std::filesystem::copy(Path("sum.weft"), Path("other/sum.weft"));
  std::filesystem::copy(Path("sum.weft"), Path("SUM.weft"));
  std::filesystem::copy(Path("sum.weft"), Path("short.weft"));
  std::filesystem::resize_file(Path("short.weft"), 500);
  ASSERT_EQ(Weft("convert model.xml --region dtcm=16 sram=1K -o regions.weft").code, 0);
  const Names before = Entries();
  const Refused table[] = {
      {"link -o all.c", "weft link: MODEL is missing; must be given", 2},
      {"link sum.weft", "weft link: --output is missing; must be given", 2},
      {"link sum.weft -o all", "weft link: --output: is \"all\"; must end in .c", 2},
      {"link none.weft sum.weft -o all.c", "none.weft: ", 1},
      {"link short.weft sum.weft -o all.c", "short.weft: ", 1},
      {"link model.xml sum.weft -o all.c", "model.xml: ", 1},
      {"link sum.weft other/sum.weft -o all.c",
       "other/sum.weft: its name in C is sum, like that of sum.weft; must be unique, so copy the "
       "file to another name",
       1},
      {"link sum.weft SUM.weft -o all.c", "SUM.weft: its name in C is SUM, like that of sum.weft; ",
       1},
      {"link counter.weft sum.weft -o sum.c",
       "sum.weft: its name in C is sum, like that of sum.c; ", 1},
      {"link sum.weft counter.weft -o folder.c", "folder.c: ", 1},
      {"link sum.weft counter.weft -o none/all.c", "none/all.c: ", 1},
      {"link regions.weft sum.weft -o all.c",
       "regions.weft: has 2 scratch regions; must have 1, so convert without --region", 1},
  };
  for (const Refused& row : table) {
    SCOPED_TRACE(row.call);
    const Outcome outcome = Weft(row.call);
    EXPECT_EQ(outcome.code, row.code);
    EXPECT_TRUE(outcome.err.starts_with(row.line)) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(Entries(), before);
  }
}

// A model must not have a name that the header or the source of another model declares.
TEST_F(Link, RefusesNamesOfOtherModels) {
  Make("sum", kSum);
  ASSERT_EQ(Weft("link sum.weft -o all.c").code, 0);
  std::set<std::string> names = {"Engines", "State"};
  const std::string text = Text("all.h") + Text("all.c");
  const std::regex words("\\b(sum|SUM|all|ALL)_[A-Za-z0-9_]*[A-Za-z0-9]\\b");
  for (std::sregex_iterator word(text.begin(), text.end(), words), end; word != end; ++word) {
    if (word->str().find("_WEFT_MODEL_H") == std::string::npos) names.insert(word->str());
  }
  for (const char* name : {"sum_model", "sum_steps", "sum_state", "sum_open", "sum_fits_in_scratch",
                           "SUM_INPUT_X", "SUM_STEPS", "all_engines", "all_open", "all_scratch"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  const std::string before = Text("all.h");
  for (const std::string& name : names) {
    std::filesystem::copy(Path("sum.weft"), Path(name + ".weft"));
    for (const std::string& files : {"sum.weft " + name + ".weft", name + ".weft sum.weft"}) {
      const Outcome outcome = Weft("link " + files + " -o all.c");
      EXPECT_EQ(outcome.code, 1) << files;
      EXPECT_NE(outcome.err.find("the name " + name + ", like that of "), std::string::npos)
          << outcome.err;
      EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    }
  }
  EXPECT_EQ(Text("all.h"), before);
  for (const char* name : {"sum_engines", "all_model", "sum_input", "summary"}) {
    std::filesystem::copy(Path("sum.weft"), Path(std::string(name) + ".weft"));
    EXPECT_EQ(Weft(std::string("link sum.weft ") + name + ".weft -o all.c").code, 0) << name;
  }
}

}  // namespace
}  // namespace weft::cli
