// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/cell.h"

#include <algorithm>
#include <array>
#include <string>

#include "converter/base/narrow.h"
#include "converter/base/text.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/packed.h"
#include "converter/ops/support/pointwise.h"

namespace weft::ops {

namespace {

using program::Builder;
using program::kNone;
using program::ValueId;

ValueId PackRows(Builder& builder, const CodedFloats& weights, int64_t first_row, int64_t rows,
                 int64_t columns) {
  const CodedFloats part =
      weights.Part(static_cast<size_t>(first_row * columns), static_cast<size_t>(rows * columns));
  return PackDense(builder, part, columns, 1, rows, columns);
}

ValueId Vector(Builder& builder, std::vector<float> elements) {
  const auto count = static_cast<int64_t>(elements.size());
  return builder.WeightsOf<float>({ElementType::f32, {count}}, elements);
}

// One product: y[batch, outputs] = act(start + x * weights). `start_stride` is in elements; 0
// shares one row over the batch.
struct Product {
  ValueId x, weights, start;
  int64_t inputs, outputs, start_stride;
  format::Activation activation = {};
};

// x * weights^T, then start, then the activation, for weights that are not packed.
ValueId EmitRowMajorProduct(Builder& builder, const CellShape& shape, const Product& product) {
  const TensorType type{ElementType::f32, {shape.batch, product.outputs}};
  const ValueId product_only = builder.Scratch(type);
  format::MatmulParams matmul;
  matmul.mutate_rows(Narrow32(shape.batch, "rows"));
  matmul.mutate_columns(Narrow32(product.outputs, "columns"));
  matmul.mutate_inner(Narrow32(product.inputs, "inner"));
  matmul.mutate_a_row_stride(Narrow32(product.inputs, "a row stride"));
  matmul.mutate_a_inner_stride(1);
  matmul.mutate_b_inner_stride(1);
  matmul.mutate_b_column_stride(Narrow32(product.inputs, "b column stride"));
  builder.Emit(matmul, {product.x, product.weights}, {product_only});
  ValueId y = product_only;
  if (product.start != kNone) {
    y = builder.Scratch(type);
    format::BinaryParams add;
    add.mutate_rank(2);
    add.mutable_dims()->Mutate(0, Narrow32(shape.batch, "dims"));
    add.mutable_dims()->Mutate(1, Narrow32(product.outputs, "dims"));
    add.mutable_a_strides()->Mutate(0, Narrow32(product.outputs, "a strides"));
    add.mutable_a_strides()->Mutate(1, 1);
    add.mutable_b_strides()->Mutate(0, Narrow32(product.start_stride, "b strides"));
    add.mutable_b_strides()->Mutate(1, 1);
    add.mutate_op(format::BinaryOp::add);
    add.mutate_type(ElementType::f32);
    builder.Emit(add, {product_only, product.start}, {y});
  }
  if (product.activation.op() == format::UnaryOp::identity) return y;
  const ValueId activated = builder.Scratch(type);
  format::UnaryParams unary;
  unary.mutate_count(Narrow32(shape.batch * product.outputs, "count"));
  unary.mutable_activation() = product.activation;
  unary.mutate_type(ElementType::f32);
  builder.Emit(unary, {y}, {activated});
  return activated;
}

ValueId EmitProduct(Builder& builder, const CellShape& shape, const PackedCell& packed,
                    const Product& product) {
  if (!packed.in_panels) return EmitRowMajorProduct(builder, shape, product);
  const ValueId y = builder.Scratch({ElementType::f32, {shape.batch, product.outputs}});
  format::DenseParams params;
  params.mutate_rows(Narrow32(shape.batch, "rows"));
  params.mutate_inputs(Narrow32(product.inputs, "inputs"));
  params.mutate_outputs(Narrow32(product.outputs, "outputs"));
  params.mutate_x_row_stride(Narrow32(product.inputs, "x row stride"));
  params.mutate_y_row_stride(Narrow32(product.outputs, "y row stride"));
  params.mutate_start_row_stride(Narrow32(product.start_stride, "start row stride"));
  params.mutable_activation() = product.activation;
  builder.Emit(params, {product.x, product.weights, product.start}, {y});
  return y;
}

TensorType StateType(const CellShape& shape) {
  return {ElementType::f32, {shape.batch, shape.hidden}};
}

// Columns [first, first + count) of every row of a value with rows of `row_floats` elements.
ValueId CellColumns(Builder& builder, const CellShape& shape, ValueId rows, int64_t first,
                    int64_t count, int64_t row_floats) {
  const int64_t floats = shape.batch == 0 ? 0 : (shape.batch - 1) * row_floats + count;
  return builder.View(rows, first * int64_t{sizeof(float)}, {ElementType::f32, {floats}});
}

// The gates of an LSTM with peepholes, after the products. `pre` has the order f i c o.
class PeepholeCell {
 public:
  PeepholeCell(Builder& builder, const CellShape& shape, ValueId peepholes, ValueId pre)
      : builder_(builder), shape_(shape), peepholes_(peepholes), pre_(pre) {}

