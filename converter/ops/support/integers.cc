// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/integers.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/ir/edit.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/pointwise.h"

namespace weft::ops {
namespace {

// A copy of the scope's node in which i32 replaces the type `narrow`. It is not part of the graph;
// its values are among the scope's values until it is destroyed.
class WideNode {
 public:
  WideNode(LowerScope& scope, ElementType narrow) : scope_(scope), narrow_(narrow) {
    node_ = std::move(*ir::CopyOf(scope.node()));
    for (ir::OutputPort& output : node_.outputs) Widen(output.type);
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      if (scope.input_element(i) == narrow) WidenInput(i);
    }
  }
  WideNode(const WideNode&) = delete;
  WideNode& operator=(const WideNode&) = delete;

  ~WideNode() {
    Forget(node_);
    for (const ir::Node& source : sources_) Forget(source);
  }

  void Lower(const std::function<void(LowerScope&)>& lower) {
    LowerScope wide(scope_.graph(), node_, scope_.faults(), scope_.builder, scope_.values());
    wide.KeepAllOutputs();
    lower(wide);
    if (wide.failed()) return scope_.MarkFailed();
    for (uint32_t port = 0; port < node_.outputs.size(); ++port) HandOver(port);
  }

 private:
  void Widen(TensorType& type) const {
    if (type.type == narrow_) type.type = ElementType::i32;
  }

  void WidenInput(size_t i) {
    ir::Node& source = sources_.emplace_back();
    ir::Source& input = node_.inputs[i];
    source.outputs = {input.node->outputs[input.port]};
    Widen(source.outputs[0].type);
    if (const std::optional<Dims> numbers = scope_.Ints(i)) {
      SetConstant(source, *numbers);
    } else {
      scope_.values()[{&source, 0}] = Converted(scope_.builder, scope_.input(i), ElementType::i32);
    }
    input = {&source, 0};
  }

  void Forget(const ir::Node& node) {
    LowerScope::Values& values = scope_.values();
    values.erase(values.lower_bound({&node, 0}),
                 values.upper_bound({&node, LowerScope::kLengthPort}));
  }

  static void SetConstant(ir::Node& source, const Dims& numbers) {
    auto words = std::make_shared<std::vector<int32_t>>();
    for (const int64_t number : numbers) words->push_back(Narrow<int32_t>(number, "number"));
    source.constant = ir::Constant{source.outputs[0].type, words, std::as_bytes(std::span(*words))};
  }

  void HandOver(uint32_t port) {
    const auto made = scope_.values().find({&node_, port});
    if (made == scope_.values().end()) return;
    const program::ValueId wide = made->second;
    if (scope_.output_type(port).type != narrow_) return scope_.SetOutput(port, wide);
    EmitConvert(scope_.builder, wide, scope_.NewOutput(port));
  }

  LowerScope& scope_;
  const ElementType narrow_;
  std::deque<ir::Node> sources_;  // stable addresses: values are keyed by them
  ir::Node node_;
};

}  // namespace

bool IsNarrowInteger(ElementType type) {
  return std::ranges::find(kNarrowIntegers, type) != kNarrowIntegers.end();
}

bool CheckNumeric(InferScope& scope, std::span<const size_t> operands) {
  return CheckElements(scope, operands,
                       {ElementType::f32, ElementType::i8, ElementType::u8, ElementType::i16,
                        ElementType::i32, ElementType::i64});
}

bool CheckIntegers(InferScope& scope, std::span<const size_t> operands) {
  return CheckElements(
      scope, operands,
      {ElementType::i8, ElementType::u8, ElementType::i16, ElementType::i32, ElementType::i64});
}

void LowerInI32(LowerScope& scope, std::initializer_list<ElementType> narrow,
                const std::function<void(LowerScope&)>& lower) {
  const ElementType type = scope.input_element(0);
  if (std::ranges::find(narrow, type) == narrow.end()) return lower(scope);
  WideNode(scope, type).Lower(lower);
}

}  // namespace weft::ops
