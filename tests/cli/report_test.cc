// SPDX-License-Identifier: Apache-2.0
// The page that inspect --html and convert --report write: it contains the JSON of the commands.
#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <string>

#include "tests/cli/command_fixture.h"
#include "tests/converter/report/facts_of.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

class ReportCommand : public CommandTest {
 protected:
  // A model with one loop and several plans.
  static std::string Lstm() {
    return "'" WEFT_FIXTURES_DIR "/cases/document/lstm_document_i16_h17_t7/model.xml'";
  }
};

TEST_F(ReportCommand, ShowsWhatInspectSays) {
  ASSERT_EQ(Weft("convert " + Lstm() + " -o model.weft").code, 0);
  const Outcome outcome = Weft("inspect model.weft --html model.html");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const Json facts = report::FactsOf(Text("model.html"));
  EXPECT_EQ(facts, Json::parse(Weft("inspect model.weft --json --budget --plan --listing").out));
  EXPECT_EQ(Text("model.html").find("\r"), std::string::npos);
  const Json& section = facts["sections"][0];
  EXPECT_EQ(facts["listing"][section["first_step"].get<size_t>()]["kind"], "section");
  EXPECT_LE(section["end_step"], facts["listing"].size());
}

TEST_F(ReportCommand, LiveBytesAreTheCurveUnderThePeak) {
  ASSERT_EQ(Weft("convert " + Lstm() + " -o model.weft").code, 0);
  const Json facts = Json::parse(Weft("inspect model.weft --json --budget --plan --listing").out);
  const Json& peak = facts["budget"]["scratch"][0]["peak"];
  const auto live = facts["plan"]["live_bytes"][0].get<std::vector<int64_t>>();
  ASSERT_EQ(live.size(), facts["listing"].size());
  EXPECT_EQ(*std::max_element(live.begin(), live.end()), peak["bytes"].get<int64_t>());
  EXPECT_EQ(live[peak["step"].get<size_t>()], peak["bytes"].get<int64_t>());
  double multiply_adds = 0;
  for (const Json& step : facts["listing"]) {
    multiply_adds += step.value("multiply_adds", 0.0);
  }
  EXPECT_EQ(multiply_adds, facts["budget"]["work"]["multiply_adds"].get<double>());
}