  std::vector<ValueId> Emit(ValueId c) {
    const int64_t hidden = shape_.hidden;
    const ValueId forget = Gate(0, Columns(0), c), update = Gate(hidden, Columns(hidden), c);
    const ValueId candidate = Activated(shape_.g, Contiguous(2 * hidden));
    const ValueId kept = Both(format::BinaryOp::multiply, forget, c);
    const ValueId added = Both(format::BinaryOp::multiply, update, candidate);
    const ValueId next = Both(format::BinaryOp::add, kept, added);
    const ValueId output = Gate(2 * hidden, Columns(3 * hidden), next);
    return {Both(format::BinaryOp::multiply, output, Activated(shape_.h, next)), next};
  }

 private:
  // Columns of pre from `first` on; the row stride is 4 * hidden.
  ValueId Columns(int64_t first) {
    return CellColumns(builder_, shape_, pre_, first, shape_.hidden, 4 * shape_.hidden);
  }

  ValueId New() { return builder_.Scratch(StateType(shape_)); }

  ValueId Contiguous(int64_t first) {
    const ValueId y = New();
    builder_.CopyStrided(pre_, y, {shape_.batch, shape_.hidden}, {4 * shape_.hidden, 1}, first,
                         {shape_.hidden, 1}, 0);
    return y;
  }

  // y = a op b; a_row and b_row are row strides in elements.
  ValueId Rows(format::BinaryOp op, ValueId a, int64_t a_row, ValueId b, int64_t b_row) {
    const ValueId y = New();
    const Dims strides[] = {{a_row, 1}, {b_row, 1}};
    EmitBinary(builder_, op, JoinedNest({shape_.batch, shape_.hidden}, strides), a, b, y);
    return y;
  }
  ValueId Both(format::BinaryOp op, ValueId a, ValueId b) {
    return Rows(op, a, shape_.hidden, b, shape_.hidden);
  }

  // act(columns + peephole * state)
  ValueId Gate(int64_t peephole, ValueId columns, ValueId state) {
    const ValueId weights = builder_.View(peepholes_, peephole * int64_t{sizeof(float)},
                                          {ElementType::f32, {shape_.hidden}});
    const ValueId seen = Rows(format::BinaryOp::multiply, state, shape_.hidden, weights, 0);
    return Activated(shape_.f,
                     Rows(format::BinaryOp::add, columns, 4 * shape_.hidden, seen, shape_.hidden));
  }

  ValueId Activated(const format::Activation& activation, ValueId x) {
    const ValueId y = New();
    format::UnaryParams unary;
    unary.mutate_count(Narrow32(shape_.batch * shape_.hidden, "count"));
    unary.mutable_activation() = activation;
    unary.mutate_type(ElementType::f32);
    builder_.Emit(unary, {x}, {y});
    return y;
  }

