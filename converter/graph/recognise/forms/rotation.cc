// SPDX-License-Identifier: Apache-2.0
// Recognises rotations of pairs, such as rotary positions: the halves of the last axis, or its even
// and odd elements, are multiplied by constants, added and joined again:
//   concat(-b, a), concat(a * c - b * s, a * s + b * c)         with a, b = x[:n], x[n:]
//   stack(-b, a), stack(a * c - b * s, a * s + b * c)           with a, b = x[0::2], x[1::2]
// They become x * C + x' * S, bit-identical, where x' is x with the elements of each pair
// exchanged. This needs one copy to create x' instead of one copy for each part of x and of the
// result.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "converter/graph/recognise/affine.h"
#include "converter/graph/recognise/forms/channel_constant.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/recognise/forms/reduction.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// The factors of the two halves in a sum.
using HalfFactors = std::array<std::optional<Repeated>, 2>;

bool IsJoin(const ir::Node& node) {
  if (!IsCalled(node, "Concat") || node.inputs.size() != 2) return false;
  const Dims &dims = node.outputs[0].type.dims, &part = TypeOf(node.inputs[0]).dims;
  // The types determine the axis.
  return !dims.empty() && part == TypeOf(node.inputs[1]).dims && dims.back() == 2 * part.back();
}

class PairReader {
 public:
  PairReader(const ir::Graph& graph, bool alternates) : graph_(graph), alternates_(alternates) {}

  // Adds `sign` times `source`, which is a sum of halves times constants.
  bool Read(ir::Source source, double sign, HalfFactors& sum, int depth = 0);
  const std::optional<ir::Source>& whole() const { return whole_; }
  Covered& covered() { return covered_; }

 private:
  std::optional<size_t> HalfOf(ir::Source source);
  bool ReadProduct(const ir::Node& node, double sign, HalfFactors& sum, int depth);

  const ir::Graph& graph_;
  const bool alternates_;
  std::optional<ir::Source> whole_;
  Covered covered_;
};

std::optional<size_t> PairReader::HalfOf(ir::Source source) {
  const std::optional<Cut> cut = CutOf(graph_, source);
  if (!cut || (whole_ && !(cut->whole == *whole_))) return std::nullopt;
  const Dims& dims = TypeOf(cut->whole).dims;
  if (dims.empty() || dims.back() != 2 * cut->count) return std::nullopt;
  const int64_t apart = alternates_ ? 1 : cut->count;
  const bool fits = cut->count == 1 || cut->step == (alternates_ ? 2 : 1);
  if (!fits || (cut->begin != 0 && cut->begin != apart)) return std::nullopt;
  whole_ = cut->whole;
  return cut->begin == 0 ? 0 : 1;
}

bool PairReader::ReadProduct(const ir::Node& node, double sign, HalfFactors& sum, int depth) {
  for (const size_t i : {1, 0}) {
    std::optional<Repeated> constant = RepeatedOf(node, i);
    if (!constant || TypeOf(node.inputs[1 - i]).dims != node.outputs[0].type.dims) continue;
    HalfFactors factors;
    if (!Read(node.inputs[1 - i], sign, factors, depth + 1)) return false;
    for (size_t half = 0; half < factors.size(); ++half) {
      if (!factors[half]) continue;
      if (sum[half]) return false;
      sum[half] = Joined(*factors[half], *constant, Joining::kProduct);
      if (!sum[half]) return false;
    }
    return true;
  }
  return false;
}

bool PairReader::Read(ir::Source source, double sign, HalfFactors& sum, int depth) {
  constexpr int kDeepest = 3;
  const ir::Node& node = *source.node;
  if (depth > kDeepest || node.constant) return false;
  if (const std::optional<size_t> half = HalfOf(source)) {
    if (sum[*half]) return false;
    sum[*half] = Repeated{Dims(TypeOf(source).dims.size(), 1), {sign}};
    covered_.insert(&node);
    return true;
  }
  const bool takes = IsCalled(node, "Subtract");
  covered_.insert(&node);
  if (IsCalled(node, "Negative")) return Read(node.inputs[0], -sign, sum, depth + 1);
  if (IsCalled(node, "Multiply")) return ReadProduct(node, sign, sum, depth);
  return (takes || IsCalled(node, "Add")) && Read(node.inputs[0], sign, sum, depth + 1) &&
         Read(node.inputs[1], takes ? -sign : sign, sum, depth + 1);
}