TEST_F(ReportCommand, OfAConversionHasItsCurve) {
  const Outcome outcome = Weft("convert " + Lstm() + " -o model.weft --report model.html --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json facts = report::FactsOf(Text("model.html"));
  EXPECT_EQ(facts["curve"], Json::parse(outcome.out)["curve"]);
  EXPECT_EQ(facts["file"], "model.weft");
  EXPECT_EQ(facts["checksum"], Json::parse(Weft("inspect model.weft --json").out)["checksum"]);
}

// The type and size of each constant, and the reasons for f32.
TEST_F(ReportCommand, OfAConversionHasItsWeights) {
  const std::string convert =
      "convert '" WEFT_FIXTURES_DIR
      "/cases/narrow_weights/f16_einsum_groups/model.xml' -o model.weft --json "
      "--report model.html --precision ";
  const auto facts = [&](const std::string& precision) {
    const Outcome outcome = Weft(convert + precision);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const Json page = report::FactsOf(Text("model.html"));
    EXPECT_EQ(page["weights_by_layer"], Json::parse(outcome.out)["weights_by_layer"]);
    return page;
  };
  const Json narrow = facts("f16");
  ASSERT_EQ(narrow["budget"]["largest_weights"].size(), 3u);
  for (const Json& row : narrow["budget"]["largest_weights"]) {
    EXPECT_EQ(row["bytes"], 1280);
    EXPECT_TRUE(row["type"].get<std::string>().starts_with("f16["));
  }
  const Json wide = facts("f32");
  ASSERT_EQ(wide["budget"]["largest_weights"].size(), 1u);
  const Json& row = wide["budget"]["largest_weights"][0];
  EXPECT_EQ(row["layer"], wide["weights_by_layer"][0]["layer"]);
  EXPECT_EQ(row["bytes"], wide["weights_by_layer"][0]["bytes"]);
  EXPECT_EQ(wide["weights_by_layer"][0]["f32_because"], "f32 is requested");
  EXPECT_NE(Text("model.html").find("stays f32 because"), std::string::npos);
}

TEST_F(ReportCommand, TakesNamesForText) {
  std::string xml(kSum);
  const std::string from = "name=\"sum\" type", to = "name=\"&lt;/script&gt;&lt;b&gt;\" type";
  xml.replace(xml.find(from), from.size(), to);
  Convert(xml);
  ASSERT_EQ(Weft("inspect model.weft --html model.html").code, 0);
  EXPECT_EQ(report::FactsOf(Text("model.html"))["listing"][0]["layer"], "</script><b>");
}

TEST_F(ReportCommand, ShowsModelsSideBySide) {
  ASSERT_EQ(Weft("convert " + Lstm() + " -o first.weft").code, 0);
  ASSERT_EQ(Weft("convert " + Lstm() + " -o second.weft --arena-budget fastest").code, 0);
  ASSERT_EQ(Weft("inspect first.weft second.weft --html both.html").code, 0);
  const Json facts = report::FactsOf(Text("both.html"));
  ASSERT_EQ(facts["models"].size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const char* file = i == 0 ? "first.weft" : "second.weft";
    ASSERT_EQ(Weft(std::string("inspect ") + file + " --html one.html").code, 0);
    EXPECT_EQ(facts["models"][i], report::FactsOf(Text("one.html"))) << file;
  }
  EXPECT_EQ(Weft("inspect first.weft second.weft").code, 2);
  EXPECT_EQ(Weft("inspect first.weft second.weft --html x.html --json").code, 2);
  EXPECT_EQ(Weft("inspect first.weft second.weft --html x.html --svg x.svg").code, 2);
}

TEST_F(ReportCommand, ShowsTimesOfTheBench) {
  ASSERT_EQ(Weft("convert " + Lstm() + " -o model.weft").code, 0);
  const std::string bench = Weft("bench model.weft --iterations 3 --profile --json").out;
  WriteText("times.json", bench);
  ASSERT_EQ(Weft("inspect model.weft --html model.html --bench times.json").code, 0);
  const Json must = Json::parse(bench), times = report::FactsOf(Text("model.html"))["times"];
  EXPECT_EQ(times["median"], must["microseconds"]["median"]);
  EXPECT_EQ(times["runs"], 3);
  ASSERT_EQ(times["steps"].size(), must["steps"].size());
  for (size_t i = 0; i < times["steps"].size(); ++i) {
    EXPECT_EQ(times["steps"][i]["step"], must["steps"][i]["step"]);
    EXPECT_EQ(times["steps"][i]["microseconds"], must["steps"][i]["microseconds_per_run"]);
  }
}

// The table of runtime/step_times.h, after other output of the program.
TEST_F(ReportCommand, ShowsTheTableOfABoard) {
  ASSERT_EQ(Weft("convert " + Lstm() + " -o model.weft").code, 0);
  const Json must = Json::parse(Weft("bench model.weft --iterations 3 --profile --json").out);
  std::string rows;
  for (const Json& step : must["steps"]) {
    rows += fmt::format("{:4}  {:9}  {}   7  1.250   5.0 %\r\n", step["step"].get<uint64_t>(),
                        step["kind"].get<std::string>(), step["layer"].get<std::string>());
  }
  const std::string head = "0170*#A\r\nstep  kind       layer  calls/run  us/run   share\r\n";
  WriteText("board.txt", head + rows + "\r\nlayer  steps  us/run   share\r\n");
  const Outcome outcome = Weft("inspect model.weft --html model.html --bench board.txt");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json times = report::FactsOf(Text("model.html"))["times"];
  ASSERT_EQ(times["steps"].size(), must["steps"].size());
  for (size_t i = 0; i < times["steps"].size(); ++i) {
    EXPECT_EQ(times["steps"][i]["step"], must["steps"][i]["step"]);
    EXPECT_EQ(times["steps"][i]["microseconds"], 1.25);
  }
  EXPECT_EQ(times["mean"], 1.25 * static_cast<double>(times["steps"].size()));
  WriteText("board.txt", head + "   0  conv  lstm  1  1.0  5.0 %\n");
  EXPECT_NE(
      Weft("inspect model.weft --html model.html --bench board.txt").err.find("step 0 is conv"),
      std::string::npos);
  for (const char* text : {"0  dense  lstm  1  1.0  5.0 %\n", "step  kind  layer  ticks/run\n",
                           "step  kind  layer  calls/run  us/run  share\nnone\n"}) {
    WriteText("board.txt", text);
    EXPECT_EQ(Weft("inspect model.weft --html model.html --bench board.txt").code, 1) << text;
  }
}

// The same table with a median after the mean, and with numbers that are parts of other numbers.
TEST_F(ReportCommand, ShowsTheTableOfBench) {
  ASSERT_EQ(Weft("convert " + Lstm() + " -o model.weft").code, 0);
  const Json must = Json::parse(Weft("bench model.weft --iterations 3 --profile --json").out);
  std::string table = "step  kind       layer  calls/run  us/run  median   share\n";
  for (const Json& step : must["steps"]) {
    table += fmt::format("{:4}  {:9}  {}  1  1.250  1.25  1.2 %\n", step["step"].get<uint64_t>(),
                         step["kind"].get<std::string>(), step["layer"].get<std::string>());
  }
  for (const std::string& text : {table, Weft("bench model.weft --iterations 3 --profile").out}) {
    WriteText("bench.txt", text);
    const Outcome outcome = Weft("inspect model.weft --html model.html --bench bench.txt");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json times = report::FactsOf(Text("model.html"))["times"];
    ASSERT_EQ(times["steps"].size(), must["steps"].size());
    if (text != table) continue;
    for (const Json& step : times["steps"]) EXPECT_EQ(step["microseconds"], 1.25);
  }
}

TEST_F(ReportCommand, RefusesTimesOfAnotherModel) {
  ASSERT_EQ(Weft("convert " + Lstm() + " -o model.weft").code, 0);
  Json bench = Json::parse(Weft("bench model.weft --iterations 3 --profile --json").out);
  const auto refused = [&](const std::string& text) {
    WriteText("times.json", text);
    const Outcome outcome = Weft("inspect model.weft --html model.html --bench times.json");
    EXPECT_EQ(outcome.code, outcome.err.starts_with("--bench: ") ? 2 : 1) << text;
    return outcome.err;
  };
  const std::string whole = bench.dump();
  bench["steps"][0]["kind"] = "conv";
  EXPECT_NE(refused(bench.dump()).find("must be lstm_cell \"lstm\", as in model.weft"),
            std::string::npos);
  bench["steps"][0]["step"] = 99;
  EXPECT_NE(refused(bench.dump()).find("must be one of the 2 of model.weft"), std::string::npos);
  EXPECT_NE(refused(R"({"models": [)" + whole + "," + whole + "]}").find("of 2 models"),
            std::string::npos);
  EXPECT_EQ(refused(R"({"iterations": 1})"),
            "times.json: \"checksum\" is missing; must be as in the output of \"weft bench "
            "--json\"\n");
  const std::string checksum = bench["checksum"];
  EXPECT_NE(refused(R"({"iterations": 1, "checksum": ")" + checksum + "\"}")
                .find("\"median\" is missing"),
            std::string::npos);
  for (const char* text : {"", "[]", "{", R"({"models": 1})", R"({"microseconds": 1, "steps": {}})",
                           R"({"iterations": -1, "microseconds": {}, "steps": [1]})"}) {
    refused(text);
  }
  EXPECT_EQ(Entries(), (Names{"model.weft", "times.json"}));
}

