// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/fold_quantisation.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/moved_inputs.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/packed.h"
#include "kernels/elementwise/convert.h"

namespace weft::graph {
namespace {

template <typename T>
std::vector<T> ElementsOf(const std::vector<std::byte>& bytes) {
  std::vector<T> elements(bytes.size() / sizeof(T));
  if (!elements.empty()) std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(T));
  return elements;
}

bool IsHalf(ElementType type) { return type == ElementType::f16 || type == ElementType::bf16; }

// The elements of an f32, f16 or bf16 tensor.
std::vector<float> FloatsIn(const std::vector<std::byte>& bytes, ElementType type) {
  if (!IsHalf(type)) return ElementsOf<float>(bytes);
  std::vector<float> floats(bytes.size() / sizeof(uint16_t));
  const kernels::ConvertShape shape = {Narrow32(floats.size(), "elements"),
                                       static_cast<kernels::Element>(type), kernels::Element::kF32};
  kernels::Convert(shape, bytes.data(), floats.data());
  return floats;
}

// Replaces inputs of a node by constants of the same type until it is destroyed.
class ReplacedInputs {
 public:
  explicit ReplacedInputs(ir::Node& node) : node_(node), before_(node.inputs) {}
  ~ReplacedInputs() { node_.inputs = std::move(before_); }
  ReplacedInputs(const ReplacedInputs&) = delete;
  ReplacedInputs& operator=(const ReplacedInputs&) = delete;

  // T has the size of an element.
  template <typename T>
  void Set(size_t input, std::vector<T> elements) {
    ir::Source& source = node_.inputs[input];
    auto owned = std::make_shared<const std::vector<T>>(std::move(elements));
    constants_.push_back(
        MakeConstant(node_, {TypeOf(source), owned, std::as_bytes(std::span(*owned))}));
    constants_.back()->outputs[0] = source.node->outputs[source.port];
    source = {constants_.back().get(), 0};
  }

 private:
  ir::Node& node_;
  std::vector<ir::Source> before_;
  std::vector<std::unique_ptr<ir::Node>> constants_;
};

const Quantisation* QuantisationIn(const ir::Source& source) {
  return source.node->constant ? source.node->constant->quantisation.get() : nullptr;
}

bool IsOfIntegers(const ir::Node& node) {
  if (node.inputs.empty()) return false;
  const ir::Source& first = node.inputs[0];
  const ElementType type = TypeOf(first).type;
  return type == ElementType::i8 || type == ElementType::u8 || type == ElementType::i4 ||
         type == ElementType::u4 || std::ranges::any_of(node.inputs, QuantisationIn);
}

class Propagation {
 public:
  Propagation(ir::Node& node, const NodeOutputs& outputs, const std::function<NodeOutputs()>& run)
      : node_(node), outputs_(outputs), run_(run), quantisations_(outputs.size()) {}

  std::vector<QuantisationPtr> Run() {
    if (IsQuantiser()) {
      SetQuantiser();
    } else if (IsOfIntegers(node_)) {
      if (ops::TraitsOf(node_).converts) SetConverted();
      SetCopies();
      SetIntegers();
      for (size_t i = 0; i < node_.inputs.size(); ++i) SetMultiples(i);
    }
    return std::move(quantisations_);
  }

 private:
  ElementType TypeAt(size_t port) const { return node_.outputs[port].type.type; }
  bool IsFloat(size_t port) const {
    return TypeAt(port) == ElementType::f32 || IsHalf(TypeAt(port));
  }
  bool HasF32(size_t input) const { return TypeOf(node_.inputs[input]).type == ElementType::f32; }
  bool IsQuantiser() const { return IsCalled(node_, "FakeQuantize"); }

  std::vector<float> NumbersAt(size_t port) const { return FloatsIn(outputs_[port], TypeAt(port)); }
  void Set(size_t port, std::vector<float> scales) {
    const std::vector<float> numbers = NumbersAt(port);
    if (quantisations_[port] != nullptr || scales.size() != numbers.size()) return;
    quantisations_[port] = QuantisationOf(numbers, std::move(scales));
  }

  // The numbers are equal unless another type rounds them.
  void SetConverted() {
    const Quantisation* from = QuantisationIn(node_.inputs[0]);
    if (from != nullptr && IsFloat(0)) Set(0, from->scales());
  }

  // Integers are their own codes.
  void SetIntegers() {
    for (size_t port = 0; port < outputs_.size(); ++port) {
      if (!IsFloat(port) || quantisations_[port] != nullptr) continue;
      quantisations_[port] = QuantisationOf(NumbersAt(port), 1.0f);
    }
  }

  // Runs the node on the scales of the elements instead of the elements.
  void SetCopies() {
    ReplacedInputs replaced(node_);
    const ops::MovedInputs moved = ops::MovedInputsOf(node_);
    if (moved.inputs == 0 || moved.by_value || moved.adds_zeros) return;
    for (size_t input = 0; input < node_.inputs.size(); ++input) {
      if (!moved.Has(input)) continue;
      const Quantisation* from = QuantisationIn(node_.inputs[input]);
      if (from == nullptr || !HasF32(input)) return;
      replaced.Set(input, from->scales());
    }
    SetResultsAsScales();
  }

  // Runs the node on the scales of input `i`: if the operation is linear, the results are the
  // scales of the outputs.
  void SetMultiples(size_t i) {
    const Quantisation* from = QuantisationIn(node_.inputs[i]);
    if (from == nullptr || !HasF32(i) || quantisations_[0] != nullptr) return;
    if (!ops::TraitsOf(node_).pointwise) return;
    ReplacedInputs replaced(node_);
    replaced.Set(i, from->scales());
    SetResultsAsScales();
  }

  // Runs a quantiser from [0, levels - 1] to as many output steps on ones: each result is a scale.
  void SetQuantiser() {
    const float steps = std::strtof(node_.attributes.at("levels").c_str(), nullptr) - 1;
    const ir::Constant &low = *node_.inputs[3].node->constant,
                       &high = *node_.inputs[4].node->constant;
    if (steps > kMaxCode || low.bytes.size() != high.bytes.size()) return;
    const std::vector<float> from = ops::Floats(low);
    std::vector<float> span = ops::Floats(high);
    for (size_t i = 0; i < span.size(); ++i) span[i] -= from[i];
    ReplacedInputs replaced(node_);
    const auto fill = [&](size_t input, float number) {
      const size_t bytes = node_.inputs[input].node->constant->bytes.size();
      replaced.Set(input, std::vector<float>(bytes / sizeof(float), number));
    };
    fill(0, 1);
    fill(1, 0);
    fill(2, steps);
    fill(3, 0);
    replaced.Set(4, std::move(span));
    SetResultsAsScales();
  }

  void SetResultsAsScales() {
    const NodeOutputs scales = run_();
    for (size_t port = 0; port < scales.size(); ++port) {
      if (IsFloat(port)) Set(port, FloatsIn(scales[port], TypeAt(port)));
    }
  }

  ir::Node& node_;
  const NodeOutputs& outputs_;
  const std::function<NodeOutputs()>& run_;
  std::vector<QuantisationPtr> quantisations_;
};

}  // namespace

std::vector<QuantisationPtr> QuantisationsOf(ir::Node& node, const NodeOutputs& outputs,
                                             const std::function<NodeOutputs()>& run) {
  return Propagation(node, outputs, run).Run();
}

}  // namespace weft::graph
