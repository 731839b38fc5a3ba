// SPDX-License-Identifier: Apache-2.0
#include "converter/program/row_parts.h"

#include <cstddef>
#include <variant>

#include "converter/base/narrow.h"

namespace weft::program {

namespace {

// By operand, the number of elements of a part; 0 for an operand without parts.
using PartElements = std::vector<int64_t>;

// Selects `taken` consecutive parts of `parts` equal ones.
struct Cut {
  int64_t parts = 1, taken = 1;
};

// Reduces `count` to that of the selected parts. Returns the count of one part, or 0 if the parts
// would be unequal.
uint32_t Divide(uint32_t& count, Cut cut) {
  if (count % cut.parts != 0) return 0;
  const auto part = Narrow<uint32_t>(count / cut.parts, "a part");
  count = Narrow<uint32_t>(part * cut.taken, "some parts");
  return part;
}

// Overload for kinds that cannot be divided. All overloads return false if the step cannot be
// divided into such parts.
template <typename P>
bool TakePart(P&, Cut, PartElements&) {
  return false;
}

template <typename P>
bool PartOfCount(P& p, Cut cut, PartElements& elements, std::vector<bool> has_parts) {
  uint32_t count = p.count();
  const uint32_t part = Divide(count, cut);
  p.mutate_count(count);
  for (const bool has : has_parts) elements.push_back(has ? part : 0);
  return part != 0;
}

template <IsOneOf<format::UnaryParams, format::ConvertParams, format::QuantizeParams,
                  format::DequantizeParams>
              P>
bool TakePart(P& p, Cut cut, PartElements& elements) {
  return PartOfCount(p, cut, elements, {true, true});
}
bool TakePart(format::LookupParams& p, Cut cut, PartElements& elements) {
  return PartOfCount(p, cut, elements, {true, false, true});
}

// Operands are x, constants, the start of the sums, and y; a part is a number of rows.
template <typename P>
bool PartOfProduct(P& p, Cut cut, PartElements& elements, size_t constants) {
  uint32_t rows = p.rows();
  const int64_t part = Divide(rows, cut);
  if (part == 0) return false;
  if (p.x_row_stride() != p.inputs() || p.y_row_stride() != p.outputs()) return false;
  if (p.start_row_stride() != 0 && p.start_row_stride() != p.outputs()) return false;
  p.mutate_rows(rows);
  elements.push_back(part * p.inputs());
  elements.insert(elements.end(), constants, 0);
  elements.push_back(part * p.start_row_stride());
  elements.push_back(part * p.outputs());
  return true;
}
bool TakePart(format::DenseParams& p, Cut cut, PartElements& elements) {
  return PartOfProduct(p, cut, elements, 1);
}
bool TakePart(format::DenseQ8Params& p, Cut cut, PartElements& elements) {
  return PartOfProduct(p, cut, elements, 3);
}

// Divides an operand of a product along the first axis of the batch that has more than one element.
// An axis that is not within a part is outside the axis of parts, as the rows of [rows, heads,
// part].
class MatrixCut {
 public:
  MatrixCut(Cut cut, int64_t part) : cut_(cut), part_(part) {}
  // Returns the stride of an axis in the selected parts.
  uint32_t StrideOf(uint32_t extent, uint32_t stride) {
    if (part_ == 0 || extent == 1) return stride;
    const int64_t all = part_ * cut_.parts;
    if (stride >= all) {
      is_valid_ = is_valid_ && stride % all == 0;
      return Narrow<uint32_t>(stride / cut_.parts * cut_.taken, "a part");
    }
    last_ += (int64_t{extent} - 1) * stride;
    return stride;
  }
  int64_t part() const { return part_; }
  bool is_valid() const { return is_valid_ && (part_ == 0 || last_ < part_); }

