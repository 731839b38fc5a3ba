// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/custom_options.h"

#include <flatbuffers/flexbuffers.h>

namespace weft::tflite {
namespace {

std::optional<flexbuffers::Map> MapOf(const Builder& b) {
  const auto* bytes = b.op().table->custom_options();
  if (bytes == nullptr || !flexbuffers::VerifyBuffer(bytes->data(), bytes->size())) {
    return std::nullopt;
  }
  const flexbuffers::Reference root = flexbuffers::GetRoot(bytes->data(), bytes->size());
  if (!root.IsMap()) return std::nullopt;
  return root.AsMap();
}

// The options with these keys; nullopt after a fault. `accepts` checks the type of an option, which
// `type` names.
template <typename T, typename Accepts, typename Read>
std::optional<std::vector<T>> OptionsOf(Builder& b, OptionKeys keys, const char* type,
                                        const Accepts& accepts, const Read& read) {
  if (keys.size() == 0) return std::vector<T>();
  const std::optional<flexbuffers::Map> map = MapOf(b);
  if (!map) {
    b.Refuse("has no valid options; must have a FlexBuffers map");
    return std::nullopt;
  }
  std::vector<T> values;
  for (const char* key : keys) {
    const flexbuffers::Reference option = (*map)[key];
    if (!accepts(option)) {
      b.Refuse("has no option {}; must have {}", key, type);
      return std::nullopt;
    }
    values.push_back(read(option));
  }
  return values;
}

}  // namespace

bool HasOption(const Builder& b, const char* key) {
  const std::optional<flexbuffers::Map> map = MapOf(b);
  return map && !(*map)[key].IsNull();
}

std::optional<std::vector<int64_t>> IntegerOptions(Builder& b, OptionKeys keys) {
  return OptionsOf<int64_t>(
      b, keys, "an integer",
      [](const flexbuffers::Reference& option) { return option.IsIntOrUint() || option.IsBool(); },
      [](const flexbuffers::Reference& option) {
        return option.IsBool() ? int64_t{option.AsBool()} : option.AsInt64();
      });
}

std::optional<std::vector<float>> FloatOptions(Builder& b, OptionKeys keys) {
  return OptionsOf<float>(
      b, keys, "a number", [](const flexbuffers::Reference& option) { return option.IsNumeric(); },
      [](const flexbuffers::Reference& option) { return option.AsFloat(); });
}

}  // namespace weft::tflite
