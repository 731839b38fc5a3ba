// SPDX-License-Identifier: Apache-2.0
#include "converter/program/fuse_tail.h"

#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/program/block_access.h"
#include "converter/program/builder.h"
#include "converter/program/window_rows.h"

namespace weft::program {
namespace {

constexpr size_t kX = 0, kStart = 2;  // operands of the matrix steps

// True if the column `tail` of ops.inc is set.
template <typename Params>
constexpr bool kTakesTail = false;
#define WEFT_STEP(name, Name, operands, multiply_adds, moved_bytes, tail, ...) \
  template <>                                                                  \
  constexpr bool kTakesTail<format::Name##Params> = tail;
#include "runtime/format/ops.inc"
#undef WEFT_STEP

// Common form of matrix steps: results as [outer, outputs, inner], with one number added per
// output. Only dense (inner 1) can also add a different row for each outer index.
struct MatrixShape {
  int64_t outer, outputs, inner;
  bool is_dense;
};

// Each step whose row of ops.inc allows a tail needs one of these overloads.
std::optional<MatrixShape> ShapeOf(const format::DenseParams& dense) {
  if (dense.y_row_stride() != dense.outputs()) return std::nullopt;
  return MatrixShape{dense.rows(), dense.outputs(), 1, true};
}
// Shape of results in a map that is contiguous in one of the two axis orders.
template <IsOneOf<format::ConvParams, format::DepthwiseParams> P>
std::optional<MatrixShape> ShapeOf(const P& p) {
  const int64_t batch = p.batch(), height = p.out_height(), width = p.out_width();
  const int64_t channels = OutputChannels(p);
  const format::MapStrides& y = p.y();
  if (AreDense({batch, channels, height, width}, {y.image(), y.channel(), y.row(), y.pixel()})) {
    return MatrixShape{batch, channels, height * width, false};
  }
  if (AreDense({batch, height, width, channels}, {y.image(), y.row(), y.pixel(), y.channel()})) {
    return MatrixShape{batch * height * width, channels, 1, false};
  }
  return std::nullopt;
}
std::optional<MatrixShape> ShapeOf(const Step& step) {
  std::optional<MatrixShape> shape = std::visit(
      [](const auto& params) -> std::optional<MatrixShape> {
        if constexpr (kTakesTail<std::decay_t<decltype(params)>>) return ShapeOf(params);
        return std::nullopt;
      },
      step.params);
  if (shape && step.is_one_position) shape->is_dense = false;
  return shape;
}

// Activation of a matrix step with contiguous results, or of a quantised product with float
// results; null for other steps.
format::Activation* ActivationOf(Step& step) {
  return std::visit(
      [](auto& params) -> format::Activation* {
        if constexpr (kTakesTail<std::decay_t<decltype(params)>>) {
          return ShapeOf(params) ? &params.mutable_activation() : nullptr;
        } else if constexpr (requires { params.activation(), params.codes(); }) {
          const bool is_float = params.codes().results() == format::Results::f32;
          return is_float ? &params.mutable_activation() : nullptr;
        }
        return nullptr;
      },
      step.params);
}

bool IsNothing(const format::Activation& activation) {
  return activation.op() == format::UnaryOp::identity && activation.clip() == 0;
}

// Returns one activation equal to `first` followed by `second`; nullopt if there is none.
std::optional<format::Activation> Compose(const format::Activation& first,
                                          const format::Activation& second) {
  if (IsNothing(first)) return second;
  const bool clips = first.op() == format::UnaryOp::clamp && first.clip() == 0 &&
                     first.beta() > 0 && first.alpha() == -first.beta();
  if (!clips || second.clip() != 0) return std::nullopt;
  return format::Activation(second.alpha(), second.beta(), first.beta(), second.op(), 0, 0);
}

// An operand that can be added: one number per output, or one row of numbers per outer index.
struct Addend {
  ValueId value = kNone;
  int64_t row_stride = 0;
};

Addend StartOf(const Step& step) {
  const auto* dense = std::get_if<format::DenseParams>(&step.params);
  return {step.inputs[kStart], dense != nullptr ? dense->start_row_stride() : 0};
}

void SetStart(Step& step, const Addend& addend) {
  step.inputs[kStart] = addend.value;
  if (auto* dense = std::get_if<format::DenseParams>(&step.params)) {
    dense->mutate_start_row_stride(Narrow32(addend.row_stride, "start row stride"));
  }
}

// A block, and whether it is inside a loop.
struct EnclosingBlock {
  BlockId block = 0;
  bool in_loop = false;
};

// The accumulation order must not depend on the number of time steps. Only a loop body has the same
// number of steps in every version of a model. Elsewhere a product can start only from one constant
// per output. For one time step a residual, a row that is added to every step and the second of two
// products have equal dims; for several time steps they do not.
class TailFusion {
 public:
  TailFusion(Builder& constants, EnclosingBlock location, const std::set<ValueId>& chunks)
      : constants_(constants),
        program_(constants.program()),
        in_loop_(location.in_loop),
        chunks_(chunks),
        items_(program_.blocks[location.block].items),
        accesses_(CollectAccesses(program_, location.block)) {
    for (const auto& [root, accesses] : accesses_) {
      for (const Access& access : accesses) {
        if (access.write) writes_[root].insert(access.item);
      }
    }
  }

