// SPDX-License-Identifier: Apache-2.0
#include "converter/base/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "converter/base/text.h"
#include "converter/base/visible.h"

namespace weft {
namespace {

// Longer words are not typing errors, and the comparison needs quadratic time.
constexpr size_t kLongestWord = 200;

// Number of insertions, deletions, replacements and swaps of adjacent letters from `typed` to the
// nearest prefix of `name`, and to the complete name.
struct Distance {
  size_t beginning, whole;
  auto operator<=>(const Distance&) const = default;
};
Distance DistanceOf(std::string_view typed, std::string_view name) {
  std::vector<std::vector<size_t>> cost(typed.size() + 1, std::vector<size_t>(name.size() + 1));
  for (size_t i = 0; i <= typed.size(); ++i) {
    for (size_t j = 0; j <= name.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1,
                             cost[i - 1][j - 1] + (typed[i - 1] == name[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && typed[i - 1] == name[j - 2] && typed[i - 2] == name[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  const std::vector<size_t>& last = cost.back();
  return {*std::min_element(last.begin(), last.end()), last.back()};
}

}  // namespace

std::string Nearest(std::string_view word, const std::vector<std::string>& names) {
  if (word.empty() || word.size() > kLongestWord) return "";
  const std::string typed = LowerCase(word);
  std::string nearest;
  Distance min{(typed.size() + 1) / 3 + 1, 0};
  for (const std::string& name : names) {
    if (name.size() > kLongestWord) continue;
    const Distance distance = DistanceOf(typed, LowerCase(name));
    if (distance >= min) continue;
    min = distance;
    nearest = name;
  }
  return nearest;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& names) {
  const std::string nearest = Nearest(word, names);
  return nearest.empty() ? "" : fmt::format("did you mean \"{}\"? ", OneLine(nearest));
}

}  // namespace weft