TEST_F(ReportCommand, RefusesDeeplyNestedFiles) {
  ASSERT_EQ(Weft("convert " + Lstm() + " -o model.weft").code, 0);
  const auto repeated = [](const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  };
  for (const int depth : {65, 100'000}) {
    const std::string objects = repeated("{\"a\":", depth) + "1" + repeated("}", depth);
    const std::string arrays = repeated("[", depth) + repeated("]", depth);
    for (const std::string& text : {objects, "{\"a\":" + arrays + "}", arrays}) {
      WriteText("deep.json", text);
      for (const auto& [option, must] :
           {std::pair<std::string, std::string>("--bench",
                                                "\"weft bench --json\", or a board's table"
                                                " of steps,"),
            {"--accuracy", "\"weft compare --json\""}}) {
        const Outcome outcome =
            Weft("inspect model.weft --html model.html " + option + " deep.json");
        EXPECT_EQ(outcome.code, 1) << option << depth;
        EXPECT_EQ(
            outcome.err,
            "deep.json: is JSON nested more than 64 deep; must be the output of " + must + "\n");
      }
    }
  }
  WriteText("deep.json", "{\"a\":" + repeated("[", 63) + repeated("]", 63) + "}");
  EXPECT_NE(Weft("inspect model.weft --html model.html --accuracy deep.json")
                .err.find("\"checksum\" is missing"),
            std::string::npos);
  EXPECT_EQ(Entries(), (Names{"deep.json", "model.weft"}));
}

TEST_F(ReportCommand, ShowsWhatCompareFound) {
  Convert(kSum);
  const std::string checksum = Json::parse(Weft("inspect model.weft --json").out)["checksum"];
  const std::string begin = "{\"checksum\": \"" + checksum + "\", ";
  WriteText("found.json",
            begin + R"("equal": false, "f16_weights": false, "outputs": [{"output": "y",
    "equal": false, "elements": 6, "mismatches": 2, "largest_difference": "inf", "signal_to_noise_db": 43.5, "more": 1}]})");
  ASSERT_EQ(Weft("inspect model.weft --html model.html --accuracy found.json").code, 0);
  EXPECT_EQ(report::FactsOf(Text("model.html"))["comparison"], Json::parse(R"({"equal": false,
    "of": "output", "rows": [{"equal": false, "elements": 6, "mismatches": 2,
    "signal_to_noise_db": 43.5, "name": "y"}]})"));
  WriteText("found.json", begin + R"("equal": 1})");
  const Outcome outcome = Weft("inspect model.weft --html model.html --accuracy found.json");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("\"equal\" is of another type"), std::string::npos) << outcome.err;
  EXPECT_EQ(Weft("inspect model.weft --accuracy found.json").code, 2);
}

