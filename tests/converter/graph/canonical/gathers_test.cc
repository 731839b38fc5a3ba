// SPDX-License-Identifier: Apache-2.0
// A Gather of all elements of an axis in order becomes a Reshape; other Gathers stay.
#include "converter/graph/canonical/canonical.h"
#include "tests/converter/graph/recognise/rewritten.h"

namespace weft {
namespace {

using Ints = std::vector<int64_t>;

KindCounts Gathered(const Ints& indices, int64_t axis) {
  FormBuilder g;
  g.Result(g.Of("Gather", {g.Parameter(F32({2, 4})), g.Ints(indices), g.Ints({axis})}));
  return Rewritten(g, graph::WholeGathersToReshapes);
}

TEST(WholeGathers, BecomeReshapes) {
  EXPECT_EQ(Gathered({0, 1, 2, 3}, 1), (KindCounts{{"Reshape", 1}}));
  EXPECT_EQ(Gathered({0, 1}, -2), (KindCounts{{"Reshape", 1}}));
}

TEST(WholeGathers, StayInAnotherOrderOrNumber) {
  const KindCounts stays = {{"Gather", 1}};
  EXPECT_EQ(Gathered({0, 1, 3, 2}, 1), stays);
  EXPECT_EQ(Gathered({0, 1, 2}, 1), stays);
  EXPECT_EQ(Gathered({0, 1, 2, 3, 3}, 1), stays);
}

}  // namespace
}  // namespace weft