// Combines `first` and `second` along the last axis: one half each, or interleaved.
std::optional<std::vector<float>> Paired(const Repeated& first, const Repeated& second,
                                         int64_t half, bool alternates, Dims* dims) {
  *dims = first.dims;
  for (size_t i = 0; i < dims->size(); ++i) (*dims)[i] = std::max((*dims)[i], second.dims[i]);
  dims->back() = 2 * half;
  std::vector<double> numbers(static_cast<size_t>(ElementCount(*dims).value_or(0)));
  for (size_t i = 0; i < numbers.size(); ++i) {
    auto rest = static_cast<int64_t>(i);
    const int64_t at = rest % (2 * half);
    const bool is_second = alternates ? at % 2 != 0 : at >= half;
    const Repeated& from = is_second ? second : first;
    int64_t position = 0, stride = 1;
    for (size_t axis = dims->size(); axis-- > 0; rest /= (*dims)[axis]) {
      int64_t index = rest % (*dims)[axis];
      if (axis + 1 == dims->size()) index = alternates ? at / 2 : at % half;
      if (from.dims[axis] != 1) position += index * stride;
      stride *= from.dims[axis];
    }
    numbers[i] = from.numbers[static_cast<size_t>(position)];
  }
  return RoundedFloats(numbers);
}

// Returns x with the elements of each pair exchanged.
ir::Source Exchanging(ir::Graph& graph, const ir::Node& like, ir::Source x, bool alternates) {
  const Dims whole = TypeOf(x).dims;
  const int64_t half = whole.back() / 2;
  Dims pairs(whole.begin(), whole.end() - 1);
  pairs.insert(pairs.end(), {alternates ? half : 2, alternates ? 2 : half});
  const int64_t axis = std::ssize(pairs) - (alternates ? 1 : 2);
  const ir::Source by = NewInts(graph, like, {axis});
  const ir::Source permuted = NewOperation(
      graph, like, "Reverse", 1, {Reshaped(graph, like, x, pairs), by}, {{"mode", "index"}});
  return Reshaped(graph, like, permuted, whole);
}

// The parts that are joined: halves, or values with an additional axis that the node merges again.
struct Pairs {
  std::array<ir::Source, 2> parts;
  bool alternates = false;
  Covered covered = {};
};

std::optional<Pairs> PairsIn(const ir::Node& node) {
  if (IsJoin(node)) return Pairs{{node.inputs[0], node.inputs[1]}};
  if (node.constant || !ops::TraitsOf(node).reshapes) return std::nullopt;
  const ir::Node& join = *node.inputs[0].node;
  if (!IsJoin(join) || join.outputs[0].type.dims.back() != 2) return std::nullopt;
  Pairs pairs{{join.inputs[0], join.inputs[1]}, true, {&join}};
  for (ir::Source& part : pairs.parts) part = BeforeViews(part, pairs.covered);
  return pairs;
}

bool AreOnes(const std::vector<float>& factors) {
  return std::ranges::all_of(factors, [](float factor) { return factor == 1; });
}

}  // namespace

bool RecogniseRotation(FormSite& site, ir::Node& node) {
  const std::optional<Pairs> pairs = PairsIn(node);
  if (!pairs) return false;
  PairReader reader(site.graph(), pairs->alternates);
  std::array<HalfFactors, 2> factors;
  for (size_t i = 0; i < 2; ++i) {
    if (!reader.Read(pairs->parts[i], 1, factors[i])) return false;
  }
  const Dims dims = node.outputs[0].type.dims;
  const auto& [first, second] = factors;
  const bool keeps = first[0] && second[1];
  if (!first[1] || !second[0] || keeps != (first[0] || second[1])) return false;
  const ir::Source x = *reader.whole();
  constexpr size_t kMaxAxes = 7;  // plus one for the pairs
  if (TypeOf(x).dims != dims || dims.size() > kMaxAxes) return false;
  Join(reader.covered(), pairs->covered);
  if (!site.IsClosed(node, reader.covered())) return false;
  const int64_t half = dims.back() / 2;
  ir::Graph& graph = site.graph();
  Dims kept_dims, permuted_dims;
  const auto permuted = Paired(*first[1], *second[0], half, pairs->alternates, &permuted_dims);
  const auto kept = keeps ? Paired(*first[0], *second[1], half, pairs->alternates, &kept_dims)
                          : std::vector<float>();
  if (!permuted || !kept) return false;
  const ir::Source y = Exchanging(graph, node, x, pairs->alternates);
  if (!keeps && AreOnes(*permuted)) {
    site.Replace(node, reader.covered(), {"Identity", 16, {y}});
    return true;
  }
  const ir::Source by = NewFloats(graph, node, permuted_dims, *permuted);
  if (!keeps) {
    site.Replace(node, reader.covered(), {"Multiply", 1, {y, by}});
    return true;
  }
  const ir::Source stays =
      NewOperation(graph, node, "Multiply", 1, {x, NewFloats(graph, node, kept_dims, *kept)});
  const ir::Source is_permuted = NewOperation(graph, node, "Multiply", 1, {y, by});
  site.Replace(node, reader.covered(), {"Add", 1, {stays, is_permuted}});
  return true;
}

}  // namespace weft::graph
