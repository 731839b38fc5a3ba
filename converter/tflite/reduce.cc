// SPDX-License-Identifier: Apache-2.0
// Reductions, extreme positions, sums along an axis and normalisations.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "converter/tflite/builder.h"
#include "converter/tflite/integer_sums.h"

namespace weft::tflite {
namespace {

// The axes in input 1. LiteRT accepts an axis twice, also once from the front and once from the
// end.
ir::Source AxesOnce(Builder& b) {
  const std::optional<std::vector<int64_t>> axes = b.KnownIntegers(1);
  if (!axes) return b.Input(1);
  std::vector<int64_t> unique;
  for (const int64_t axis : *axes) {
    const int64_t at = axis < 0 ? axis + b.Rank(0) : axis;
    if (std::ranges::find(unique, at) == unique.end()) unique.push_back(at);
  }
  return unique.size() == axes->size() ? b.Input(1) : b.Ints(unique);
}

ir::Source Reduced(Builder& b, std::string type) {
  const bool keeps = b.Options<schema::ReducerOptions>().keep_dims();
  return b.Add(std::move(type), "opset1", {{"keep_dims", keeps ? "true" : "false"}},
               {b.Input(0), AxesOnce(b)});
}

// The attributes of TopK over an axis; `type` is that of the positions.
Attributes TopAttributes(const Builder& b, int64_t axis, const char* mode, size_t positions) {
  const bool is_long = b.OutputTensor(positions).type == schema::ElementType::i64;
  return {{"axis", std::to_string(axis)},
          {"mode", mode},
          {"sort", "value"},
          {"index_element_type", is_long ? "i64" : "i32"},
          {"stable", "true"}};
}

// The first position of the extreme element.
void ArgExtreme(Builder& b, const char* mode) {
  const auto axis = b.Integers(1);
  if (!axis || axis->size() != 1) return;
  ir::Node& top = b.AddNode("TopK", "opset11", TopAttributes(b, (*axis)[0], mode, 0),
                            {b.Input(0), b.Int(1)}, 2);
  b.Set(0, b.Squeezed({&top, 1}, axis->front()));
}

}  // namespace

void Mean(Builder& b) { b.Set(0, Reduced(b, "ReduceMean")); }
void Sum(Builder& b) { b.Set(0, Reduced(b, "ReduceSum")); }
void ReduceProd(Builder& b) { b.Set(0, Reduced(b, "ReduceProd")); }
void ReduceMax(Builder& b) { b.SetMoved(0, Reduced(b, "ReduceMax")); }
void ReduceMin(Builder& b) { b.SetMoved(0, Reduced(b, "ReduceMin")); }
void ReduceAll(Builder& b) { b.Set(0, Reduced(b, "ReduceLogicalAnd")); }
void ReduceAny(Builder& b) { b.Set(0, Reduced(b, "ReduceLogicalOr")); }

void ArgMax(Builder& b) { ArgExtreme(b, "max"); }
void ArgMin(Builder& b) { ArgExtreme(b, "min"); }

void TopKV2(Builder& b) {
  const auto count = b.Integers(1);
  if (!count || count->size() != 1) return;
  ir::Node& top = b.AddNode("TopK", "opset11", TopAttributes(b, -1, "max", 1),
                            {b.Input(0), b.Int((*count)[0])}, 2);
  b.SetMoved(0, {&top, 0});
  b.Set(1, {&top, 1});
}

void Cumsum(Builder& b) {
  const auto& options = b.Options<schema::CumsumOptions>();
  const Attributes attributes = {{"exclusive", options.exclusive() ? "true" : "false"},
                                 {"reverse", options.reverse() ? "true" : "false"}};
  const bool is_of_bytes = HasSums(b, 1);
  const ir::Source x = is_of_bytes ? Term(b, 0) : b.Input(0);
  const ir::Source sums = b.Add("CumSum", "opset3", attributes, {x, b.Input(1)});
  is_of_bytes ? SetFromTerms(b, sums) : b.Set(0, sums);
}

void LogSoftmax(Builder& b) {
  b.Set(0, b.Add("LogSoftmax", "opset5", {{"axis", "-1"}}, {b.Input(0)}));
}

// The divisor is at least 1e-6.
void L2Normalization(Builder& b) {
  const ir::Source y = b.Add("NormalizeL2", "opset1", {{"eps", "1e-12"}, {"eps_mode", "max"}},
                             {b.Input(0), b.Ints({{b.Rank(0) - 1}})});
  b.Set(0, b.Activated(y, b.Options<schema::L2NormOptions>().activation()));
}

// The IR divides alpha by the number of neighbours.
void LocalResponseNormalization(Builder& b) {
  const auto& options = b.Options<schema::LocalResponseNormalizationOptions>();
  const int64_t size = 2 * int64_t{options.radius()} + 1;
  b.Set(0, b.Add("LRN", "opset1",
                 {{"alpha", fmt::format("{}", options.alpha() * static_cast<float>(size))},
                  {"beta", fmt::format("{}", options.beta())},
                  {"bias", fmt::format("{}", options.bias())},
                  {"size", std::to_string(size)}},
                 {b.Input(0), b.Ints({{b.Rank(0) - 1}})}));
}

}  // namespace weft::tflite