// Two models with equal steps and ports, but other weights.
TEST_F(ReportCommand, RefusesDataOfAModelWithOtherWeights) {
  WriteFloats("x.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  Convert(kSum);
  const float weights[] = {10, 20, 31, 0, 0};
  WriteText("model.bin", {reinterpret_cast<const char*>(weights), sizeof weights});
  ASSERT_EQ(Weft("convert model.xml -o other.weft").code, 0);
  WriteText("times.json", Weft("bench model.weft --iterations 3 --json").out);
  WriteText("found.json", Weft("compare model.weft model.weft --input x=x.npy --json").out);
  WriteText("layers.json",
            Weft("compare model.weft other.weft --input x=x.npy --json --layers").out);
  const auto sum = [&](const std::string& model) -> std::string {
    return Json::parse(Weft("inspect " + model + " --json").out)["checksum"];
  };
  for (const std::string option : {"--bench times", "--accuracy found", "--accuracy layers"}) {
    EXPECT_EQ(Weft("inspect model.weft --html model.html " + option + ".json").code, 0) << option;
    const Outcome outcome = Weft("inspect other.weft --html other.html " + option + ".json");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.err, option.substr(option.find(' ') + 1) +
                               ".json: is of a model with checksum " + sum("model.weft") +
                               "; must be " + sum("other.weft") + ", that of other.weft\n");
  }
  // Layers that were compared with files are those of an IR.
  WriteText("ir.json", R"({"equal": true, "layers": [{"layer": "gru", "equal": true}]})");
  EXPECT_EQ(Weft("inspect model.weft --html model.html --accuracy ir.json").err,
            "ir.json: has no layer of model.weft; must be a comparison of this model\n");
  WriteText("ir.json", R"({"equal": true, "layers": [{"layer": "sum", "equal": true}]})");
  EXPECT_EQ(Weft("inspect model.weft --html model.html --accuracy ir.json").code, 0);
}

