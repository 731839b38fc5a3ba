// SPDX-License-Identifier: Apache-2.0
// What `weft convert` prints beside its summary.
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class ConvertNotes : public CommandTest {};

TEST_F(ConvertNotes, NamesStreamingWhereTheWholeSequenceDoesNotFit) {
  const std::string model =
      WEFT_SOURCE_DIR "/tests/conformance/cases/streaming/residual_blocks/model.xml";
  const Outcome outcome = Weft("convert '" + model + "' -o m.weft --arena-budget 64");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("and --arena-budget is 64"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(model + ": with --streaming a run takes one time step and needs "),
            std::string::npos)
      << outcome.err;
  // Not of a model that does not stream, nor of one that does already.
  WriteModel(kSum);
  for (const std::string& call :
       {std::string("convert model.xml -o m.weft --arena-budget 1"),
        "convert '" + model + "' -o m.weft --streaming --arena-budget 1"}) {
    EXPECT_EQ(Weft(call).err.find("with --streaming"), std::string::npos) << call;
  }
  EXPECT_FALSE(std::filesystem::exists(Path("m.weft")));
}

TEST_F(ConvertNotes, PrintsNothingIfItIsQuiet) {
  WriteModel(kSum);
  const Outcome outcome = Weft("convert model.xml -o m.weft --quiet");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_TRUE(std::filesystem::exists(Path("m.weft")));
}

}  // namespace
}  // namespace weft::cli
