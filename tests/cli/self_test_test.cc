// SPDX-License-Identifier: Apache-2.0
// convert --self-test, and its use by inspect and verify.
#include "converter/base/aligned_bytes.h"
#include "runtime/format/listing.h"
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class SelfTestCommand : public CommandTest {
 protected:
  void ConvertWithSelfTest(std::string_view xml, const std::string& runs) const {
    WriteModel(xml);
    const Outcome outcome = Weft("convert model.xml -o model.weft --self-test " + runs);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
  // Changes byte `from_end` of model.weft and updates its checksum.
  void Spoil(size_t from_end) const {
    const std::string text = Text("model.weft");
    AlignedBytes file(text.size());
    std::memcpy(file.data(), text.data(), text.size());
    file.data()[text.size() - from_end] ^= std::byte{0x40};
    auto* model = format::GetMutableModel(file.data());
    model->mutate_checksum(Checksum({file.data(), file.size()}));
    WriteText("spoilt.weft", {reinterpret_cast<const char*>(file.data()), file.size()});
  }
};

TEST_F(SelfTestCommand, IsRecordedAndPasses) {
  ConvertWithSelfTest(kSum, "3");
  const auto json = nlohmann::json::parse(Weft("inspect model.weft --json").out);
  // A head of 8 bytes, then x and y of 24 bytes each, three times.
  EXPECT_EQ(json["self_test"]["runs"], 3);
  EXPECT_EQ(json["self_test"]["bytes"], 8 + 3 * 48);
  EXPECT_EQ(json["self_test"]["tolerance"], "exact") << "a sum rounds once everywhere";
  EXPECT_NE(
      Weft("inspect model.weft")
          .out.find("self test: 3 runs, 152 bytes; outputs are bit-identical on every target\n"),
      std::string::npos);
  const Outcome outcome = Weft("verify model.weft");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "model.weft: valid; all 3 runs of its self test pass\n");
  EXPECT_EQ(nlohmann::json::parse(Weft("verify model.weft --json").out)["self_test_runs"], 3);
}

TEST_F(SelfTestCommand, IsLeftOutUnlessAskedFor) {
  ConvertWithSelfTest(kSum, "1");
  const size_t with = Text("model.weft").size();
  Convert(kSum);
  EXPECT_LT(Text("model.weft").size() + 8 + 48, with + 64);
  const auto json = nlohmann::json::parse(Weft("inspect model.weft --json").out);
  EXPECT_TRUE(json["self_test"].is_null());
}

TEST_F(SelfTestCommand, NamesWhatDiffersAndExitsWith1) {
  ConvertWithSelfTest(kCounter, "2");
  // The last byte is the top of total[1] after run 1: x of both runs, summed.
  Spoil(1);
  const Outcome outcome = Weft("verify spoilt.weft");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(
      outcome.out.starts_with("spoilt.weft: self test: run 1: output 0 \"total\": element 1 is "))
      << outcome.out;
  EXPECT_NE(outcome.out.find("; must be "), std::string::npos);
}

TEST_F(SelfTestCommand, TellsIntegersAsNumbers) {
  ConvertWithSelfTest(kPair, "1");
  Spoil(8);  // the low byte of the last i64, a sum of two numbers below 4
  const Outcome outcome = Weft("verify spoilt.weft");
  EXPECT_EQ(outcome.code, 1);
  const std::string words = "run 0: output 0 \"net/sum:0\": element 1 is ";
  const size_t at = outcome.out.find(words);
  ASSERT_NE(at, std::string::npos) << outcome.out;
  int is = 0, must = 0;
  ASSERT_EQ(std::sscanf(outcome.out.c_str() + at + words.size(), "%d; must be %d", &is, &must), 2);
  EXPECT_LE(is, 6);
  EXPECT_EQ(must, is ^ 0x40);
}

TEST_F(SelfTestCommand, IsToldByTheCHeader) {
  WriteModel(kSum);
  ASSERT_EQ(Weft("convert model.xml -o m.weft --self-test 2 --c-source m.c").code, 0);
  EXPECT_NE(Text("m.h").find("self test for weft_self_test: 2 runs, 104 bytes"), std::string::npos);
  EXPECT_NE(Text("m.h").find("M_SELF_TEST_RUNS = 2,"), std::string::npos);
  ASSERT_EQ(Weft("convert model.xml -o m.weft --c-source m.c").code, 0);
  EXPECT_EQ(Text("m.h").find("self test"), std::string::npos);
  EXPECT_NE(Text("m.h").find("M_SELF_TEST_RUNS = 0,"), std::string::npos);
}

TEST_F(SelfTestCommand, RefusesOtherNumbersOfRuns) {
  WriteModel(kSum);
  for (const char* runs : {"0", "1001", "-1", "two"}) {
    const Outcome outcome = Weft(std::string("convert model.xml -o m.weft --self-test ") + runs);
    EXPECT_EQ(outcome.code, 2) << runs;
  }
  EXPECT_FALSE(std::filesystem::exists(Path("m.weft")));
}

}  // namespace
}  // namespace weft::cli
