// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/program/block_access.h"
#include "converter/program/passes.h"

namespace weft::program {
namespace {

constexpr size_t kNewSteps = 0, kPastBefore = 1, kStartBefore = 2;  // inputs of a ring step
constexpr size_t kWindow = 0, kPastAfter = 1;                       // outputs
constexpr int32_t kFactor = 1;                                      // input b of a product

// Strides of a value with axes [outer, time steps, inner].
struct Lattice {
  int64_t outer, location, inner;
};

Lattice WindowOf(const format::RingParams& ring) {
  const int64_t inner = ring.inner();
  return {(int64_t{ring.past()} + ring.positions()) * inner, inner, 1};
}
Lattice NewPositionsOf(const format::RingParams& ring) {
  const int64_t inner = ring.inner();
  return {ring.positions() * inner, inner, 1};
}
Lattice PastOf(const format::RingParams& ring) {
  const int64_t past = ring.past(), inner = ring.inner();
  switch (ring.order()) {
    case format::RingOrder::outer_positions_inner:
      return {past * inner, inner, 1};
    case format::RingOrder::outer_inner_positions:
      return {past * inner, 1, past};
    default:
      return {inner, int64_t{ring.outer()} * inner, 1};
  }
}

// Converts strides in the window, for axes within one time step, to strides in the past and in x.
class StridesOfRing {
 public:
  explicit StridesOfRing(const format::RingParams& ring)
      : window_(WindowOf(ring)), left_outer_(ring.outer() - 1), left_inner_(ring.inner() - 1) {}

  // Adds an axis. Returns false if it leaves its time step, together with the axes added before.
  bool Add(int64_t extent, int64_t stride) {
    const bool is_outer = stride % window_.outer == 0;
    const int64_t step = extent > 1 ? stride / (is_outer ? window_.outer : 1) : 0;
    int64_t& left = is_outer ? left_outer_ : left_inner_;
    left -= (extent - 1) * step;
    steps_.push_back(is_outer ? std::pair{step, int64_t{0}} : std::pair{int64_t{0}, step});
    return left >= 0;
  }

  uint32_t StrideIn(const Lattice& lattice, size_t axis) const {
    const auto& [outer, inner] = steps_[axis];
    return Narrow32(outer * lattice.outer + inner * lattice.inner, "stride");
  }

 private:
  const Lattice window_;
  int64_t left_outer_, left_inner_;
  std::vector<std::pair<int64_t, int64_t>> steps_;
};

// Returns the product with the window as a product with the ring; nullopt if it does not read the
// window time step by time step.
std::optional<format::RingMatmulParams> WithRing(const format::MatmulParams& product,
                                                 const format::RingParams& ring) {
  const int64_t positions = int64_t{ring.past()} + ring.positions(), inner = ring.inner();
  const bool along_columns = product.columns() == positions && product.b_column_stride() == inner;
  const bool along_terms = product.inner() == positions && product.b_inner_stride() == inner;
  if (product.type() != format::ElementType::f32 || along_columns == along_terms) {
    return std::nullopt;
  }
  StridesOfRing strides(ring);
  for (uint16_t i = 0; i < product.batch_rank(); ++i) {
    if (!strides.Add(product.batch_dims()->Get(i), product.b_batch_strides()->Get(i))) {
      return std::nullopt;
    }
  }
  const bool stays = along_columns ? strides.Add(product.inner(), product.b_inner_stride())
                                   : strides.Add(product.columns(), product.b_column_stride());
  if (!stays) return std::nullopt;
  const Lattice past = PastOf(ring), x = NewPositionsOf(ring);
  const size_t other = product.batch_rank();
  format::RingMatmulParams params;
  params.mutate_batch_rank(product.batch_rank());
  for (uint16_t i = 0; i < product.batch_rank(); ++i) {
    params.mutable_batch_dims()->Mutate(i, product.batch_dims()->Get(i));
    params.mutable_a_batch_strides()->Mutate(i, product.a_batch_strides()->Get(i));
    params.mutable_past_batch_strides()->Mutate(i, strides.StrideIn(past, i));
    params.mutable_x_batch_strides()->Mutate(i, strides.StrideIn(x, i));
  }
  params.mutate_rows(product.rows());
  params.mutate_columns(product.columns());
  params.mutate_inner(product.inner());
  params.mutate_positions(ring.positions());
  params.mutate_a_row_stride(product.a_row_stride());
  params.mutate_a_inner_stride(product.a_inner_stride());
  const auto of_position = [](const Lattice& lattice) {
    return Narrow32(lattice.location, "stride");
  };
  const uint32_t past_other = strides.StrideIn(past, other), x_other = strides.StrideIn(x, other);
  params.mutate_past_column_stride(along_columns ? of_position(past) : past_other);
  params.mutate_past_inner_stride(along_columns ? past_other : of_position(past));
  params.mutate_x_column_stride(along_columns ? of_position(x) : x_other);
  params.mutate_x_inner_stride(along_columns ? x_other : of_position(x));
  params.mutate_along(along_columns ? format::RingAlong::columns : format::RingAlong::inner);
  return params;
}

class RingReader {
 public:
  explicit RingReader(Program& program)
      : program_(program), accesses_(CollectAccesses(program, program.main)) {}

