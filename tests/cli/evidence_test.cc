// SPDX-License-Identifier: Apache-2.0
// The folder of convert --evidence. Oracles: the files on disk, weft inspect, weft verify, weft
// compare, the source tree, and a plan that is damaged on purpose.
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <sstream>

#include "converter/base/aligned_bytes.h"
#include "converter/base/sha256.h"
#include "converter/cli/evidence_facts.h"
#include "converter/cli/evidence_parts.h"
#include "converter/cli/facts.h"
#include "runtime/format/listing.h"
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string HashOf(const std::string& text) {
  return Sha256Of(std::as_bytes(std::span(text.data(), text.size())));
}

std::string ReadSource(const std::string& file) {
  std::ifstream stream(std::string(WEFT_SOURCE_DIR "/") + file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Evidence : public CommandTest {
 protected:
  // All files below a folder, by name relative to it.
  std::map<std::string, std::string> FilesIn(const std::string& folder) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(Path(folder))) {
      if (!entry.is_regular_file()) continue;
      const std::string name =
          std::filesystem::relative(entry.path(), Path(folder)).generic_string();
      files[name] = Text(folder + "/" + name);
    }
    return files;
  }
  Json Summary(const std::string& folder = "ev") const {
    return Json::parse(Text(folder + "/summary.json"));
  }
  // Rows of a CSV file as text; no field of these files has a line end.
  size_t RowCount(const std::string& file) const {
    const std::string text = Text(file);
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) - 1;
  }

  void ExpectHashes() const {
    const Json summary = Summary();
    std::set<std::string> listed = {"summary.json", "index.html", "SHA256SUMS"};
    for (const Json& row : summary["files"]) {
      const std::string name = row["file"], text = Text("ev/" + name);
      EXPECT_EQ(row["sha256"], HashOf(text)) << name;
      EXPECT_EQ(row["bytes"], text.size()) << name;
      EXPECT_NE(row["content"], "") << name;
      listed.insert(name);
    }
    for (const auto& [name, text] : FilesIn("ev")) {
      EXPECT_TRUE(listed.contains(name)) << name;
      EXPECT_EQ(text.find(Path("")), std::string::npos) << name;
      EXPECT_EQ(text.find(WEFT_SOURCE_DIR), std::string::npos) << name;
    }
    EXPECT_EQ(summary["model"]["sha256"], HashOf(Text("model.weft")));
  }
  // The tables have the rows of weft inspect.
  void ExpectTables() {
    const Json facts = Json::parse(Weft("inspect model.weft --json --budget --plan --listing").out);
    const Json stored = Json::parse(Text("ev/facts.json"));
    for (const auto& [key, value] : facts.items()) EXPECT_EQ(stored[key], value) << key;
    EXPECT_EQ(RowCount("ev/mapping.csv"), facts["listing"].size());
    EXPECT_EQ(RowCount("ev/plan.csv"), facts["variables"].size() + facts["plan"]["buffers"].size());
    const Json summary = Summary();
    for (const char* key : {"state_bytes", "scratch_bytes"}) {
      EXPECT_EQ(summary["memory"][key], facts["needs"][key]);
    }
    EXPECT_EQ(summary["checksum"], facts["checksum"]);
    EXPECT_EQ(summary["checks"]["result"], "valid");
    EXPECT_GT(summary["checks"]["compared_byte_ranges"], 0);
  }
  // The commands of the folder succeed.
  void ExpectRepeats(size_t commands) {
    const Json summary = Summary();
    EXPECT_EQ(summary["commands"].size(), commands);
    for (const std::string command : summary["commands"]) {
      EXPECT_EQ(CodeIn("ev", command), 0) << command;
    }
  }
  // Runs a command of the summary in a folder that has the model.
  int CodeIn(const std::string& folder, const std::string& command) {
    const std::string copy = Path(folder + "/model.weft");
    std::filesystem::copy_file(Path("model.weft"), copy);
    const size_t end = command.find(' ');
    const int code =
        command.starts_with("weft ")
            ? Weft(command.substr(end), folder).code
            : std::system(("cd '" + Path(folder) + "' && " + command + " >all 2>&1").c_str());
    std::filesystem::remove(copy);
    std::filesystem::remove(Path(folder + "/all"));
    return code;
  }
};

