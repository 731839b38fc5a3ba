// SPDX-License-Identifier: Apache-2.0
// Tables of the parts of a pass, in the order in which they run. `weft convert --dump-after list`
// prints them, and --dump-after PASS.PART prints the representation after one of them.
#ifndef WEFT_CONVERTER_BASE_PASS_PARTS_H_
#define WEFT_CONVERTER_BASE_PASS_PARTS_H_

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace weft {

// A row of such a table.
template <typename Function>
struct PassPart {
  std::string_view name;
  Function run;
  std::string_view description;
};

// A row without its function. Both texts refer to static storage.
struct PartText {
  std::string_view name, description;
};

// Called after a part has changed `value`, with the name of the part.
template <typename T>
using PartObserver = std::function<void(std::string_view part, const T& value)>;

template <typename Function, size_t count>
std::vector<PartText> TextsOf(std::span<const PassPart<Function>, count> parts) {
  std::vector<PartText> texts;
  for (const PassPart<Function>& part : parts) texts.push_back({part.name, part.description});
  return texts;
}

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_PASS_PARTS_H_