  void Run();

 private:
  bool IsRing(size_t item);
  // Returns false if the ring step at an item stays unchanged.
  bool ReadInPlace(size_t item);
  std::vector<Item>& items() { return program_.blocks[program_.main].items; }
  const std::vector<Access>& AccessesOf(ValueId value) {
    return accesses_[Resolve(program_, value).root];
  }
  std::optional<format::RingMatmulParams> ProductAt(const Access& read,
                                                    const format::RingParams& ring);
  bool CanMoveAfter(const Step& ring, int64_t from, int64_t to);

  Program& program_;
  AccessMap accesses_;
};

// Returns the replacement of a product that reads the window from its first element.
std::optional<format::RingMatmulParams> RingReader::ProductAt(const Access& read,
                                                              const format::RingParams& ring) {
  if (read.write || read.nested || read.step == nullptr || read.operand != kFactor ||
      read.begin_bytes != 0 || !read.moves.empty()) {
    return std::nullopt;
  }
  const auto* product = std::get_if<format::MatmulParams>(&read.step->params);
  return product == nullptr ? std::nullopt : WithRing(*product, ring);
}

// Returns true if the ring step can move after item `to`: up to there nothing writes what it
// reads, and nothing accesses what it writes.
bool RingReader::CanMoveAfter(const Step& ring, int64_t from, int64_t to) {
  const auto is_between = [&](const Access& access) {
    return access.item > from && access.item <= to;
  };
  for (const ValueId input : ring.inputs) {
    if (input == kNone) continue;
    const auto writes = [&](const Access& access) { return access.write && is_between(access); };
    if (std::ranges::any_of(AccessesOf(input), writes)) return false;
  }
  for (size_t i = kPastAfter; i < ring.outputs.size(); ++i) {
    if (ring.outputs[i] == kNone) continue;
    if (std::ranges::any_of(AccessesOf(ring.outputs[i]), is_between)) return false;
  }
  return true;
}

bool RingReader::ReadInPlace(size_t item) {
  Step ring = std::get<Step>(items()[item]);
  auto params = std::get<format::RingParams>(ring.params);
  if (params.taps() != 1 || params.length() != params.past() + params.positions()) return false;
  if (ring.outputs[kPastAfter] == kNone) return false;  // another step writes the past
  if (params.past() == 0 || params.outer() == 0 || params.inner() == 0) return false;
  const Location window = Resolve(program_, ring.outputs[kWindow]);
  if (window.root != ring.outputs[kWindow]) return false;
  std::vector<std::pair<size_t, format::RingMatmulParams>> products;
  for (const Access& access : AccessesOf(window.root)) {
    if (access.write && access.item == static_cast<int64_t>(item)) continue;
    const std::optional<format::RingMatmulParams> product = ProductAt(access, params);
    if (!product) return false;
    products.emplace_back(static_cast<size_t>(access.item), *product);
  }
  if (products.empty()) return false;
  const size_t last = products.back().first;
  if (!CanMoveAfter(ring, static_cast<int64_t>(item), static_cast<int64_t>(last))) return false;
  for (const auto& [at, product] : products) {
    Step& step = std::get<Step>(items()[at]);
    step.params = product;
    step.inputs = {step.inputs[0], ring.inputs[kPastBefore], ring.inputs[kNewSteps],
                   ring.inputs[kStartBefore]};
  }
  params.mutate_taps(0);
  params.mutate_length(0);
  ring.params = params;
  ring.outputs[kWindow] = kNone;
  const auto first = items().begin();
  std::rotate(first + static_cast<std::ptrdiff_t>(item),
              first + static_cast<std::ptrdiff_t>(item) + 1,
              first + static_cast<std::ptrdiff_t>(last) + 1);
  items()[last] = std::move(ring);
  accesses_ = CollectAccesses(program_, program_.main);
  return true;
}

bool RingReader::IsRing(size_t item) {
  const auto* step = std::get_if<Step>(&items()[item]);
  return step != nullptr && std::holds_alternative<format::RingParams>(step->params);
}

// After a ring step has moved, another item has its index.
void RingReader::Run() {
  for (size_t item = 0; item < items().size();) {
    if (!IsRing(item) || !ReadInPlace(item)) ++item;
  }
}

}  // namespace

void ReadRingsInPlace(Program& program) { RingReader(program).Run(); }

}  // namespace weft::program