  Builder& builder_;
  const CellShape& shape_;
  const ValueId peepholes_, pre_;
};

std::vector<ValueId> EmitLstm(Builder& builder, const CellShape& shape, const PackedCell& packed,
                              ValueId x, const std::vector<ValueId>& states) {
  const int64_t gates = 4 * shape.hidden;
  const ValueId from_x =
      EmitProduct(builder, shape, packed, {x, packed.w, packed.b, shape.inputs, gates, 0});
  const ValueId pre = EmitProduct(builder, shape, packed,
                                  {states[0], packed.r, from_x, shape.hidden, gates, gates});
  if (packed.peepholes != kNone) {
    return PeepholeCell(builder, shape, packed.peepholes, pre).Emit(states[1]);
  }
  const ValueId h = builder.Scratch(StateType(shape)), c = builder.Scratch(StateType(shape));
  format::LstmGatesParams params;
  params.mutate_rows(Narrow32(shape.batch, "rows"));
  params.mutate_hidden(Narrow32(shape.hidden, "hidden"));
  params.mutate_pre_row_stride(Narrow32(gates, "pre row stride"));
  params.mutable_f() = shape.f;
  params.mutable_g() = shape.g;
  params.mutable_h() = shape.h;
  builder.Emit(params, {pre, states[1]}, {h, c});
  return {h, c};
}

std::vector<ValueId> EmitGruResetAfter(Builder& builder, const CellShape& shape,
                                       const PackedCell& packed, ValueId x, ValueId h) {
  const int64_t gates = 3 * shape.hidden;
  const ValueId from_x =
      EmitProduct(builder, shape, packed, {x, packed.w, packed.b, shape.inputs, gates, 0});
  const ValueId from_h = EmitProduct(builder, shape, packed,
                                     {h, packed.r, packed.b_recurrent, shape.hidden, gates, 0});
  const ValueId next = builder.Scratch(StateType(shape));
  format::GruGatesParams params;
  params.mutate_rows(Narrow32(shape.batch, "rows"));
  params.mutate_hidden(Narrow32(shape.hidden, "hidden"));
  params.mutate_x_row_stride(Narrow32(gates, "x row stride"));
  params.mutate_r_row_stride(Narrow32(gates, "r row stride"));
  params.mutable_f() = shape.f;
  params.mutable_g() = shape.g;
  builder.Emit(params, {from_x, from_h, h}, {next});
  return {next};
}

std::vector<ValueId> EmitGruResetBefore(Builder& builder, const CellShape& shape,
                                        const PackedCell& packed, ValueId x, ValueId h) {
  const int64_t gates = 3 * shape.hidden, both = 2 * shape.hidden;
  const ValueId from_x =
      EmitProduct(builder, shape, packed, {x, packed.w, packed.b, shape.inputs, gates, 0});
  const ValueId x_both = CellColumns(builder, shape, from_x, 0, both, gates);
  const ValueId pre =
      EmitProduct(builder, shape, packed, {h, packed.r, x_both, shape.hidden, both, gates});
  const ValueId z = builder.Scratch(StateType(shape)), reset = builder.Scratch(StateType(shape));
  format::GruResetParams first;
  first.mutate_rows(Narrow32(shape.batch, "rows"));
  first.mutate_hidden(Narrow32(shape.hidden, "hidden"));
  first.mutate_pre_row_stride(Narrow32(both, "pre row stride"));
  first.mutable_f() = shape.f;
  builder.Emit(first, {pre, h}, {z, reset});
  const ValueId x_candidate = CellColumns(builder, shape, from_x, both, shape.hidden, gates);
  const ValueId candidate =
      EmitProduct(builder, shape, packed,
                  {reset, packed.r_candidate, x_candidate, shape.hidden, shape.hidden, gates});
  const ValueId next = builder.Scratch(StateType(shape));
  format::GruUpdateParams second;
  second.mutate_rows(Narrow32(shape.batch, "rows"));
  second.mutate_hidden(Narrow32(shape.hidden, "hidden"));
  second.mutate_pre_row_stride(Narrow32(shape.hidden, "pre row stride"));
  second.mutable_g() = shape.g;
  builder.Emit(second, {candidate, z, h}, {next});
  return {next};
}

std::vector<ValueId> EmitRnn(Builder& builder, const CellShape& shape, const PackedCell& packed,
                             ValueId x, ValueId h) {
  const int64_t hidden = shape.hidden;
  const ValueId from_x =
      EmitProduct(builder, shape, packed, {x, packed.w, packed.b, shape.inputs, hidden, 0});
  return {
      EmitProduct(builder, shape, packed, {h, packed.r, from_x, hidden, hidden, hidden, shape.f})};
}

// The activations that the specification allows for cells.
std::optional<format::UnaryOp> ParseActivation(std::string_view text) {
  const std::string name = LowerCase(text);
  if (name == "sigmoid") return format::UnaryOp::sigmoid;
  if (name == "tanh") return format::UnaryOp::tanh;
  if (name == "relu") return format::UnaryOp::relu;
  if (name == "hardsigmoid") return format::UnaryOp::hard_sigmoid;
  if (name == "elu") return format::UnaryOp::elu;
  if (name == "softsign") return format::UnaryOp::softsign;
  return std::nullopt;
}

std::vector<std::string> DefaultActivations(CellKind kind) {
  if (kind == CellKind::kLstm) return {"sigmoid", "tanh", "tanh"};
  if (kind == CellKind::kGru) return {"sigmoid", "tanh"};
  return {"tanh"};
}

}  // namespace

PackedCell Pack(Builder& builder, const CellShape& shape, const CellWeights& weights) {
  const int64_t hidden = shape.hidden, gates = GateCount(shape.kind) * hidden;
  PackedCell packed;
  packed.w = PackRows(builder, weights.w, 0, gates, shape.inputs);
  if (shape.kind == CellKind::kGru && !shape.linear_before_reset) {
    packed.r = PackRows(builder, weights.r, 0, 2 * hidden, hidden);
    packed.r_candidate = PackRows(builder, weights.r, 2 * hidden, hidden, hidden);
  } else {
    packed.r = PackRows(builder, weights.r, 0, gates, hidden);
  }
  packed.b = Vector(builder, {weights.b.begin(), weights.b.begin() + gates});
  if (shape.linear_before_reset) {
    std::vector<float> recurrent(static_cast<size_t>(2 * hidden), 0.0f);
    recurrent.insert(recurrent.end(), weights.b.begin() + gates, weights.b.end());
    packed.b_recurrent = Vector(builder, std::move(recurrent));
  }
  return packed;
}

PackedCell Gather(Builder& builder, const CellShape& shape, ValueId w, ValueId r, ValueId b) {
  const int64_t hidden = shape.hidden, gates = GateCount(shape.kind) * hidden;
  const int64_t floats = sizeof(float);
  PackedCell packed;
  packed.in_panels = false;
  packed.w = w;
  packed.r = r;
  if (shape.kind == CellKind::kGru && !shape.linear_before_reset) {
    packed.r = builder.View(r, 0, {ElementType::f32, {2 * hidden, hidden}});
    packed.r_candidate =
        builder.View(r, 2 * hidden * hidden * floats, {ElementType::f32, {hidden, hidden}});
  }
  if (b == kNone) return packed;
  packed.b = builder.View(b, 0, {ElementType::f32, {gates}});
  if (shape.linear_before_reset) {
    const TensorType row{ElementType::f32, {hidden}};
    packed.b_recurrent = builder.Scratch({ElementType::f32, {gates}});
    builder.Fill(packed.b_recurrent);
    builder.Copy(builder.View(b, gates * floats, row),
                 builder.View(packed.b_recurrent, 2 * hidden * floats, row));
  }
  return packed;
}

std::vector<ValueId> EmitCell(Builder& builder, const CellShape& shape, const PackedCell& packed,
                              ValueId x, const std::vector<ValueId>& states) {
  if (shape.kind == CellKind::kLstm) return EmitLstm(builder, shape, packed, x, states);
  if (shape.kind == CellKind::kRnn) return EmitRnn(builder, shape, packed, x, states[0]);
  return shape.linear_before_reset ? EmitGruResetAfter(builder, shape, packed, x, states[0])
                                   : EmitGruResetBefore(builder, shape, packed, x, states[0]);
}

void ReadActivations(NodeScope& scope, int64_t direction, int64_t directions, CellShape& shape) {
  const std::vector<std::string> names =
      scope.attributes.Texts("activations", DefaultActivations(shape.kind));
  const std::vector<float> alpha = scope.attributes.Floats("activations_alpha");
  const std::vector<float> beta = scope.attributes.Floats("activations_beta");
  const float clip = scope.attributes.Float("clip", 0.0f);
  const size_t count = DefaultActivations(shape.kind).size();
  const size_t all = count * static_cast<size_t>(directions);
  if (names.size() != count && names.size() != all) {
    if (directions == 1) {
      scope.Fault("has {} activations; must have {}", names.size(), count);
    } else {
      scope.Fault("has {} activations; must have {}, or {} for {} directions", names.size(), count,
                  all, directions);
    }
    return;
  }
  const size_t offset = count * static_cast<size_t>(direction);
  // Numbers given for one direction apply to each direction, unless the names are listed for all
  // directions.
  const auto number = [&](const std::vector<float>& numbers, size_t i, float otherwise) {
    const bool listed = names.size() == all || numbers.size() == all;
    const size_t at = listed ? offset + i : i;
    return at < numbers.size() ? numbers[at] : otherwise;
  };
  const std::array<format::Activation*, 3> targets = {&shape.f, &shape.g, &shape.h};
  for (size_t i = 0; i < count; ++i) {
    const std::string& name = names[names.size() == all ? offset + i : i];
    const std::optional<format::UnaryOp> op = ParseActivation(name);
    if (!op) {
      scope.Fault(
          "activation \"{}\" is unknown; must be sigmoid, tanh, relu, hardsigmoid, elu or softsign",
          name);
      return;
    }
    const bool hard = *op == format::UnaryOp::hard_sigmoid;
    const float a = number(alpha, i, hard ? 0.2f : 1.0f);
    const float b = number(beta, i, hard ? 0.5f : 0.0f);
    // clip does not apply to the state's activation h: its argument c' is no sum of products.
    *targets[i] = format::Activation(a, b, i < 2 ? clip : 0.0f, *op, 0, 0);
  }
}

}  // namespace weft::ops
