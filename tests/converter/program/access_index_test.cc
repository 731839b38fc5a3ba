// SPDX-License-Identifier: Apache-2.0
#include "converter/program/access_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace weft::program {
namespace {

Access AccessOf(int64_t item, bool write, int64_t begin, int64_t end,
                std::vector<Move> moves = {}) {
  Access access;
  access.item = item;
  access.write = write;
  access.begin_bytes = begin;
  access.end_bytes = end;
  access.moves = std::move(moves);
  return access;
}

Access RandomAccess(std::mt19937& random, int64_t bytes) {
  const int64_t begin = static_cast<int64_t>(random()) % bytes;
  const int64_t max = random() % 4 == 0 ? bytes : 8;
  const int64_t end = std::min(bytes, begin + static_cast<int64_t>(random()) % (max + 1));
  std::vector<Move> moves;
  if (random() % 8 == 0) moves.push_back({static_cast<SectionId>(random() % 2), 16});
  return AccessOf(static_cast<int64_t>(random() % 100), random() % 3 == 0, begin, end, moves);
}

bool AnyOf(const std::vector<Access>& accesses, const Access& range, int64_t first, int64_t last,
           bool only_writes) {
  return std::any_of(accesses.begin(), accesses.end(), [&](const Access& access) {
    return access.item >= first && access.item <= last && (access.write || !only_writes) &&
           Overlap(access, range);
  });
}

// Lists of lengths below and above the limit for an index, and merged lists.
TEST(AccessIndex, AnswersAsAListDoes) {
  std::mt19937 random(3);
  constexpr int64_t kBytes = 64;
  for (int round = 0; round < 200; ++round) {
    AccessMap map;
    for (ValueId root = 0; root < 3; ++root) {
      const size_t count = random() % 60;
      for (size_t i = 0; i < count; ++i) map[root].push_back(RandomAccess(random, kBytes));
    }
    AccessMap lists = map;
    AccessIndex index(map);
    for (ValueId merged = 3; merged-- > 0;) {
      for (int question = 0; question < 60; ++question) {
        const Access range = RandomAccess(random, 3 * kBytes);
        const int64_t first = static_cast<int64_t>(random() % 100);
        const int64_t last = first + static_cast<int64_t>(random() % 30) - 5;
        const bool writes = random() % 2 == 0;
        const auto kind = writes ? AccessIndex::Kind::kWrite : AccessIndex::Kind::kAny;
        for (ValueId root = 0; root < 3; ++root) {
          ASSERT_EQ(index.Any(root, range, first, last, kind),
                    AnyOf(lists[root], range, first, last, writes));
          ASSERT_EQ(index.CountOf(root), lists[root].size());
        }
      }
      if (merged == 0) break;
      const Location location{merged - 1, kBytes,
                              random() % 4 == 0 ? std::vector<Move>{{7, 4}} : std::vector<Move>{}};
      index.Merge(merged, location);
      for (Access& access : lists[merged]) {
        access.begin_bytes += kBytes;
        access.end_bytes += kBytes;
        access.moves.insert(access.moves.end(), location.moves.begin(), location.moves.end());
        lists[merged - 1].push_back(access);
      }
      lists[merged].clear();
    }
  }
}

// Any() stops at an access for which the predicate holds, and skips the others.
TEST(AccessIndex, AsksThePredicateOfOverlappingOnesAlone) {
  AccessMap map;
  for (int64_t i = 0; i < 100; ++i) map[0].push_back(AccessOf(i, true, 4 * i, 4 * i + 4));
  const AccessIndex index(map);
  int asked = 0;
  const auto never = [&](const Access& access) {
    EXPECT_EQ(access.item, 50);
    ++asked;
    return false;
  };
  EXPECT_FALSE(index.Any(0, AccessOf(0, false, 200, 204), 0, 99, AccessIndex::Kind::kAny, never));
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace weft::program
