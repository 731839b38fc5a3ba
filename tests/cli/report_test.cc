// SPDX-License-Identifier: Apache-2.0
// The page that inspect --html and convert --report write: it holds what the commands say as JSON.
#include <algorithm>
#include <string>

#include "tests/cli/command_fixture.h"
#include "tests/converter/report/facts_of.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

class ReportCommand : public CommandTest {
 protected:
  // One loop, and a choice of plans.
  static std::string Lstm() {
    return "'" WEFT_SOURCE_DIR
           "/tests/conformance/cases/document/lstm_document_i16_h17_t7/model.xml'";
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

TEST_F(ReportCommand, TakesNamesForText) {
  std::string xml(kSum);
  const std::string from = "name=\"sum\" type", to = "name=\"&lt;/script&gt;&lt;b&gt;\" type";
  xml.replace(xml.find(from), from.size(), to);
  Convert(xml);
  ASSERT_EQ(Weft("inspect model.weft --html model.html").code, 0);
  EXPECT_EQ(report::FactsOf(Text("model.html"))["listing"][0]["layer"], "</script><b>");
}

TEST_F(ReportCommand, OverwritesNoFileOfTheCall) {
  Convert(kSum);
  const std::string before = Text("model.weft");
  EXPECT_EQ(Weft("inspect model.weft --html ./model.weft").code, 2);
  EXPECT_EQ(Weft("convert model.xml -o other.weft --report model.bin").code, 2);
  EXPECT_EQ(Weft("inspect model.weft --html nowhere/model.html").code, 1);
  EXPECT_EQ(Text("model.weft"), before);
  EXPECT_EQ(Entries(), (Names{"model.bin", "model.weft", "model.xml"}));
}

}  // namespace
}  // namespace weft::cli
