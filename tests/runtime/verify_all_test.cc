// SPDX-License-Identifier: Apache-2.0
// All broken rules of a file in one call, as the desktop tools report them.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/steps.h"
#include "runtime/verify.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {
namespace {

void Collect(void* user, const Fault& fault) {
  static_cast<std::vector<Fault>*>(user)->push_back(fault);
}

TEST(VerifyAll, ReportsEveryFaultAndReturnsTheFirst) {
  Features f = EveryFeature();
  f.b.slots[f.x].mutate_rank(9);
  f.b.steps[0].mutate_param(9);
  f.b.binary_rows[0].mutate_rank(9);
  f.b.inputs[1].mutate_slot(99);
  f.b.variables[0].mutate_slot(99);
  const ExactBytes file = f.b.Finish();
  std::vector<Fault> faults;
  const Fault first = VerifyAll(file.bytes(), AllSteps(), {&Collect, &faults});
  ASSERT_EQ(faults.size(), 5u);
  EXPECT_EQ(first.code, FaultCode::kSlotRank);
  EXPECT_EQ(faults[0].code, FaultCode::kSlotRank);
  EXPECT_EQ(faults[1].code, FaultCode::kStepParam);
  EXPECT_EQ(faults[2].code, FaultCode::kParamRank);
  EXPECT_EQ(faults[3].code, FaultCode::kPortSlot);
  EXPECT_EQ(faults[4].code, FaultCode::kVariableSlot);
}

TEST(VerifyAll, StopsWhereTheFileCannotBeRead) {
  ExactBytes file = EveryFeature().b.Finish();
  file.data()[5] = std::byte{'x'};
  std::vector<Fault> faults;
  EXPECT_EQ(VerifyAll(file.bytes(), AllSteps(), {&Collect, &faults}).code,
            FaultCode::kModelForeign);
  EXPECT_EQ(faults.size(), 1u);
}

TEST(VerifyAll, IsSilentOnASoundModel) {
  const ExactBytes file = EveryFeature().b.Finish();
  std::vector<Fault> faults;
  EXPECT_TRUE(VerifyAll(file.bytes(), AllSteps(), {&Collect, &faults}).ok());
  EXPECT_TRUE(faults.empty());
}

}  // namespace
}  // namespace weft::test