 private:
  const Cut cut_;
  const int64_t part_;
  int64_t last_ = 0;  // last element within a part
  bool is_valid_ = true;
};

bool TakePart(format::MatmulParams& p, Cut cut, PartElements& elements) {
  auto& dims = *p.mutable_batch_dims();
  uint16_t first = 0;
  while (first < p.batch_rank() && dims.Get(first) == 1) ++first;
  if (first == p.batch_rank()) return false;
  uint32_t taken = dims.Get(first);
  const int64_t extent = Divide(taken, cut);
  if (extent == 0) return false;
  dims.Mutate(first, Narrow<uint32_t>(extent, "a part"));
  MatrixCut a(cut, extent * p.a_batch_strides()->Get(first));
  MatrixCut b(cut, extent * p.b_batch_strides()->Get(first));
  int64_t matrices = 1;
  for (uint16_t i = first; i < p.batch_rank(); ++i) {
    const uint32_t dim = dims.Get(i);
    matrices *= dim;
    p.mutable_a_batch_strides()->Mutate(i, a.StrideOf(dim, p.a_batch_strides()->Get(i)));
    p.mutable_b_batch_strides()->Mutate(i, b.StrideOf(dim, p.b_batch_strides()->Get(i)));
  }
  dims.Mutate(first, taken);
  p.mutate_a_row_stride(a.StrideOf(p.rows(), p.a_row_stride()));
  p.mutate_a_inner_stride(a.StrideOf(p.inner(), p.a_inner_stride()));
  p.mutate_b_inner_stride(b.StrideOf(p.inner(), p.b_inner_stride()));
  p.mutate_b_column_stride(b.StrideOf(p.columns(), p.b_column_stride()));
  elements = {a.part(), b.part(), matrices * p.rows() * p.columns()};
  return a.is_valid() && b.is_valid();
}

// Operands are traversed over dims. The first axis with more than one element is divided; y is
// contiguous.
template <typename P>
bool PartOfStrides(P& p, Cut cut, PartElements& elements,
                   std::vector<const flatbuffers::Array<uint32_t, 8>*> strides) {
  uint32_t first = 0;
  while (first < p.rank() && p.dims()->Get(first) == 1) ++first;
  if (first == p.rank()) return false;
  uint32_t taken = p.dims()->Get(first);
  const int64_t extent = Divide(taken, cut);
  if (extent == 0) return false;
  int64_t all = extent;
  for (uint32_t i = first + 1; i < p.rank(); ++i) all *= p.dims()->Get(i);
  for (const auto* each : strides) {
    const int64_t part = extent * each->Get(first);
    int64_t last = (extent - 1) * each->Get(first);  // last element of a part
    for (uint32_t i = first + 1; i < p.rank(); ++i) {
      last += (int64_t{p.dims()->Get(i)} - 1) * each->Get(i);
    }
    if (part != 0 && last >= part) return false;
    elements.push_back(part);
  }
  elements.push_back(all);
  p.mutable_dims()->Mutate(first, taken);
  return true;
}
template <IsOneOf<format::BinaryParams, format::BinaryQ8Params, format::CompareParams> P>
bool TakePart(P& p, Cut cut, PartElements& elements) {
  return PartOfStrides(p, cut, elements, {p.a_strides(), p.b_strides()});
}
bool TakePart(format::SelectParams& p, Cut cut, PartElements& elements) {
  return PartOfStrides(p, cut, elements, {p.condition_strides(), p.a_strides(), p.b_strides()});
}

// Divides the lines along an axis; `others` operands are between x and y.
template <typename P>
bool PartOfLines(P& p, Cut cut, PartElements& elements, int64_t line, size_t others = 0) {
  uint32_t outer = p.outer();
  const int64_t part = Divide(outer, cut);
  p.mutate_outer(outer);
  elements.push_back(part * line);
  elements.insert(elements.end(), others, 0);
  elements.push_back(part * line);
  return part != 0;
}
bool TakePart(format::SoftmaxParams& p, Cut cut, PartElements& elements) {
  return p.causal() == 0 && PartOfLines(p, cut, elements, int64_t{p.axis()} * p.inner());
}
bool TakePart(format::NormalizeParams& p, Cut cut, PartElements& elements) {
  return PartOfLines(p, cut, elements, int64_t{p.axis()} * p.inner());
}
bool TakePart(format::SnakeParams& p, Cut cut, PartElements& elements) {
  return PartOfLines(p, cut, elements, int64_t{p.channels()} * p.inner(), 2);
}

}  // namespace

std::optional<RowPart> RowPartOf(const Program& program, const Step& step, int64_t parts,
                                 int64_t taken) {
  RowPart part{step.params, {}};
  PartElements elements;
  const bool can = std::visit(
      [&](auto& params) {
        return TakePart(params, Cut{parts, taken}, elements);
      },
      part.params);
  if (!can) return std::nullopt;
  for (size_t i = 0; i < elements.size(); ++i) {
    const bool is_input = i < step.inputs.size();
    const ValueId id = is_input ? step.inputs[i] : step.outputs[i - step.inputs.size()];
    OperandParts& operand = part.operands.emplace_back();
    if (id == kNone || elements[i] == 0) continue;
    const Value& value = program.values[id];
    const int64_t bits = weft::BitsOf(value.type.type);
    operand.bytes = elements[i] * bits / 8;
    if (bits < 8 || value.bytes % (operand.bytes * parts) != 0) return std::nullopt;
    operand.outer = value.bytes / (operand.bytes * parts);
    const bool may_be_outside = is_input && step.kind() == StepKind::kMatmul;
    if (operand.outer != 1 && !may_be_outside) return std::nullopt;
  }
  return part;
}

}  // namespace weft::program
