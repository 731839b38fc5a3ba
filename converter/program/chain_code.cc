// SPDX-License-Identifier: Apache-2.0
#include "converter/program/chain_code.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <utility>
#include <variant>

#include "converter/base/narrow.h"
#include "converter/program/builder.h"
#include "converter/program/fuse_tail.h"
#include "converter/program/strided_reads.h"
#include "kernels/elementwise/chain.h"

namespace weft::program {
namespace {

using kernels::ChainInstruction;

// A step as an instruction: the traversal of its operands, and its operation.
struct IteratedStep {
  Dims dims;
  std::vector<Dims> strides;  // of each operand
  uint8_t op = 0;
  float alpha = 0, beta = 0;
};

IteratedStep StridesOf(const Step& step) {
  if (const auto* unary = std::get_if<format::UnaryParams>(&step.params)) {
    const format::Activation& activation = unary->activation();
    const auto op = Narrow<uint8_t>(static_cast<int>(activation.op()), "op");
    return {{int64_t{unary->count()}}, {{1}}, op, activation.alpha(), activation.beta()};
  }
  const auto& binary = std::get<format::BinaryParams>(step.params);
  const int op = kernels::kChainBinary + static_cast<int>(binary.op());
  return {Listed(binary.dims(), binary.rank()),
          {Listed(binary.a_strides(), binary.rank()), Listed(binary.b_strides(), binary.rank())},
          Narrow<uint8_t>(op, "op")};
}

// Source of an operand of an instruction.
struct ChainOperand {
  enum class From : uint8_t { kInput, kMember, kNumber };
  From from = From::kInput;
  size_t index = 0;
};

class ChainCoder {
 public:
  ChainCoder(const Program& program, const std::vector<const Step*>& members)
      : program_(program), members_(members) {
    for (const Step* member : members) iterated_.push_back(StridesOf(*member));
  }

  std::optional<Step> Run() {
    const bool fits = members_.size() <= kernels::kChainInstructions && FindAxes() &&
                      FindOperands() && JoinAxes() && PositionNumbers() && PlaceRegisters();
    if (!fits) return std::nullopt;
    Step step = *members_.back();
    step.params = params_;
    step.inputs.assign(kernels::kChainInputs, kNone);
    std::ranges::copy(inputs_, step.inputs.begin());
    return step;
  }

 private:
  bool FindAxes();
  bool FindOperands();
  std::optional<ChainOperand> OperandOf(ValueId value, const Dims& dims, const Dims& strides);
  std::optional<float> NumberOf(const Location& location, const Dims& strides) const;
  bool JoinAxes();
  bool PositionNumbers();
  bool PlaceRegisters();
  uint8_t Code(const ChainOperand& operand, const std::vector<uint8_t>& registers) const;