TEST_F(ReportCommand, DrawsOneModelAlone) {
  ASSERT_EQ(Weft("convert " + Lstm() + " -o model.weft").code, 0);
  const Outcome outcome = Weft("inspect model.weft --svg model.svg");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  pugi::xml_document picture;
  ASSERT_TRUE(picture.load_string(Text("model.svg").c_str()));
  const Json plan = Json::parse(Weft("inspect model.weft --json --plan").out)["plan"];
  size_t hatched = 0;
  for (const Json& buffer : plan["buffers"]) hatched += buffer["shared"].size();
  ASSERT_GT(hatched, 0u);
  constexpr size_t kKeys = 5, kHatchedKeys = 1;
  EXPECT_EQ(picture
                .select_nodes("//rect[@class='value' or @class='input' or @class='output' or "
                              "@class='state']")
                .size(),
            plan["buffers"].size() + kKeys);
  EXPECT_EQ(picture.select_nodes("//rect[@fill]").size(), hatched + kHatchedKeys);
}

TEST_F(ReportCommand, PairsThePlacesOfAShuttle) {
  ASSERT_EQ(Weft("convert '" WEFT_FIXTURES_DIR "/cases/exports/"
                 "tf_while_ends_at_the_end/model.xml' -o model.weft")
                .code,
            0);
  const Json facts = Json::parse(Weft("inspect model.weft --json --listing").out);
  const Json& section = facts["sections"][0];
  ASSERT_EQ(section["unroll"], 2);
  ASSERT_FALSE(section["ping_pong_slots"].empty());
  EXPECT_LE(section["ping_pong_slots"].size(), section["ping_pong"].get<size_t>());
  for (const Json& pair : section["ping_pong_slots"]) {
    // Each copy of the body writes one of the two buffers.
    int written = 0;
    for (const Json& step : facts["listing"]) {
      for (const Json& operand : step.value("outputs", Json::array())) {
        for (const Json& slot : pair) written += operand["slot"] == slot ? 1 : 0;
      }
    }
    EXPECT_GE(written, 2);
    EXPECT_NE(pair[0], pair[1]);
  }
}

TEST_F(ReportCommand, SaysWhyValuesShareAPlace) {
  ASSERT_EQ(Weft("convert " + Lstm() + " -o model.weft").code, 0);
  const Json plan = Json::parse(Weft("inspect model.weft --json --plan").out)["plan"];
  int chunks = 0;
  for (const Json& buffer : plan["buffers"]) {
    for (const Json& position : buffer["shared"]) {
      EXPECT_GE(position["offset"], buffer["offset"]);
      EXPECT_LE(position["offset"].get<int>() + position["bytes"].get<int>(),
                buffer["offset"].get<int>() + buffer["bytes"].get<int>());
      EXPECT_LE(position["first_step"], position["last_step"]);
      EXPECT_NE(position["why"], "");
      chunks += position["why"] == "the part of a sequence that one iteration accesses" ? 1 : 0;
    }
  }
  // Chunks: one read of the input, one read and one write of the hidden values.
  EXPECT_EQ(chunks, 3);
}

TEST_F(ReportCommand, OverwritesNoFileOfTheCall) {
  Convert(kSum);
  const std::string before = Text("model.weft");
  EXPECT_EQ(Weft("inspect model.weft --html ./model.weft").code, 2);
  EXPECT_EQ(Weft("inspect model.weft --svg model.weft").code, 2);
  EXPECT_EQ(Weft("inspect model.weft --html x --svg ./x").code, 2);
  EXPECT_EQ(Weft("convert model.xml -o other.weft --report model.bin").code, 2);
  EXPECT_EQ(Weft("inspect model.weft --html nowhere/model.html").code, 1);
  EXPECT_EQ(Text("model.weft"), before);
  EXPECT_EQ(Entries(), (Names{"model.bin", "model.weft", "model.xml"}));
}

}  // namespace
}  // namespace weft::cli
