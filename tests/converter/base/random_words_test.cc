// SPDX-License-Identifier: Apache-2.0
// Random words: the numbers published by the authors of the generators for one seed.
#include "converter/base/random_words.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(RandomWords, ArePhiloxsKnownAnswers) {
  EXPECT_EQ(PhiloxWords(0, 0)(), (RandomWords{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
}

TEST(RandomWords, OfPhiloxAreOtherOnesInEachBlockAndStream) {
  const DrawWords words = PhiloxWords(1, 2);
  const RandomWords first = words();
  EXPECT_NE(first, words());
  EXPECT_NE(first, PhiloxWords(1, 3)());
  EXPECT_EQ(first, PhiloxWords(1, 2)());
}

TEST(RandomWords, AreTheTwistersKnownAnswers) {
  EXPECT_EQ(TwisterWords(5489)(), (RandomWords{3499211612u, 581869302u, 3890346734u, 3586334585u}));
}

}  // namespace
}  // namespace weft
