// SPDX-License-Identifier: Apache-2.0
// Faults in words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft {
namespace {

std::string Text(const Fault& fault) {
  char text[256];
  const size_t length = Describe(fault, text, sizeof(text));
  EXPECT_EQ(length, std::strlen(text));
  return text;
}

constexpr uint8_t KindNumber(format::Kind kind) { return static_cast<uint8_t>(kind); }

TEST(Describe, SaysWhereWhoWhatIsAndWhatMustBe) {
  EXPECT_EQ(Text({}), "no fault");
  EXPECT_EQ(Text({FaultCode::kOperandSlot, KindNumber(format::Kind::dense), 1, 41, 77, 60}),
            "step 41 (dense): operand 1 names slot 77; must be below 60");
  EXPECT_EQ(Text({FaultCode::kOperandType, KindNumber(format::Kind::gru_update), 2, 0, 9, 0}),
            "step 0 (gru_update): operand 2 is i32; must be f32");
  EXPECT_EQ(Text({FaultCode::kModelVersion, 0, 0, 0, 4294967295u, 1}),
            "model: has format version 4294967295; this runtime reads 1 only, so convert again");
  EXPECT_EQ(Text({FaultCode::kParamType, KindNumber(format::Kind::unary), 0, 3, 99, 0}),
            "step 3 (unary): cannot work on type 99");
}

TEST(Describe, FillsEveryPlaceholderOfEveryText) {
  for (uint32_t code = 0; code <= static_cast<uint32_t>(FaultCode::kTripLimit); ++code) {
    const std::string text = Text({static_cast<FaultCode>(code), 1, 2, 3, 4, 5});
    EXPECT_EQ(text.find('%'), std::string::npos) << text;
    EXPECT_LT(text.size(), 200u) << text;
  }
  EXPECT_EQ(Text({static_cast<FaultCode>(60000)}), "unknown fault");
  EXPECT_EQ(Text({FaultCode::kStepAbsent, 255, 0, 7, 0, 0}),
            "step 7 (?): is not in the step table of this build; must be");
}

TEST(Describe, EndsTheTextInAnyRoom) {
  const Fault fault = {FaultCode::kStateShort, 0, 0, 0, 12, 4096};
  const std::string whole = Text(fault);
  for (size_t room = 0; room <= whole.size() + 2; ++room) {
    std::string text(room + 1, 'x');
    const size_t length = Describe(fault, text.data(), room);
    EXPECT_EQ(length, room == 0 ? 0 : std::min(room - 1, whole.size()));
    if (room != 0) {
      EXPECT_STREQ(text.c_str(), whole.substr(0, room - 1).c_str());
    }
    EXPECT_EQ(text[room], 'x') << "behind the room";
  }
  EXPECT_EQ(Describe(fault, nullptr, 10), 0u);
}

}  // namespace
}  // namespace weft
