// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/quant_params.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "converter/graph/quantise/bounds.h"
#include "converter/graph/quantise/rings.h"
#include "converter/graph/recognise/forms/channel_constant.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/stated.h"
#include "converter/ops/core/quantised.h"
#include "converter/ops/moved_inputs.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/packed.h"

namespace weft::graph {
namespace {

// Tolerances, because limits are stored as f32.
constexpr double kNearWhole = 1e-3, kNearWholeOfShorts = 1e-2;
constexpr int64_t kShortCount = 0x10000;

// The code of 0 in a range, counted from its lowest code; nullopt if 0 has no code.
std::optional<double> ZeroOf(double low, double scale, double near_whole = kNearWhole) {
  if (!IsScale(scale)) return std::nullopt;
  const double zero = -low / scale, whole = std::nearbyint(zero);
  if (std::fabs(zero - whole) > near_whole) return std::nullopt;
  return whole;
}

// Limits of a FakeQuantize: input low, input high, output low, output high.
using Limits = std::array<double, 4>;

bool IsByte(double number) { return number >= kMinByte && number <= kMaxByte; }

// Inference has checked the attribute.
int64_t LevelCountOf(const ir::Node& node) {
  return std::strtoll(node.attributes.at("levels").c_str(), nullptr, 10);
}

// The limits of a per-tensor FakeQuantize; nullopt if they are not known.
std::optional<Limits> LimitsOf(const ir::Node& node) {
  if (!IsCalled(node, "FakeQuantize") || node.constant) return std::nullopt;
  Limits limits;
  for (size_t i = 0; i < limits.size(); ++i) {
    const std::optional<double> limit = NumberIn(node.inputs[i + 1]);
    if (!limit) return std::nullopt;
    limits[i] = *limit;
  }
  return limits;
}

// Parameters of integers that represent themselves.
std::optional<QuantParams> QuantParamsOfInput(const ir::Source& source) {
  if (ir::WidenedOf(source) != nullptr) return std::nullopt;
  return QuantParamsOfType(TypeOf(source).type);
}

// Replaces scales that were computed from rounded limits by the scale that the file states.
std::optional<Quantiser> WithStatedScale(const ir::Node& node, const Limits& limits,
                                         std::optional<Quantiser> quantiser) {
  const auto stated = node.attributes.find(ir::kStatedScale);
  if (!quantiser || stated == node.attributes.end()) return quantiser;
  const double scale = std::strtof(stated->second.c_str(), nullptr);
  if (!IsScale(scale)) return quantiser;
  quantiser->in.scale = scale;
  const auto [low, high, out_low, out_high] = limits;
  if (low == out_low && high == out_high) quantiser->out.scale = scale;
  return quantiser;
}

std::optional<Quantiser> QuantiserBetween(const Limits& limits, int64_t count) {
  if (count > kByteCount) return std::nullopt;
  const auto [low, high, out_low, out_high] = limits;
  const auto steps = static_cast<double>(count - 1);
  const double scale = (high - low) / steps, out_scale = (out_high - out_low) / steps;
  const std::optional<double> zero = ZeroOf(low, scale), out_zero = ZeroOf(out_low, out_scale);
  if (!zero || !out_zero) return std::nullopt;
  // Shifts the codes so that the output zero point is as close to 0 as the i8 range allows.
  const double shift =
      std::clamp<double>(*out_zero, steps - kMaxByte, -static_cast<double>(kMinByte));
  if (!IsByte(*zero - shift) || !IsByte(*out_zero - shift)) return std::nullopt;
  const auto first = static_cast<int>(-shift), last = static_cast<int>(steps - shift);
  return Quantiser{{scale, static_cast<int>(*zero - shift), first, last},
                   {out_scale, static_cast<int>(*out_zero - shift), first, last}};
}

}  // namespace

std::optional<QuantParams> QuantParamsOfType(ElementType type) {
  if (type == ElementType::i8) return QuantParams{1, 0, kMinByte, kMaxByte};
  if (type == ElementType::u8) return QuantParams{1, kMinByte, kMinByte, kMaxByte};
  return std::nullopt;
}

std::optional<QuantParams> QuantParamsOfCodes(const ir::Node& node) {
  const auto scale = node.attributes.find(ops::kCodeScale);
  const auto zero =
      node.attributes.find(IsCalled(node, "Quantize") ? ops::kCodeZero : ops::kInputZero);
  if (scale == node.attributes.end() || zero == node.attributes.end()) return std::nullopt;
  const bool is_short = IsCalled(node, "Quantize")
                            ? node.attributes.contains(ops::kShortCodes)
                            : TypeOf(node.inputs[0]).type == ElementType::i16;
  QuantParams params = {std::strtof(scale->second.c_str(), nullptr),
                        static_cast<int>(std::strtol(zero->second.c_str(), nullptr, 10))};
  if (is_short) params.type = ElementType::i16;
  params.low = params.min();
  params.high = params.max();
  return params;
}

bool IsLongAtRunTime(const ir::Node& node) {
  return std::ranges::any_of(node.outputs,
                             [](const auto& out) { return out.run_time_extent.has_value(); });
}

float NumberAt(int code, const QuantParams& quant_params) {
  return static_cast<float>(code - quant_params.zero) * static_cast<float>(quant_params.scale);
}

float InverseOf(const QuantParams& quant_params) {
  return static_cast<float>(1 / quant_params.scale);
}

int CodeOf(float number, const QuantParams& quant_params) {
  const float scaled = number * InverseOf(quant_params);
  const auto min = static_cast<float>(quant_params.low - quant_params.zero);
  const auto max = static_cast<float>(quant_params.high - quant_params.zero);
  if (!(scaled > min)) return quant_params.low;  // also for NaN
  return static_cast<int>(std::nearbyint(std::min(scaled, max))) + quant_params.zero;
}

int DividedCodeOf(float number, const QuantParams& quant_params) {
  const float scaled = number / static_cast<float>(quant_params.scale);
  const auto min = static_cast<float>(quant_params.low - quant_params.zero);
  const auto max = static_cast<float>(quant_params.high - quant_params.zero);
  if (!(scaled > min)) return quant_params.low;  // also for NaN
  return static_cast<int>(std::round(std::min(scaled, max))) + quant_params.zero;
}

bool IsOfFloats(const ir::Node& quantiser) { return quantiser.attributes.contains(ir::kTies); }

std::optional<std::vector<int64_t>> CodesOf(const ir::Constant& constant,
                                            const QuantParams& quant_params) {
  if (constant.type.type != ElementType::f32) return std::nullopt;
  QuantParams all = quant_params;
  all.low = all.min();
  all.high = all.max();
  std::vector<int64_t> codes;
  for (const float number : ops::Floats(constant)) {
    const int code = CodeOf(number, all);
    if (NumberAt(code, all) != number) return std::nullopt;
    codes.push_back(code);
  }
  return codes;
}

std::optional<Quantiser> QuantiserOf(const ir::Node& node) {
  const std::optional<Limits> limits = LimitsOf(node);
  if (!limits) return std::nullopt;
  if (node.attributes.contains(ir::kStatedShorts)) {
    std::optional<Quantiser> shorts = ShortQuantiserOf(node);
    if (shorts) shorts->in.type = shorts->out.type = ElementType::i16;
    return shorts;
  }
  return WithStatedScale(node, *limits, QuantiserBetween(*limits, LevelCountOf(node)));
}

std::optional<Quantiser> ShortQuantiserOf(const ir::Node& node) {
  const std::optional<Limits> limits = LimitsOf(node);
  if (!limits) return std::nullopt;
  const int64_t count = LevelCountOf(node);
  if (count <= kByteCount || count > kShortCount) return std::nullopt;
  const auto [low, high, out_low, out_high] = *limits;
  const auto steps = static_cast<double>(count - 1);
  const double scale = (high - low) / steps, out_scale = (out_high - out_low) / steps;
  const std::optional<double> zero = ZeroOf(low, scale, kNearWholeOfShorts);
  const std::optional<double> out_zero = ZeroOf(out_low, out_scale, kNearWholeOfShorts);
  constexpr double kMinShort = -0x8000, kMaxShort = 0x7FFF;
  if (!zero || zero != out_zero || -*zero < kMinShort || steps - *zero > kMaxShort) {
    return std::nullopt;
  }
  const auto first = static_cast<int>(-*zero), last = static_cast<int>(steps - *zero);
  return WithStatedScale(node, *limits,
                         Quantiser{{scale, 0, first, last}, {out_scale, 0, first, last}});
}

std::optional<ChannelQuantParams> ChannelQuantParamsOf(const ir::Node& node, size_t axis) {
  if (!IsCalled(node, "FakeQuantize") || node.constant) return std::nullopt;
  const int64_t count = node.outputs[0].type.dims[axis];
  std::array<std::vector<double>, 4> limits;
  for (size_t i = 0; i < limits.size(); ++i) {
    const std::optional<Repeated> numbers = RepeatedOf(node, i + 1);
    const auto along = numbers ? AlongAxis(*numbers, axis, count) : std::nullopt;
    if (!along) return std::nullopt;
    limits[i] = *along;
  }
  std::optional<ChannelQuantParams> channels;
  for (size_t c = 0; c < static_cast<size_t>(count); ++c) {
    const std::optional<Quantiser> one = QuantiserBetween(
        {limits[0][c], limits[1][c], limits[2][c], limits[3][c]}, LevelCountOf(node));
    if (!one || !one->in.AgreesWith(one->out)) return std::nullopt;
    if (!channels) channels = ChannelQuantParams{one->in, {}};
    const QuantParams& quant_params = channels->quant_params;
    if (one->in.zero != quant_params.zero || one->in.low != quant_params.low ||
        one->in.high != quant_params.high) {
      return std::nullopt;
    }
    channels->scales.push_back(one->in.scale);
  }
  return channels;
}

QuantisedValues::QuantisedValues(const ir::Graph& graph) {
  for (const ir::Node* node : ir::Topological(graph)) {
    if (node->operation != nullptr && !node->constant) Add(graph, *node);
  }
}

const QuantParams* QuantisedValues::Of(const ir::Source& source) const {
  const auto found = quant_params_.find({source.node, source.port});
  return found == quant_params_.end() ? nullptr : &found->second;
}

void QuantisedValues::Add(const ir::Graph& graph, const ir::Node& node) {
  if (IsLongAtRunTime(node)) return;
  const ops::Traits& traits = node.operation->traits;
  if (const std::optional<Quantiser> quantiser = QuantiserOf(node)) {
    quant_params_[{&node, 0}] = quantiser->out;
  } else if (IsCalled(node, "Dequantize")) {
    if (const auto own = QuantParamsOfCodes(node)) quant_params_[{&node, 0}] = *own;
  } else if (traits.converts && node.outputs[0].type.type == ElementType::f32) {
    if (const auto own = QuantParamsOfInput(node.inputs[0])) quant_params_[{&node, 0}] = *own;
  } else if (ops::MovedInputsOf(node).inputs != 0) {
    AddMoved(node);
  } else if (const std::optional<QuantParams> scaled = Scaled(node)) {
    quant_params_[{&node, 0}] = *scaled;
  } else if (const std::optional<ValueBounds> bounds = BoundsOf(node)) {
    // A clamp that excludes no code changes nothing.
    const QuantParams* quant_params = Of(node.inputs[0]);
    if (quant_params == nullptr || bounds->low > NumberAt(quant_params->low, *quant_params)) return;
    if (bounds->high >= NumberAt(quant_params->high, *quant_params))
      quant_params_[{&node, 0}] = *quant_params;
  } else if (!node.inputs.empty()) {
    const QuantParams* quant_params = Of(node.inputs[0]);
    const auto has_codes = [&](const ir::Source& first) { return HasCodes(first, *quant_params); };
    if (quant_params != nullptr && IsQuantisable(graph, node, *quant_params, has_codes))
      quant_params_[{&node, 0}] = *quant_params;
  }
}

// Integers minus an offset, or times a scale, as in DequantizeLinear. The only rounding is that of
// NumberAt.
std::optional<QuantParams> QuantisedValues::Scaled(const ir::Node& node) const {
  const bool is_shift = IsCalled(node, "Subtract");
  if (!is_shift && !IsCalled(node, "Multiply")) return std::nullopt;
  const QuantParams* from = Of(node.inputs[0]);
  const std::optional<double> number = NumberIn(node.inputs[1]);
  if (from == nullptr || from->scale != 1 || !number) return std::nullopt;
  if (is_shift && from->is_short()) return std::nullopt;
  if (node.outputs[0].type != TypeOf(node.inputs[0])) return std::nullopt;
  QuantParams quant_params = *from;
  if (!is_shift) {
    quant_params.scale = *number;
    return IsScale(*number) ? std::optional(quant_params) : std::nullopt;
  }
  if (std::nearbyint(*number) != *number || !IsByte(quant_params.zero + *number))
    return std::nullopt;
  quant_params.zero += static_cast<int>(*number);
  return quant_params;
}

bool QuantisedValues::HasCodes(const ir::Source& source, const QuantParams& quant_params,
                               int depth) const {
  constexpr int kMaxDepth = 8;  // of moves of constants only
  if (const QuantParams* own = Of(source)) return own->AgreesWith(quant_params);
  if (const ir::Constant* constant = ConstantOf(source)) {
    return CodesOf(*constant, quant_params).has_value();
  }
  return depth < kMaxDepth && MovesCodes(*source.node, quant_params, depth + 1);
}

bool QuantisedValues::MovesCodes(const ir::Node& node, const QuantParams& quant_params,
                                 int depth) const {
  const ops::MovedInputs moved = ops::MovedInputsOf(node);
  if (moved.inputs == 0 || IsLongAtRunTime(node)) return false;
  const bool is_shaped = ops::TraitsOf(node).steering == ops::Steering::kShape;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ir::Source& input = node.inputs[i];
    if (!moved.Has(i)) {
      if (is_shaped && ConstantOf(input) == nullptr) return false;
    } else if (TypeOf(input).type != ElementType::f32 || !HasCodes(input, quant_params, depth)) {
      return false;
    }
  }
  // The maximum of no elements is -infinity.
  return !moved.by_value || CountIn(node.inputs[0]) != 0;
}

// Parameters of the first quantised input; constants may have any code.
void QuantisedValues::AddMoved(const ir::Node& node) {
  const ops::MovedInputs moved = ops::MovedInputsOf(node);
  std::optional<QuantParams> all;
  bool has_constants = false;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!moved.Has(i)) continue;
    const QuantParams* one = Of(node.inputs[i]);
    has_constants = has_constants || one == nullptr;
    if (one == nullptr) continue;
    if (!all) all = *one;
    all->low = std::min(all->low, one->low);
    all->high = std::max(all->high, one->high);
  }
  if (!all || !MovesCodes(node, *all, 0)) return;
  if (moved.adds_zeros) {
    all->low = std::min(all->low, all->zero);
    all->high = std::max(all->high, all->zero);
  }
  if (has_constants) {
    all->low = all->min();
    all->high = all->max();
  }
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    if (node.outputs[port].type.type == ElementType::f32) quant_params_[{&node, port}] = *all;
  }
}

}  // namespace weft::graph