  void Run() {
    for (size_t item = 0; item < items_.size(); ++item) {
      Step* step = StepAt(item);
      if (step == nullptr || step->is_never_fused) continue;
      if (std::holds_alternative<format::BinaryParams>(step->params)) FuseAddition(item);
      if (std::holds_alternative<format::UnaryParams>(step->params)) FuseActivation(item);
    }
    RemoveItems(items_, dead_);
  }

 private:
  Step* StepAt(size_t item) { return std::get_if<Step>(&items_[item]); }

  // Returns the step that writes all of `value`, if only the step at `reader` reads it and the step
  // may be fused.
  std::optional<size_t> SoleMaker(ValueId value, size_t reader);
  // The same for a matrix step.
  std::optional<size_t> SoleProducer(ValueId value, size_t reader);
  // Returns true if the step at `from` can run at `to` instead, and write `target`.
  bool MayMove(size_t from, size_t to, ValueId target) const;
  // Replaces the step at `to` by the step at `from`, which then writes the output of `to`.
  void Move(size_t from, size_t to);

  void FuseAddition(size_t item);
  void FuseActivation(size_t item);
  std::optional<Addend> AsAddend(const MatrixShape& shape, const format::BinaryParams& params,
                                 const Step& step, size_t operand);
  bool AddToStart(size_t item, size_t reader, const Addend& addend);

  // Returns true if the sum of the matrix step may start from an addend. Outside of loops a product
  // of a matrix and one column may not: with several columns it is a product of two matrices.
  bool MayStart(const Step& step) const { return in_loop_ || !step.is_one_column; }
  bool SharesRoot(ValueId a, ValueId b) const {
    return Resolve(program_, a).root == Resolve(program_, b).root;
  }
  bool IsConstant(ValueId value) const {
    return program_.values[Resolve(program_, value).root].storage == Storage::kWeights;
  }
  std::vector<float> Floats(ValueId value, int64_t count) const;
  ValueId Weights(const std::vector<float>& floats) {
    return constants_.WeightsOf({ElementType::f32, {static_cast<int64_t>(floats.size())}}, floats);
  }