// Front ends, streaming, types of weights, self tests, states, loops with a run-time trip count.
TEST_F(Evidence, AgreesWithTheModelOfEveryKind) {
  struct Row {
    std::string model, options;
    size_t commands = 3;
  };
  const std::string cases = WEFT_FIXTURES_DIR "/cases/";
  const Row rows[] = {
      {cases + "document/lstm_document_i16_h17_t7/model.xml", ""},
      {cases + "document/lstm_document_i16_h17_t7/model.xml", "--self-test 3"},
      {cases + "document/lstm_document_i16_h17_t7/model.xml", "--region a=256 --region b=1K"},
      {cases + "exports/keras_gru_reset_before/model.xml", "--streaming"},
      {cases + "streaming/residual_blocks/model.xml", "--streaming=2 --precision i8"},
      {cases + "onnx/keyword_spotter/model.xml", "--precision i8x8 --target cortex-m4f"},
      {cases + "state/streaming_gru/model.xml", "--precision f16"},
      {cases + "loop_run/do_while/model.xml", "--max-iterations 9", 2},
      {cases + "loop_run/do_while/model.xml", "--max-iterations 1", 2},
      {WEFT_FIXTURES_DIR "/tflite/signal/energy_5_29/model.tflite", ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.model + " " + row.options);
    const Outcome outcome =
        Weft("convert '" + row.model + "' -o model.weft --evidence ev " + row.options);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    ExpectHashes();
    ExpectTables();
    ExpectRepeats(row.commands);
  }
}

