// SPDX-License-Identifier: Apache-2.0
#include "converter/program/row_parts.h"

#include <cstddef>
#include <variant>

#include "converter/base/narrow.h"

namespace weft::plan {

namespace {

// Of elements that lie one behind the other: operand by operand, in elements, what a part has; 0 where
// there are none. False where the step cannot be parted so.
using PartElements = std::vector<int64_t>;

bool Divide(uint32_t& count, int64_t parts) {
  if (count == 0 || count % parts != 0) return false;
  count = Narrow<uint32_t>(count / parts, "a part");
  return true;
}

// Kinds of which nothing is known here.
template <typename P>
bool TakePart(P&, int64_t, PartElements&) {
  return false;
}

template <typename P>
bool PartOfCount(P& p, int64_t parts, PartElements& elements, std::vector<bool> has_parts) {
  uint32_t count = p.count();
  if (!Divide(count, parts)) return false;
  p.mutate_count(count);
  for (const bool has : has_parts) elements.push_back(has ? count : 0);
  return true;
}

bool TakePart(format::UnaryParams& p, int64_t parts, PartElements& elements) {
  return PartOfCount(p, parts, elements, {true, true});
}
bool TakePart(format::ConvertParams& p, int64_t parts, PartElements& elements) {
  return PartOfCount(p, parts, elements, {true, true});
}
bool TakePart(format::QuantizeParams& p, int64_t parts, PartElements& elements) {
  return PartOfCount(p, parts, elements, {true, true});
}
bool TakePart(format::DequantizeParams& p, int64_t parts, PartElements& elements) {
  return PartOfCount(p, parts, elements, {true, true});
}
bool TakePart(format::LookupParams& p, int64_t parts, PartElements& elements) {
  return PartOfCount(p, parts, elements, {true, false, true});
}

// x, constants, the start of the sums, and y, of which a part has so many rows.
template <typename P>
bool PartOfProduct(P& p, int64_t parts, PartElements& elements, size_t constants) {
  uint32_t rows = p.rows();
  if (!Divide(rows, parts)) return false;
  if (p.x_row_stride() != p.inputs() || p.y_row_stride() != p.outputs()) return false;
  if (p.start_row_stride() != 0 && p.start_row_stride() != p.outputs()) return false;
  p.mutate_rows(rows);
  elements.push_back(int64_t{rows} * p.inputs());
  elements.insert(elements.end(), constants, 0);
  elements.push_back(int64_t{rows} * p.start_row_stride());
  elements.push_back(int64_t{rows} * p.outputs());
  return true;
}
bool TakePart(format::DenseParams& p, int64_t parts, PartElements& elements) {
  return PartOfProduct(p, parts, elements, 1);
}
bool TakePart(format::DenseQ8Params& p, int64_t parts, PartElements& elements) {
  return PartOfProduct(p, parts, elements, 3);
}

// Operands that are walked over dims, of which the first that is more than one is parted; y is
// contiguous.
template <typename P>
bool PartOfWalks(P& p, int64_t parts, PartElements& elements,
                 std::vector<const flatbuffers::Array<uint32_t, 8>*> strides) {
  uint32_t first = 0;
  while (first < p.rank() && p.dims()->Get(first) == 1) ++first;
  if (first == p.rank()) return false;
  uint32_t extent = p.dims()->Get(first);
  if (!Divide(extent, parts)) return false;
  int64_t all = extent;
  for (uint32_t i = first + 1; i < p.rank(); ++i) all *= p.dims()->Get(i);
  for (const auto* each : strides) {
    const int64_t part = int64_t{extent} * each->Get(first);
    int64_t last = int64_t{extent - 1} * each->Get(first);  // element of a part
    for (uint32_t i = first + 1; i < p.rank(); ++i) {
      last += (int64_t{p.dims()->Get(i)} - 1) * each->Get(i);
    }
    if (part != 0 && last >= part) return false;
    elements.push_back(part);
  }
  elements.push_back(all);
  p.mutable_dims()->Mutate(first, extent);
  return true;
}
bool TakePart(format::BinaryParams& p, int64_t parts, PartElements& elements) {
  return PartOfWalks(p, parts, elements, {p.a_strides(), p.b_strides()});
}
bool TakePart(format::BinaryQ8Params& p, int64_t parts, PartElements& elements) {
  return PartOfWalks(p, parts, elements, {p.a_strides(), p.b_strides()});
}
bool TakePart(format::CompareParams& p, int64_t parts, PartElements& elements) {
  return PartOfWalks(p, parts, elements, {p.a_strides(), p.b_strides()});
}
bool TakePart(format::SelectParams& p, int64_t parts, PartElements& elements) {
  return PartOfWalks(p, parts, elements, {p.condition_strides(), p.a_strides(), p.b_strides()});
}

// Lines of an axis; `others` operands stand between x and y.
template <typename P>
bool PartOfLines(P& p, int64_t parts, PartElements& elements, int64_t line, size_t others = 0) {
  uint32_t outer = p.outer();
  if (!Divide(outer, parts)) return false;
  p.mutate_outer(outer);
  elements.push_back(outer * line);
  elements.insert(elements.end(), others, 0);
  elements.push_back(outer * line);
  return true;
}
bool TakePart(format::SoftmaxParams& p, int64_t parts, PartElements& elements) {
  return p.causal() == 0 && PartOfLines(p, parts, elements, int64_t{p.axis()} * p.inner());
}
bool TakePart(format::NormalizeParams& p, int64_t parts, PartElements& elements) {
  return PartOfLines(p, parts, elements, int64_t{p.axis()} * p.inner());
}
bool TakePart(format::SnakeParams& p, int64_t parts, PartElements& elements) {
  return PartOfLines(p, parts, elements, int64_t{p.channels()} * p.inner(), 2);
}

}  // namespace

std::optional<RowPart> RowPartOf(const Program& program, const Step& step, int64_t parts) {
  RowPart part{step.params, {}};
  const bool can = std::visit(
      [&](auto& params) { return TakePart(params, parts, part.part_bytes); }, part.params);
  if (!can) return std::nullopt;
  for (size_t i = 0; i < part.part_bytes.size(); ++i) {
    const bool is_input = i < step.inputs.size();
    const ValueId id = is_input ? step.inputs[i] : step.outputs[i - step.inputs.size()];
    int64_t& bytes = part.part_bytes[i];
    if (id == kNone || bytes == 0) {
      bytes = 0;
      continue;
    }
    const Value& value = program.values[id];
    const int64_t bits = weft::BitsOf(value.type.type);
    bytes = bytes * bits / 8;
    if (bits < 8 || bytes * parts != value.bytes) return std::nullopt;
  }
  return part;
}

}  // namespace weft::plan