  Builder& constants_;  // shared by all blocks, so that equal constants share their bytes
  Program& program_;
  const bool in_loop_;
  const std::set<ValueId>& chunks_;  // of the inputs that loops slice
  std::vector<Item>& items_;
  AccessMap accesses_;
  std::unordered_map<ValueId, std::multiset<int64_t>> writes_;  // items that write each root
  std::set<size_t> dead_;
};

std::optional<size_t> TailFusion::SoleMaker(ValueId value, size_t reader) {
  const std::optional<size_t> maker =
      SoleWriter(program_, accesses_, value, static_cast<int64_t>(reader));
  if (!maker) return std::nullopt;
  const Step* step = StepAt(*maker);
  return step == nullptr || step->is_never_fused ? std::nullopt : maker;
}

std::optional<size_t> TailFusion::SoleProducer(ValueId value, size_t reader) {
  const std::optional<size_t> maker = SoleMaker(value, reader);
  return maker && ShapeOf(*StepAt(*maker)) ? maker : std::nullopt;
}

bool TailFusion::MayMove(size_t from, size_t to, ValueId target) const {
  const ValueId target_root = Resolve(program_, target).root;
  for (const ValueId input : std::get<Step>(items_[from]).inputs) {
    if (input == kNone) continue;
    const ValueId root = Resolve(program_, input).root;
    if (root == target_root) return false;
    const auto found = writes_.find(root);
    if (found == writes_.end()) continue;
    const auto next = found->second.upper_bound(static_cast<int64_t>(from));
    if (next != found->second.end() && *next < static_cast<int64_t>(to)) return false;
  }
  return true;
}

void TailFusion::Move(size_t from, size_t to) {
  Step& step = *StepAt(from);
  Step& location = *StepAt(to);
  accesses_.erase(Resolve(program_, step.outputs[0]).root);
  writes_.erase(Resolve(program_, step.outputs[0]).root);
  for (const ValueId input : step.inputs) {
    if (input == kNone) continue;
    const ValueId root = Resolve(program_, input).root;
    // For a root with more accesses than these two, only the writes are used later.
    std::vector<Access>& accesses = accesses_[root];
    for (size_t i = 0; accesses.size() == 2 && i < 2; ++i) {
      if (accesses[i].item == static_cast<int64_t>(from)) {
        accesses[i].item = static_cast<int64_t>(to);
      }
    }
    const auto writes = writes_.find(root);
    if (writes == writes_.end()) continue;
    for (size_t count = writes->second.erase(static_cast<int64_t>(from)); count > 0; --count) {
      writes->second.insert(static_cast<int64_t>(to));
    }
  }
  step.outputs[0] = location.outputs[0];
  location = std::move(step);
  dead_.insert(from);
}

void TailFusion::FuseActivation(size_t item) {
  const Step& step = *StepAt(item);
  const auto params = std::get<format::UnaryParams>(step.params);
  if (params.type() != ElementType::f32) return;
  const std::optional<size_t> producer = SoleMaker(step.inputs[0], item);
  format::Activation* const activation = producer ? ActivationOf(*StepAt(*producer)) : nullptr;
  if (activation == nullptr || !MayMove(*producer, item, step.outputs[0])) return;
  const auto both = Compose(*activation, params.activation());
  if (!both) return;
  *activation = *both;
  Move(*producer, item);
}

// If both operands come from matrix steps, the one that does not read a slice of a loop's input
// takes the other as its start. The other can then still be hoisted out of the loop.
void TailFusion::FuseAddition(size_t item) {
  const Step& step = *StepAt(item);
  const auto params = std::get<format::BinaryParams>(step.params);
  if (params.op() != format::BinaryOp::add || params.type() != ElementType::f32) return;
  const auto slides = [&](size_t operand) {
    const std::optional<size_t> producer = SoleProducer(step.inputs[operand], item);
    return producer && chunks_.contains(Resolve(program_, StepAt(*producer)->inputs[kX]).root);
  };
  const size_t preferred = slides(0) ? 1 : 0;
  for (const size_t operand : {preferred, 1 - preferred}) {
    const std::optional<size_t> producer = SoleProducer(step.inputs[operand], item);
    if (!producer || !IsNothing(*ActivationOf(*StepAt(*producer)))) continue;
    if (!MayStart(*StepAt(*producer))) continue;
    if (!MayMove(*producer, item, step.outputs[0])) continue;
    const std::optional<Addend> addend =
        AsAddend(*ShapeOf(*StepAt(*producer)), params, step, 1 - operand);
    if (addend && AddToStart(*producer, item, *addend)) return Move(*producer, item);
  }
}

// The other operand of the addition must be the unmodified product.
std::optional<Addend> TailFusion::AsAddend(const MatrixShape& shape,
                                           const format::BinaryParams& params, const Step& step,
                                           size_t operand) {
  const Dims dims = Listed(params.dims(), params.rank());
  std::array strides = {Listed(params.a_strides(), params.rank()),
                        Listed(params.b_strides(), params.rank())};
  if (strides[1 - operand] != DenseStrides(dims)) return std::nullopt;
  const std::optional<Dims> strided =
      StridesOver(dims, strides[operand], {shape.outer, shape.outputs, shape.inner});
  const ValueId value = step.inputs[operand];
  if (!strided || SharesRoot(value, step.outputs[0])) return std::nullopt;
  // With one position of a map a computed addend is one number per output, with several it is not.
  // The number of positions must not affect how the sum rounds.
  if ((!shape.is_dense || !in_loop_) && !IsConstant(value)) return std::nullopt;
  const auto [outer, output, inner] = std::array{(*strided)[0], (*strided)[1], (*strided)[2]};
  if (shape.outputs > 1 && outer == 0 && output == 0 && inner == 0 && IsConstant(value)) {
    const float number = Floats(value, 1).front();
    return Addend{Weights(std::vector<float>(static_cast<size_t>(shape.outputs), number)), 0};
  }
  if (inner != 0 || (shape.outputs > 1 && output != 1)) return std::nullopt;
  if (outer != 0 && (!shape.is_dense || !in_loop_)) return std::nullopt;
  return Addend{value, outer};
}

// Adds to a step that has a start already, if one of the two addends is constant. Two constants are
// added now. A constant next to another product becomes part of the start of that product. Sums may
// be associated differently from the model.
bool TailFusion::AddToStart(size_t item, size_t reader, const Addend& addend) {
  Step& step = *StepAt(item);
  const Addend present = StartOf(step);
  if (present.value == kNone) return SetStart(step, addend), true;
  const int64_t outputs = ShapeOf(step)->outputs;
  if (IsConstant(present.value) && IsConstant(addend.value)) {
    if (present.row_stride != 0 || addend.row_stride != 0) return false;
    std::vector<float> sum = Floats(present.value, outputs);
    const std::vector<float> more = Floats(addend.value, outputs);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
    return SetStart(step, {Weights(sum), 0}), true;
  }
  if (!IsConstant(present.value) && !IsConstant(addend.value)) return false;
  const bool keeps = IsConstant(addend.value);
  const Addend& constant = keeps ? addend : present;
  const Addend& product = keeps ? present : addend;
  const std::optional<size_t> other = SoleProducer(product.value, keeps ? item : reader);
  if (!other || constant.row_stride != 0 || !IsNothing(*ActivationOf(*StepAt(*other))))
    return false;
  const MatrixShape shape = *ShapeOf(*StepAt(*other));
  if (!MayStart(*StepAt(*other)) || shape.outputs != outputs || shape.inner != 1) return false;
  if (!AddToStart(*other, item, constant)) return false;
  return SetStart(step, product), true;
}

std::vector<float> TailFusion::Floats(ValueId value, int64_t count) const {
  const Location location = Resolve(program_, value);
  std::vector<float> floats(static_cast<size_t>(count));
  std::memcpy(floats.data(), program_.values[location.root].data->data() + location.offset_bytes,
              floats.size() * sizeof(float));
  return floats;
}

}  // namespace

std::optional<Dims> StridesOver(Dims dims, Dims strides, const Dims& wanted) {
  Dims strided(wanted.size(), 0);
  size_t at = dims.size();
  for (size_t i = wanted.size(); i-- > 0;) {
    if (wanted[i] == 1) continue;
    while (at > 0 && dims[at - 1] == 1) --at;
    if (at == 0 || dims[at - 1] % wanted[i] != 0) return std::nullopt;
    strided[i] = strides[at - 1];
    strides[at - 1] *= wanted[i];
    dims[at - 1] /= wanted[i];
  }
  return strided;
}

namespace {

void FuseIn(Builder& constants, EnclosingBlock location, const std::set<ValueId>& chunks) {
  Program& program = constants.program();
  for (const SectionId id : SectionsIn(program, location.block)) {
    const Section& section = program.sections[id];
    if (section.loop) FuseIn(constants, {section.loop->body, true}, chunks);
    for (const BlockId copy : section.copies) FuseIn(constants, {copy, location.in_loop}, chunks);
  }
  TailFusion(constants, location, chunks).Run();
}

}  // namespace

void FuseTails(Program& program) {
  std::set<ValueId> chunks;
  for (const Section& section : program.sections) {
    if (!section.loop) continue;
    for (const Loop::Sliced& input : section.loop->sliced) chunks.insert(input.chunk);
  }
  Builder constants(program);
  FuseIn(constants, {program.main, false}, chunks);
}

}  // namespace weft::program
