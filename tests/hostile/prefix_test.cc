// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "tests/hostile/survive.h"

namespace weft::test {
namespace {

TEST(Open, RefusesEveryPrefixOfASoundModel) {
  for (const ExactBytes& file : SoundFiles()) {
    for (size_t size = 0; size < file.size(); ++size) {
      ExactBytes prefix(size);
      if (size != 0) std::memcpy(prefix.data(), file.data(), size);
      ASSERT_EQ(Survive(prefix), Fate::kRefused) << size << " of " << file.size();
    }
    EXPECT_EQ(Survive(file), Fate::kOpened);
  }
}

TEST(Open, RefusesEveryTailOfASoundModel) {
  for (const ExactBytes& file : SoundFiles()) {
    for (size_t start = 64; start < file.size(); start += 64) {
      ExactBytes tail(file.size() - start);
      std::memcpy(tail.data(), file.data() + start, tail.size());
      ASSERT_EQ(Survive(tail), Fate::kRefused) << start;
    }
  }
}

TEST(Open, BearsBytesBehindTheModel) {
  for (const ExactBytes& file : SoundFiles()) {
    ExactBytes longer(file.size() + 1);
    std::memcpy(longer.data(), file.data(), file.size());
    EXPECT_EQ(Survive(longer), Fate::kOpened);
  }
}

TEST(Open, RefusesNothingAtAll) {
  Needs needs;
  EXPECT_EQ(ReadNeeds({nullptr, 1000}, &needs).code, FaultCode::kModelShort);
  EXPECT_EQ(ReadNeeds({}, &needs).code, FaultCode::kModelShort);
  const ExactBytes noise(4096);
  EXPECT_EQ(ReadNeeds(noise.bytes(), &needs).code, FaultCode::kModelForeign);
}

}  // namespace
}  // namespace weft::test