// Two calls in two folders give the same bytes. Options that only name outputs are not in them.
TEST_F(Evidence, IsEqualInEveryFolder) {
  WriteModel(kSum);
  WriteFloats("w.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  std::filesystem::create_directories(Path("deep/er"));
  for (const char* file : {"model.xml", "model.bin", "w.npy"}) {
    std::filesystem::copy(Path(file), Path(std::string("deep/er/") + file));
  }
  ASSERT_EQ(Weft("convert model.xml -o m.weft --precision f16 --shape x=2,3 --evidence ev").code,
            0);
  ASSERT_EQ(Weft("convert '" + Path("deep/er/model.xml") + "' --precision f16 --shape x=2,3 -o '" +
                 Path("deep/m.weft") + "' --quiet --c-source c.c --evidence ./deep/other/ev")
                .code,
            0);
  EXPECT_EQ(FilesIn("ev"), FilesIn("deep/other/ev"));
  EXPECT_EQ(Summary()["options"], Json::parse(R"([{"option": "--shape", "value": "x=2,3"},
                                                  {"option": "--precision", "value": "f16"}])"));
}

TEST_F(Evidence, NamesEveryFileThatWasRead) {
  WriteModel(kPair);
  WriteArray<int64_t>("b.npy", ElementType::i64, {2}, {3, 4});
  std::filesystem::create_directories(Path("in"));
  std::filesystem::rename(Path("b.npy"), Path("in/b.npy"));
  ASSERT_EQ(Weft("convert model.xml -o model.weft --value b=in/b.npy --evidence ev").code, 0);
  const Json summary = Summary();
  const Names files = {"model.xml", "model.bin", "in/b.npy"};
  ASSERT_EQ(summary["sources"].size(), files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(summary["sources"][i]["file"], std::filesystem::path(files[i]).filename().string());
    EXPECT_EQ(summary["sources"][i]["sha256"], HashOf(Text(files[i])));
  }
  EXPECT_EQ(summary["options"][0]["value"], "b=b.npy");
}

// The recorded bits are those of the model: another bit is a difference.
TEST_F(Evidence, HasVectorsThatFindOneWrongBit) {
  WriteModel(kCounter);
  ASSERT_EQ(Weft("convert model.xml -o model.weft --evidence ev").code, 0);
  ExpectRepeats(3);
  std::string bits = Text("ev/vectors/outputs/total.npy");
  bits[bits.size() - 4] ^= 1;
  WriteText("ev/vectors/outputs/total.npy", bits);
  const Json commands = Summary()["commands"];
  EXPECT_NE(CodeIn("ev", commands[0]), 0) << "the hashes";
  EXPECT_EQ(CodeIn("ev", commands[1]), 0) << "the model is as it was";
  EXPECT_EQ(CodeIn("ev", commands[2]), 1) << "the outputs";
}

// The classes are those of docs/numbers.md: newlib's fmaf, which cores without an FPU use, may
// round twice. Integers are exact everywhere.
TEST_F(Evidence, NamesTheNumericClassOfEachTarget) {
  const auto classes = [this] {
    std::map<std::string, std::string> by_target;
    const Json summary = Summary();
    for (const Json& row : summary["numeric"]["by_target"]) {
      by_target[row["target"]] = row["class"];
    }
    return by_target;
  };
  const std::string cases = WEFT_FIXTURES_DIR "/cases/";
  ASSERT_EQ(Weft("convert '" + cases +
                 "document/lstm_document_i16_h17_t7/model.xml' -o model.weft --evidence ev")
                .code,
            0);
  std::map<std::string, std::string> found = classes();
  EXPECT_EQ(found["cortex-m3"], "rounded");
  EXPECT_EQ(found["cortex-m0plus"], "rounded");
  for (const char* target : {"x86-64", "aarch64-linux", "riscv32", "cortex-m4f", "cortex-m55"}) {
    EXPECT_EQ(found[target], "exact") << target;
  }
  EXPECT_NE(
      Text("ev/index.html").find("rounded on those without fused multiply-add: cortex-m0plus"),
      std::string::npos);
  WriteModel(kPair);
  ASSERT_EQ(Weft("convert model.xml -o model.weft --evidence ev").code, 0);
  for (const auto& [target, name] : classes()) EXPECT_EQ(name, "exact") << target;
}

// The bounds are those of weft inspect --target.
TEST_F(Evidence, HasTheBoundsOfEachCore) {
  const std::string cases = WEFT_FIXTURES_DIR "/cases/";
  for (const char* model : {"document/lstm_document_i16_h17_t7", "loop_run/do_while"}) {
    SCOPED_TRACE(model);
    ASSERT_EQ(Weft("convert '" + cases + model +
                   "/model.xml' -o model.weft --max-iterations 9 --evidence ev")
                  .code,
              0);
    const Json summary = Summary();
    size_t rows = 0;
    for (const Json& core : summary["max_instructions_of_a_run"]) {
      const std::string target = core["target"];
      const Json facts = Json::parse(Weft("inspect model.weft --json --target " + target).out);
      const Json& bounds = facts["instructions"];
      EXPECT_EQ(core["max"], bounds["max"]) << target;
      EXPECT_EQ(core["steps"], bounds["steps"].size()) << target;
      EXPECT_EQ(core["steps_without_bound"], bounds["steps_without_bound"]) << target;
      rows += bounds["steps"].size();
    }
    EXPECT_GT(rows, 0u);
    EXPECT_EQ(RowCount("ev/instructions.csv"), rows);
  }
}

TEST_F(Evidence, TakesNamesForText) {
  std::string xml(kSum);
  const std::string from = "name=\"sum\" type", to = "name=\"&lt;b&gt;,&amp;&quot;\" type";
  xml.replace(xml.find(from), from.size(), to);
  WriteModel(xml);
  ASSERT_EQ(Weft("convert model.xml -o model.weft --evidence ev").code, 0);
  const std::string page = Text("ev/index.html");
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_NE(page.find("<td>&lt;b&gt;,&amp;&quot;</td>"), std::string::npos);
  EXPECT_NE(Text("ev/mapping.csv").find("\"<b>,&\"\"\","), std::string::npos);
}

// sha256sum prints such names with escapes, and reads them.
TEST_F(Evidence, HasHashesOfAnyName) {
  WriteModel(kSum);
  for (const std::string name : {"a\nb", "a\\b", "a\\nb\n", "plain"}) {
    std::filesystem::remove_all(Path("ev"));
    const Outcome outcome = Weft("convert model.xml -o '" + name + ".weft' --evidence ev");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    std::filesystem::rename(Path(name + ".weft"), Path("ev/" + name + ".weft"));
    const std::string in_folder = "cd '" + Path("ev") + "' && ";
    EXPECT_EQ(std::system((in_folder + "sha256sum --check --strict SHA256SUMS >all 2>&1").c_str()),
              0)
        << name << Text("ev/all");
    ASSERT_EQ(std::system((in_folder + "sha256sum *.weft >line").c_str()), 0);
    EXPECT_TRUE(Text("ev/SHA256SUMS").starts_with(Text("ev/line"))) << Text("ev/SHA256SUMS");
  }
}

// Names of ports are in the names of the vector files, and so in the commands.
TEST_F(Evidence, QuotesNamesInCommands) {
  const std::string names[] = {"left microphone", "a;touch bad", "gain(dB)", "it's",
                               "x&amp;y",         "$HOME"};
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    std::string xml(kSum);
    const std::string from = "names=\"x,alias\"";
    xml.replace(xml.find(from), from.size(), "names=\"" + name + "\"");
    WriteModel(xml);
    ASSERT_EQ(Weft("convert model.xml -o model.weft --evidence ev").code, 0);
    ExpectRepeats(3);
    EXPECT_FALSE(std::filesystem::exists(Path("ev/bad")));
  }
}

