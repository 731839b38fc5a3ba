// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/weight_numbers.h"

#include <set>
#include <span>
#include <utility>

#include "converter/base/narrow.h"
#include "converter/base/scaled_weights.h"
#include "converter/inspect/sections.h"
#include "converter/inspect/weight_copies.h"
#include "kernels/elementwise/convert.h"
#include "kernels/matrix/dense_i4.h"
#include "kernels/matrix/pack.h"
#include "kernels/recurrent/cell.h"

namespace weft::inspect {
namespace {

constexpr size_t kWeightsOperand = 1, kScalesOperand = 2, kZerosOperand = 3;
constexpr size_t kUnits = kernels::kPanelOutputs;

bool IsConstant(const format::Slot* slot) {
  return slot != nullptr && slot->region() == format::kWeightsRegion && slot->move_count() == 0;
}

std::span<const std::byte> BytesOf(const format::Model& model, const format::Slot& slot) {
  const auto* first = reinterpret_cast<const std::byte*>(model.weights()->data());
  return {first + slot.offset_bytes(), slot.bytes()};
}

// The constant as floats; empty if the slot is not a constant.
std::vector<float> WidenedOf(const format::Model& model, const format::Slot& slot) {
  if (!IsConstant(&slot)) return {};
  const std::span<const std::byte> bytes = BytesOf(model, slot);
  std::vector<float> floats(bytes.size() * 8 / format::BitsOf(slot.type()));
  if (floats.empty()) return floats;
  kernels::Convert({Narrow32(floats.size(), "weights"), static_cast<kernels::Element>(slot.type()),
                    kernels::Element::kF32},
                   bytes.data(), floats.data());
  return floats;
}

// Number of gates of a cell, and the layout of its weights.
constexpr uint32_t GatesOf(const format::LstmCellParams&) { return 4; }
constexpr uint32_t GatesOf(const format::GruCellParams&) { return 3; }
constexpr uint32_t GatesOf(const format::GruResetCellParams&) { return 3; }
template <typename Cell>
uint64_t WeightsOf(const Cell& cell) {
  return kernels::CellWeights(GatesOf(cell), cell.inputs(), cell.hidden());
}
uint64_t WeightsOf(const format::GruResetCellParams& cell) {
  return kernels::GruResetWeights(cell.inputs(), cell.hidden());
}
template <typename Cell>
uint64_t WeightAt(const Cell& cell, uint32_t gate, uint32_t unit, uint64_t k) {
  return kernels::CellWeightAt({cell.inputs(), cell.hidden()}, GatesOf(cell), gate, unit, k);
}
uint64_t WeightAt(const format::GruResetCellParams& cell, uint32_t gate, uint32_t unit,
                  uint64_t k) {
  return kernels::GruResetWeightAt({cell.inputs(), cell.hidden()}, gate, unit, k);
}

// Reorders a cell's weights to the panels of two products, of the input and of the state:
// [panel][input][16].
template <typename Cell>
std::vector<float> PanelsOfCell(const Cell& cell, const std::vector<float>& from) {
  const kernels::CellShape shape = {cell.inputs(), cell.hidden()};
  const uint32_t gates = GatesOf(cell);
  if (from.size() < WeightsOf(cell)) return {};
  std::vector<float> panels;
  uint32_t first = 0;
  for (const uint32_t count : {shape.inputs, shape.hidden}) {
    const size_t begin = panels.size();
    panels.resize(begin + kernels::PackedDenseFloats(gates * shape.hidden, count));
    for (uint32_t output = 0; output < gates * shape.hidden; ++output) {
      const uint32_t gate = output / shape.hidden, unit = output % shape.hidden;
      for (uint32_t k = 0; k < count; ++k) {
        panels[begin + (output / kUnits * count + k) * kUnits + output % kUnits] =
            from[WeightAt(cell, gate, unit, first + k)];
      }
    }
    first += count;
  }
  return panels;
}

// Dimensions of a product with packed integers.
struct PackedShape {
  size_t groups, outputs, inputs, scales;  // `outputs` to `scales` are per group
};
constexpr size_t InPanels(size_t outputs) { return (outputs + kUnits - 1) / kUnits * kUnits; }
PackedShape ShapeOf(const format::DenseI8Params& dense) {
  return {1, dense.outputs(), dense.inputs(), InPanels(dense.outputs())};
}
PackedShape ShapeOf(const format::DenseQ8Params& dense) {
  return {1, dense.outputs(), dense.inputs(), dense.outputs()};
}
PackedShape ShapeOf(const format::ConvI8Params& conv) {
  return {conv.groups(), conv.out_channels(),
          size_t{conv.in_channels()} * conv.kernel_height() * conv.kernel_width(),
          InPanels(conv.out_channels())};
}
PackedShape ShapeOf(const format::ConvQ8Params& conv) {
  return {conv.groups(), conv.out_channels(),
          size_t{conv.in_channels()} * conv.kernel_height() * conv.kernel_width(),
          conv.out_channels()};
}

// Converts integers of groups (PackDenseI8) to floats [group][panel][input][16].
std::vector<float> PanelsOfIntegers(const PackedShape& shape, const std::vector<float>& integers,
                                    const std::vector<float>& scales) {
  const uint32_t inputs = Narrow32(shape.inputs, "inputs");
  const uint32_t outputs = Narrow32(shape.outputs, "outputs");
  const size_t panels = kernels::PanelCount(outputs);
  const size_t group_bytes = kernels::PackedDenseI8Bytes(outputs, inputs);
  std::vector<float> floats(shape.groups * panels * shape.inputs * kUnits);
  if (integers.size() < shape.groups * group_bytes || scales.size() < shape.groups * shape.scales) {
    return {};
  }
  for (size_t i = 0; i < floats.size(); ++i) {
    const size_t unit = i % kUnits, k = i / kUnits % shape.inputs;
    const size_t panel = i / kUnits / shape.inputs, output = panel % panels * kUnits + unit;
    if (output >= shape.outputs) continue;
    const size_t group = panel / panels;
    const size_t at = group * group_bytes + kernels::PositionInI8(outputs, inputs, output, k);
    floats[i] = integers[at] * scales[group * shape.scales + output];
  }
  return floats;
}

// Converts integers [tap][channels in blocks of 16] to floats of the same layout. Empty `zeros` are
// 0.
std::vector<float> TapsOfIntegers(size_t channels, std::vector<float> numbers,
                                  const std::vector<float>& scales,
                                  const std::vector<float>& zeros = {}) {
  const size_t padded = InPanels(channels);
  if (scales.size() < channels || (!zeros.empty() && zeros.size() < channels)) return {};
  for (size_t i = 0; i < numbers.size(); ++i) {
    const size_t channel = i % padded;
    if (channel >= channels) continue;
    if (!zeros.empty()) numbers[i] -= zeros[channel];
    numbers[i] *= scales[channel];
  }
  return numbers;
}

// Likewise for integers of 4 bits (pack.h) with groups of inputs. Empty `zeros` are 8.
std::vector<float> PanelsOfNibbles(const format::DenseI4Params& dense,
                                   const std::vector<float>& integers,
                                   const std::vector<float>& scales,
                                   const std::vector<float>& zeros) {
  constexpr float kMiddle = 8;
  constexpr size_t kHalf = kUnits / 2;
  const size_t inputs = dense.inputs(), padded = kernels::PaddedInputs(dense.inputs());
  const size_t panel_count = kernels::PanelCount(dense.outputs());
  const size_t group = kernels::GroupInputs(dense.inputs(), dense.group_blocks());
  const size_t groups = kernels::GroupCount(dense.inputs(), dense.group_blocks());
  const size_t scale_count = panel_count * kUnits * groups;
  std::vector<float> panels(kernels::PackedDenseFloats(dense.outputs(), dense.inputs()));
  if (integers.size() < panel_count * kUnits * padded || scales.size() < scale_count ||
      (!zeros.empty() && zeros.size() < scale_count)) {
    return {};
  }
  for (size_t panel = 0; panel < panel_count; ++panel) {
    for (size_t k = 0; k < inputs; ++k) {
      const size_t block = k / kernels::kInputBlock, location = k % kernels::kInputBlock;
      for (size_t i = 0; i < kUnits; ++i) {
        const size_t byte =
            panel * kHalf * padded + (block * kHalf + i % kHalf) * kernels::kInputBlock + location;
        const size_t at = (panel * groups + k / group) * kUnits + i;
        const float zero = zeros.empty() ? kMiddle : zeros[at];
        panels[(panel * inputs + k) * kUnits + i] =
            (integers[2 * byte + i / kHalf] - zero) * scales[at];
      }
    }
  }
  return panels;
}

// The weights of a step with operands `slots`.
template <typename Params>
std::vector<float> NumbersOf(const format::Model& model, const Params& params,
                             const std::vector<const format::Slot*>& slots) {
  if constexpr (requires { params.weights(); }) {
    const format::Slot& slot = *slots[kWeightsOperand];
    std::vector<float> floats;
    if constexpr (requires { ScaledPartsOf(params); }) {
      if (slot.type() == format::ElementType::i8 && IsConstant(&slot)) {
        floats = WidenScaled(BytesOf(model, slot), ScaledPartsOf(params));
      }
    }
    if (floats.empty()) floats = WidenedOf(model, slot);
    if constexpr (requires { params.hidden(); }) return PanelsOfCell(params, floats);
    return floats;
  } else if constexpr (requires { ShapeOf(params); }) {
    return PanelsOfIntegers(ShapeOf(params), WidenedOf(model, *slots[kWeightsOperand]),
                            WidenedOf(model, *slots[kScalesOperand]));
  } else if constexpr (std::is_same_v<Params, format::DepthwiseQ8Params>) {
    return TapsOfIntegers(params.channels(), WidenedOf(model, *slots[kWeightsOperand]),
                          WidenedOf(model, *slots[kScalesOperand]));
  } else if constexpr (std::is_same_v<Params, format::DepthwiseI8Params>) {
    const format::Slot* zeros = slots[kZerosOperand];
    return TapsOfIntegers(params.channels(), WidenedOf(model, *slots[kWeightsOperand]),
                          WidenedOf(model, *slots[kScalesOperand]),
                          zeros == nullptr ? std::vector<float>() : WidenedOf(model, *zeros));
  } else if constexpr (std::is_same_v<Params, format::DenseI4Params>) {
    const format::Slot* const zeros = slots[kZerosOperand];
    return PanelsOfNibbles(params, WidenedOf(model, *slots[kWeightsOperand]),
                           WidenedOf(model, *slots[kScalesOperand]),
                           zeros == nullptr ? std::vector<float>() : WidenedOf(model, *zeros));
  } else {
    return {};
  }
}

// Returns true for quantised products, whose scales include the scales of their input and output.
bool HasOwnUnit(const format::Step& step) {
  switch (static_cast<format::Kind>(step.kind())) {
    case format::Kind::dense_q8:
    case format::Kind::conv_q8:
    case format::Kind::depthwise_q8:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::map<std::string, LayerConstants> ConstantsByLayer(const format::Model& model) {
  std::map<std::string, LayerConstants> layers;
  std::set<std::pair<std::string, uint32_t>> counted;  // layer, and offset of a constant
  const auto steps = format::RowsOf(model.steps());
  const auto operands = format::RowsOf(model.operands());
  const CopiedWeights copies(model);
  std::vector<format::Slot> all_slots;
  for (const format::Slot& slot : format::RowsOf(model.slots())) {
    all_slots.push_back(copies.InFile(slot));
  }
  for (uint32_t i = 0; i < steps.count; ++i) {
    const std::string layer = LayerOf(model, i);
    if (layer.empty() || steps[i].kind() == 0) continue;
    std::vector<const format::Slot*> slots;
    for (uint32_t k = 0; k < format::kArity[steps[i].kind()].operands(); ++k) {
      const uint32_t slot = operands[steps[i].first_operand() + k];
      slots.push_back(slot == format::kNoSlot ? nullptr : &all_slots[slot]);
    }
    LayerConstants& constants = layers[layer];
    bool has_new_weights = false;
    for (size_t k = 0; k < slots.size(); ++k) {
      if (!IsConstant(slots[k])) continue;
      if (!counted.emplace(layer, slots[k]->offset_bytes()).second) continue;
      constants.bytes += slots[k]->bytes();
      has_new_weights = has_new_weights || k == kWeightsOperand;
    }
    if (!has_new_weights) continue;
    std::vector<float> numbers;
    VisitParams(model, steps[i],
                [&](const auto& params) { numbers = NumbersOf(model, params, slots); });
    if (numbers.empty()) continue;
    constants.type = format::EnumNameElementType(slots[kWeightsOperand]->type());
    constants.has_own_unit = HasOwnUnit(steps[i]);
    if (constants.has_own_unit) constants.numbers.clear();  // two steps may have different factors
    constants.numbers.insert(constants.numbers.end(), numbers.begin(), numbers.end());
  }
  return layers;
}

}  // namespace weft::inspect