  const Program& program_;
  const std::vector<const Step*>& members_;
  std::vector<IteratedStep> iterated_;
  Dims axes_;                       // common refinement of the axes of all members
  std::map<ValueId, size_t> made_;  // member by the root that it writes
  std::vector<std::vector<ChainOperand>> operands_;
  std::vector<ValueId> inputs_;
  std::vector<Dims> strides_;  // of each input, over axes_
  std::vector<float> constants_;
  std::vector<uint8_t> pairs_;  // by member: index of its alpha and beta
  format::ChainParams params_;
};

bool ChainCoder::FindAxes() {
  axes_ = WithoutOnes(iterated_.back().dims);
  for (const IteratedStep& iterated : iterated_) {
    if (ElementCount(iterated.dims) != ElementCount(axes_)) return false;
    const std::optional<Dims> common = CommonAxes(axes_, WithoutOnes(iterated.dims));
    if (!common) return false;
    axes_ = *common;
  }
  return true;
}

// Returns the float of an operand that is a single constant.
std::optional<float> ChainCoder::NumberOf(const Location& location, const Dims& strides) const {
  const Value& root = program_.values[location.root];
  const bool is_one = std::ranges::all_of(strides, [](int64_t stride) { return stride == 0; });
  if (root.storage != Storage::kWeights || !location.moves.empty() || !is_one) return std::nullopt;
  float number;
  std::memcpy(&number, root.data->data() + location.offset_bytes, sizeof number);
  return number;
}

std::optional<ChainOperand> ChainCoder::OperandOf(ValueId value, const Dims& dims,
                                                  const Dims& strides) {
  const std::optional<Dims> over = StridesOver(dims, strides, axes_);
  if (!over) return std::nullopt;
  const Location location = Resolve(program_, value);
  if (const auto made = made_.find(location.root); made != made_.end()) {
    if (*over != DenseStrides(axes_)) return std::nullopt;
    return ChainOperand{ChainOperand::From::kMember, made->second};
  }
  if (const std::optional<float> number = NumberOf(location, *over)) {
    const auto is_it = [&](float other) {
      return std::bit_cast<uint32_t>(other) == std::bit_cast<uint32_t>(*number);
    };
    const auto found = std::ranges::find_if(constants_, is_it);
    const auto index = static_cast<size_t>(found - constants_.begin());
    if (found == constants_.end()) constants_.push_back(*number);
    return ChainOperand{ChainOperand::From::kNumber, index};
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (strides_[i] == *over && Resolve(program_, inputs_[i]) == location) {
      return ChainOperand{ChainOperand::From::kInput, i};
    }
  }
  inputs_.push_back(value);
  strides_.push_back(*over);
  return ChainOperand{ChainOperand::From::kInput, inputs_.size() - 1};
}

bool ChainCoder::FindOperands() {
  for (size_t m = 0; m < members_.size(); ++m) {
    std::vector<ChainOperand>& operands = operands_.emplace_back();
    for (size_t i = 0; i < iterated_[m].strides.size(); ++i) {
      const auto operand =
          OperandOf(members_[m]->inputs[i], iterated_[m].dims, iterated_[m].strides[i]);
      if (!operand) return false;
      operands.push_back(*operand);
    }
    made_[Resolve(program_, members_[m]->outputs[0]).root] = m;
  }
  return !inputs_.empty() && inputs_.size() <= kernels::kChainInputs &&
         constants_.size() <= kernels::kChainNumbers;
}

// Merges adjacent axes that every input traverses as one.
bool ChainCoder::JoinAxes() {
  for (size_t axis = axes_.size(); axis-- > 1;) {
    const bool is_one = std::ranges::all_of(strides_, [&](const Dims& strides) {
      return strides[axis - 1] == strides[axis] * axes_[axis];
    });
    if (!is_one) continue;
    axes_[axis - 1] *= axes_[axis];
    axes_.erase(axes_.begin() + static_cast<ptrdiff_t>(axis));
    for (Dims& strides : strides_) {
      strides.erase(strides.begin() + static_cast<ptrdiff_t>(axis) - 1);
    }
  }
  if (axes_.size() > kernels::kChainRank) return false;
  params_.mutate_rank(Narrow32(axes_.size(), "rank"));
  uint32_t staged = 0;
  for (uint16_t d = 0; d < axes_.size(); ++d) {
    params_.mutable_dims()->Mutate(d, Narrow32(axes_[d], "extent"));
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (strides_[i] != DenseStrides(axes_)) staged |= 1u << i;
    for (size_t d = 0; d < axes_.size(); ++d) {
      params_.mutable_strides()->Mutate(
          Narrow<uint16_t>(i * kernels::kChainRank + d, "stride's index"),
          Narrow32(strides_[i][d], "stride"));
    }
  }
  params_.mutate_staged(Narrow<uint8_t>(staged, "staged inputs"));
  return true;
}

// Constants come first, then each pair of alpha and beta; a pair of zeros is at the end.
bool ChainCoder::PositionNumbers() {
  std::array<float, kernels::kChainNumbers> numbers = {};
  std::ranges::copy(constants_, numbers.begin());
  constexpr size_t kZeros = kernels::kChainNumbers - 2;
  size_t used = constants_.size();
  bool needs_zeros = false;
  for (const IteratedStep& iterated : iterated_) {
    const std::array pair = {std::bit_cast<uint32_t>(iterated.alpha),
                             std::bit_cast<uint32_t>(iterated.beta)};
    size_t at = kZeros;
    if (iterated.op < kernels::kChainBinary && pair != std::array<uint32_t, 2>{}) {
      for (at = constants_.size(); at < used; at += 2) {
        if (std::memcmp(&numbers[at], pair.data(), sizeof pair) == 0) break;
      }
      if (at + 2 > numbers.size()) return false;
      std::memcpy(&numbers[at], pair.data(), sizeof pair);
      used = std::max(used, at + 2);
    } else if (iterated.op < kernels::kChainBinary) {
      needs_zeros = true;
    }
    pairs_.push_back(Narrow<uint8_t>(at, "number"));
  }
  if (needs_zeros && used > kZeros) return false;
  for (uint16_t i = 0; i < numbers.size(); ++i) params_.mutable_numbers()->Mutate(i, numbers[i]);
  params_.mutate_constants(Narrow<uint8_t>(constants_.size(), "constants"));
  return true;
}

uint8_t ChainCoder::Code(const ChainOperand& operand, const std::vector<uint8_t>& registers) const {
  const size_t written = size_t{params_.registers()} - params_.constants();
  switch (operand.from) {
    case ChainOperand::From::kInput:
      return Narrow<uint8_t>(operand.index, "input");
    case ChainOperand::From::kMember:
      return Narrow<uint8_t>(kernels::kChainInputs + registers[operand.index], "register");
    case ChainOperand::From::kNumber:
      return Narrow<uint8_t>(kernels::kChainInputs + written + operand.index, "register");
  }
  return 0;
}

// A register is free again for the result of the last instruction that reads it.
bool ChainCoder::PlaceRegisters() {
  std::vector<size_t> last_readers(members_.size());
  for (size_t m = 0; m < members_.size(); ++m) {
    for (const ChainOperand& operand : operands_[m]) {
      if (operand.from == ChainOperand::From::kMember) last_readers[operand.index] = m;
    }
  }
  std::vector<uint8_t> registers(members_.size());
  size_t written = 0;
  for (size_t m = 0; m + 1 < members_.size(); ++m) {
    const auto is_free = [&](size_t number) {
      for (size_t other = 0; other < m; ++other) {
        if (registers[other] == number && last_readers[other] > m) return false;
      }
      return true;
    };
    size_t number = 0;
    while (!is_free(number)) ++number;
    registers[m] = Narrow<uint8_t>(number, "register");
    written = std::max(written, number + 1);
  }
  const size_t all = written + constants_.size();
  const auto staged = static_cast<size_t>(std::popcount(params_.staged()));
  if (all + staged > kernels::kChainRegisters) return false;
  params_.mutate_registers(Narrow<uint8_t>(all, "registers"));
  params_.mutate_instructions(Narrow<uint8_t>(members_.size(), "instructions"));
  for (size_t m = 0; m < members_.size(); ++m) {
    const bool is_unary = operands_[m].size() == 1;
    const ChainInstruction instruction = {iterated_[m].op, Code(operands_[m][0], registers),
                                          is_unary ? pairs_[m] : Code(operands_[m][1], registers),
                                          registers[m]};
    std::memcpy(params_.mutable_code()->Data() + m * sizeof instruction, &instruction,
                sizeof instruction);
  }
  return true;
}

}  // namespace

bool MayBeInstruction(const Step& step) {
  if (const auto* unary = std::get_if<format::UnaryParams>(&step.params)) {
    return unary->type() == ElementType::f32 && unary->activation().clip() == 0;
  }
  const auto* binary = std::get_if<format::BinaryParams>(&step.params);
  return binary != nullptr && binary->type() == ElementType::f32;
}

std::optional<Step> ChainOf(const Program& program, const std::vector<const Step*>& members) {
  return ChainCoder(program, members).Run();
}

}  // namespace weft::program