TEST_F(Evidence, ReplacesOnlyItsOwnFiles) {
  WriteModel(kPair);
  ASSERT_EQ(Weft("convert model.xml -o model.weft --evidence ev").code, 0);
  EXPECT_TRUE(std::filesystem::exists(Path("ev/vectors/inputs/b.npy")));
  WriteText("ev/approved.txt", "yes");
  WriteModel(kSum);
  ASSERT_EQ(Weft("convert model.xml -o model.weft --evidence ev").code, 0);
  EXPECT_FALSE(std::filesystem::exists(Path("ev/vectors/inputs/b.npy")));
  EXPECT_EQ(Text("ev/approved.txt"), "yes");
  std::filesystem::remove(Path("ev/approved.txt"));
  ExpectHashes();
}

// A summary that names files outside of its folder removes nothing there.
TEST_F(Evidence, RemovesNothingOutsideOfItsFolder) {
  WriteModel(kSum);
  WriteText("kept", "kept");
  std::filesystem::create_directories(Path("ev"));
  WriteText("ev/summary.json", R"({"weft_evidence": 1, "files": [{"file": "../kept"}, {"file": ")" +
                                   Path("kept") + R"("}, {"file": "a/../../kept"}, {}, 7]})");
  ASSERT_EQ(Weft("convert model.xml -o model.weft --evidence ev").code, 0);
  EXPECT_EQ(Text("kept"), "kept");
}

TEST_F(Evidence, RefusesFoldersOfOthersAndLeavesNothing) {
  WriteModel(kSum);
  WriteText("file", "");
  std::filesystem::create_directories(Path("full"));
  WriteText("full/notes.txt", "");
  std::filesystem::create_directories(Path("strange"));
  WriteText("strange/summary.json", "{}");
  std::filesystem::create_directories(Path("blocked/vectors"));
  WriteText("blocked/summary.json", R"({"weft_evidence": 1})");
  WriteText("blocked/vectors/inputs", "");
  struct Row {
    std::string options;
    int code;
    const char* words;
  };
  const Row rows[] = {
      {"--evidence full", 1,
       "full: has files, but no summary.json of --evidence; must be an empty"},
      {"--evidence strange", 1, "strange: has files, but no summary.json of --evidence"},
      {"--evidence file", 1, "file: is not a folder; --evidence must name a folder"},
      {"--evidence file/ev", 1, "file/ev"},
      {"--evidence blocked", 1, "blocked/vectors/inputs"},
      {"--evidence ''", 2, "--evidence"},
      {"--evidence ev --report ev/index.html", 2, "a file of --evidence"},
      {"--evidence new/ev -o absent/model.weft", 1, "absent/model.weft: cannot be written"},
  };
  const Names before = Entries();
  for (const Row& row : rows) {
    const Outcome outcome = Weft("convert model.xml " + row.options);
    EXPECT_EQ(outcome.code, row.code) << row.options << outcome.err;
    EXPECT_NE(outcome.err.find(row.words), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(Entries(), before) << row.options;
  }
}

// Moves a buffer of scratch to an offset. Returns false if it would leave its region.
bool MoveBuffer(format::Model& model, uint32_t buffer, int64_t offset) {
  std::vector<format::Slot*> slots;
  int64_t first = INT64_MAX;
  for (uint32_t i = 0; i < model.slots()->size(); ++i) {
    format::Slot* slot = model.mutable_slots()->GetMutableObject(i);
    if (slot->region() < format::kFirstScratchRegion) continue;
    if (model.slot_buffers()->Get(i) != buffer) continue;
    slots.push_back(slot);
    first = std::min<int64_t>(first, slot->offset_bytes());
  }
  for (format::Slot* slot : slots) {
    const int64_t to = slot->offset_bytes() - first + offset;
    if (to + slot->bytes() > model.regions()->Get(slot->region())->bytes()) return false;
    slot->mutate_offset_bytes(static_cast<uint32_t>(to));
  }
  return !slots.empty();
}

// Returns the check result of a file after a move, or "refused" if it does not open.
std::string ResultOf(AlignedBytes& bytes) {
  format::GetMutableModel(bytes.data())->mutate_checksum(Checksum({bytes.data(), bytes.size()}));
  Faults faults;
  const auto model = LoadedModel::Of({bytes.data(), bytes.size()}, "model.weft", faults);
  const ModelCheck check = CheckModel(*model, faults);
  if (!model->Open(faults)) return "refused";
  const Json plan = PlanRowsOf(FactsOf(*model, kAllFacts));
  const Json checks = ChecksOf(model->root(), check, plan);
  EXPECT_EQ(checks["result"] == "violated", !checks["violations"].empty());
  return checks["result"];
}

// Each buffer in turn is moved to each offset. A move onto a live buffer is refused, or violated; a
// move onto its own offset or onto unused bytes is valid.
TEST_F(Evidence, ReportsAViolatedPlan) {
  ASSERT_EQ(
      Weft("convert '" WEFT_FIXTURES_DIR "/cases/streaming/u_net/model.xml' -o model.weft").code,
      0);
  const std::string sound = Text("model.weft");
  const Json facts = Json::parse(Weft("inspect model.weft --json").out);
  const int64_t scratch = facts["needs"]["scratch_bytes"];
  std::map<std::string, int> counts;
  for (uint32_t buffer = 0; buffer < facts["slots"]; ++buffer) {
    for (int64_t offset = 0; offset < scratch; offset += 64) {
      AlignedBytes bytes(sound.size());
      std::memcpy(bytes.data(), sound.data(), sound.size());
      if (!MoveBuffer(*format::GetMutableModel(bytes.data()), buffer, offset)) continue;
      ++counts[ResultOf(bytes)];
    }
  }
  EXPECT_GT(counts["violated"], 0);
  EXPECT_GT(counts["valid"], 0);
  EXPECT_EQ(counts.size(), 3u);  // and "refused"
}

// Each row names its source, and tests that include the reference kernel of the step. The source of
// a variant defines it.
TEST(EvidenceParts, NameTestsOfEveryStep) {
  std::set<std::string_view> steps;
  for (const StepFiles& row : kStepFiles) {
    steps.insert(row.step);
    const std::string source = ReadSource(std::string(row.source));
    EXPECT_NE(source, "") << row.step;
    EXPECT_NE(row.tests, "") << row.step;
    if (source.find("weft_variant_" + std::string(row.step) + " ") != std::string::npos) continue;
    std::istringstream tests{std::string(row.tests)};
    for (std::string test; tests >> test;) {
      EXPECT_TRUE(test.ends_with("_test.cc")) << test;
      const std::string include = "kernels/reference/" + std::string(row.step) + ".h\"";
      EXPECT_NE(ReadSource(test).find(include), std::string::npos) << row.step << " " << test;
    }
  }
  for (uint32_t kind = 1; kind < format::kKindCount; ++kind) {
    EXPECT_TRUE(steps.contains(format::NameOf(static_cast<format::Kind>(kind)))) << kind;
  }
  // Variants of weight types are compiled from the source of their step.
#define WEFT_VARIANT(name, ...)                                                       \
  EXPECT_TRUE(steps.contains(#name) || steps.contains(std::string_view(#name).substr( \
                                           0, std::string_view(#name).rfind('_'))));
#include "kernels/variants.inc"
  EXPECT_NE(ReadSource("tests/runtime/section_test.cc"), "");
  EXPECT_NE(ReadSource("runtime/run.cc"), "");
}

// A source and the headers of its folder that it includes, directly or not.
std::set<std::string> SourcesOf(const std::string& source) {
  const std::string include = "#include \"" + source.substr(0, source.rfind('/') + 1);
  std::vector<std::string> open = {source};
  std::set<std::string> found;
  while (!open.empty()) {
    const std::string file = open.back();
    open.pop_back();
    if (!found.insert(file).second) continue;
    std::istringstream text(ReadSource(file));
    for (std::string line; std::getline(text, line);) {
      if (!line.starts_with(include)) continue;
      const size_t begin = line.find('"') + 1;
      open.push_back(line.substr(begin, line.rfind('"') - begin));
    }
  }
  return found;
}

// The coverage of each step is the sum of the rows of its files in tests/coverage/files.txt.
TEST(EvidenceParts, SumTheCoverageOfEachStep) {
  std::map<std::string, std::array<double, 6>> rows;
  std::istringstream table(ReadSource("tests/coverage/files.txt"));
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string file;
    words >> file;
    for (double& number : rows[file]) words >> number;
  }
  for (const StepFiles& step : kStepFiles) {
    std::array<double, 6> sums = {};
    for (const std::string& file : SourcesOf(std::string(step.source))) {
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += rows[file][i];
    }
    ASSERT_GT(sums[1], 0) << step.step;
    std::istringstream text{std::string(step.coverage)};
    size_t kinds = 0;
    for (std::string kind, sign; text >> kind; ++kinds) {
      double percent = -1;
      text >> percent >> sign;
      EXPECT_NEAR(percent, 100 * sums[2 * kinds] / sums[2 * kinds + 1], 0.051) << step.step;
    }
    EXPECT_GE(kinds, sums[5] > 0 ? 3u : sums[3] > 0 ? 2u : 1u) << step.step;
  }
}

// Without line ends, each limit is a bullet of the page.
TEST(EvidenceParts, HaveTheLimitsOfTheSafetyPage) {
  std::string page = ReadSource("docs/safety.md");
  page.erase(0, page.find("## Not promised"));
  std::string joined;
  for (std::istringstream words(page); words >> page;) joined += page + " ";
  const Json limits = Limits();
  EXPECT_GE(limits.size(), 4u);
  size_t bullets = 0;
  for (size_t at = joined.find("- "); at != std::string::npos; at = joined.find(" - ", at + 1)) {
    ++bullets;
  }
  EXPECT_EQ(limits.size(), bullets);
  for (const std::string limit : limits) {
    EXPECT_NE(joined.find("- " + limit + " "), std::string::npos) << limit;
  }
}

// Required fields of SPDX 2.3, unique identifiers, and relations between known elements.
TEST_F(Evidence, HasACompleteBillOfMaterials) {
  WriteModel(kSum);
  ASSERT_EQ(Weft("convert model.xml -o model.weft --evidence ev").code, 0);
  const Json sbom = Json::parse(Text("ev/sbom.spdx.json"));
  for (const char* key : {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace"}) {
    EXPECT_TRUE(sbom[key].is_string()) << key;
  }
  std::set<std::string> ids = {sbom["SPDXID"]}, names;
  for (const Json& package : sbom["packages"]) {
    EXPECT_TRUE(ids.insert(package["SPDXID"]).second) << package["SPDXID"];
    names.insert(package["name"]);
    EXPECT_TRUE(package.contains("downloadLocation"));
    EXPECT_EQ(package["filesAnalyzed"], false);
    for (const Json& sum : package.value("checksums", Json::array())) {
      EXPECT_EQ(sum["checksumValue"].get<std::string>().size(), 64u);
    }
  }
  for (const char* name : {"weft", "highway", "flatbuffers", "fmt", "json", "pugixml"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  for (const Json& relation : sbom["relationships"]) {
    EXPECT_TRUE(ids.contains(relation["spdxElementId"]));
    EXPECT_TRUE(ids.contains(relation["relatedSpdxElement"]));
  }
  for (const Component& component : kComponents) {
    EXPECT_EQ(component.sha256.size(), 64u) << component.name;
    EXPECT_NE(component.licence, "") << component.name;
    EXPECT_EQ(component.url.substr(0, 8), "https://") << component.name;
    EXPECT_FALSE(component.is_pinned && component.version.empty()) << component.name;
  }
}

}  // namespace
}  // namespace weft::cli
