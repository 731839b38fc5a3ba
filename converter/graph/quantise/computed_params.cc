// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "converter/graph/layout/permuted.h"
#include "converter/graph/quantise/conversions.h"
#include "converter/graph/quantise/filters.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/core/quantised.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/permutation.h"

namespace weft::graph {
namespace {

// u8 or i8 data that was converted to i32. integer = code + above; the codes are i8.
struct WidenedBytes {
  ir::Source bytes;
  int64_t above = 0;
};
std::optional<WidenedBytes> WidenedBytesOf(const ir::Source& source) {
  if (!IsCalled(*source.node, "Convert") || TypeOf(source).type != ElementType::i32) {
    return std::nullopt;
  }
  const ir::Source& bytes = source.node->inputs[0];
  const ElementType type = TypeOf(bytes).type;
  if (type == ElementType::u8) return WidenedBytes{bytes, -int64_t{kMinByte}};
  if (type == ElementType::i8) return WidenedBytes{bytes, 0};
  return std::nullopt;
}

// Data of a product: bytes, and the i32 zero point that is subtracted from all of them, if any.
struct CentredBytes {
  WidenedBytes data;
  std::optional<ir::Source> zero = std::nullopt;
};
std::optional<CentredBytes> CentredBytesOf(const ir::Source& source) {
  if (const auto data = WidenedBytesOf(source)) return CentredBytes{*data};
  if (!IsCalled(*source.node, "Subtract")) return std::nullopt;
  const ir::Source &from = source.node->inputs[0], &zero = source.node->inputs[1];
  const std::optional<WidenedBytes> data = WidenedBytesOf(from);
  if (!data || ElementCount(TypeOf(zero).dims) != 1) return std::nullopt;
  if (TypeOf(from).dims != TypeOf(source).dims) return std::nullopt;
  return CentredBytes{*data, zero};
}

std::optional<ByteProduct> ProductOfIntegers(const ir::Node& node) {
  if (node.outputs[0].type.type != ElementType::i32) return std::nullopt;
  std::optional<ByteProduct> product = ByteProductOf(node);
  if (!product) return std::nullopt;
  const std::vector<int64_t> numbers = IntsOf(node.inputs[1]);
  if (numbers.empty()) return std::nullopt;
  for (int64_t n = 0; n < product->outputs(); ++n) {
    for (int64_t k = 0; k < product->inputs; ++k) {
      const int64_t position = n * product->filter_stride + k * product->input_stride;
      product->integers.push_back(numbers[static_cast<size_t>(position)]);
    }
  }
  if (!BecomeBytes(*product)) return std::nullopt;
  return product;
}

// The nodes after a product that nothing else reads: an i32 bias per output, the conversion to f32,
// and a factor per tensor or per output.
struct FloatTail {
  ir::Node* last = nullptr;
  std::optional<ir::Source> bias = std::nullopt, factor = std::nullopt;
};

// The input of a binary node that is not computed by `reader`.
const ir::Source& OtherInput(const ir::Node& binary, const ir::Node& reader) {
  return binary.inputs[binary.inputs[0].node == &reader ? 1 : 0];
}

// Returns true if `source` has one element per channel of the product. `sums` is its node.
bool IsOfChannels(const ByteProduct& product, const ir::Node& sums, const ir::Source& source) {
  const Dims &dims = TypeOf(source).dims, &of_sums = sums.outputs[0].type.dims;
  // Number of axes after the channels.
  const size_t after = product.makes_channels_last ? 0 : of_sums.size() - 2;
  const int64_t count = of_sums[of_sums.size() - 1 - after];
  return CountIn(source) == count && dims.size() > after && dims[dims.size() - 1 - after] == count;
}

// Returns true if f32 represents the integers of `source`, because they were converted from f32.
bool AreWholeFloats(ir::Source source) {
  while (IsCalled(*source.node, "Reshape") || IsCalled(*source.node, "Unsqueeze")) {
    source = source.node->inputs[0];
  }
  return IsCalled(*source.node, "Convert") &&
         TypeOf(source.node->inputs[0]).type == ElementType::f32;
}

std::optional<FloatTail> FloatTailOf(const QuantiseSite& site, const ir::Node& node,
                                     const ByteProduct& product) {
  const TensorType& type = node.outputs[0].type;
  FloatTail tail;
  const ir::Node* sums = &node;
  ir::Node* next = site.SoleReader(node);
  if (next != nullptr && IsCalled(*next, "Add") && next->outputs[0].type == type) {
    tail.bias = OtherInput(*next, node);
    if (!IsOfChannels(product, node, *tail.bias)) return std::nullopt;
    if (!product.offsets.empty() && !AreWholeFloats(*tail.bias)) return std::nullopt;
    sums = next;
    next = site.SoleReader(*sums);
  }
  if (next == nullptr || !IsCalled(*next, "Convert")) return std::nullopt;
  if (next->outputs[0].type.type != ElementType::f32) return std::nullopt;
  tail.last = next;
  ir::Node* const scaled = site.SoleReader(*next);
  if (!product.offsets.empty() || scaled == nullptr || !IsCalled(*scaled, "Multiply") ||
      scaled->outputs[0].type != next->outputs[0].type) {
    return tail;
  }
  const ir::Source& factor = OtherInput(*scaled, *next);
  if (CountIn(factor) == 1 || IsOfChannels(product, node, factor)) {
    tail.last = scaled;
    tail.factor = factor;
  }
  return tail;
}

// One scale per output.
ir::Source ScalesOf(ir::Graph& graph, const ir::Node& like, const FloatTail& tail,
                    int64_t outputs) {
  const Dims dims = {outputs};
  if (!tail.factor) {
    return NewFloats(graph, like, dims, std::vector<float>(static_cast<size_t>(outputs), 1.0f));
  }
  if (CountIn(*tail.factor) == outputs) return Reshaped(graph, like, *tail.factor, dims);
  const ir::Source one = Reshaped(graph, like, *tail.factor, {1});
  const ir::Source extents = NewInts(graph, like, {ElementType::i64, {1}}, dims);
  return NewOperation(graph, like, "Broadcast", 3, {one, extents}, {{"mode", "numpy"}});
}

// A vector of f32 that represents the integers.
ir::Source FloatsOf(ir::Graph& graph, const ir::Node& like, const ir::Source& integers) {
  const ir::Source line = Reshaped(graph, like, integers, {CountIn(integers)});
  return NewOperation(graph, like, "Convert", 1, {line}, {{"destination_type", "f32"}});
}

// Initial sum of each output: (above - zero) * the sum of its weights.
ir::Source CentresOf(ir::Graph& graph, const ir::Node& like, const CentredBytes& x,
                     const ByteProduct& product) {
  const TensorType one = {ElementType::i32, {1}}, all = {ElementType::i32, {product.outputs()}};
  std::vector<int64_t> sums = SumsOf(product);
  if (!x.zero) {
    for (int64_t& sum : sums) sum *= x.data.above;
    return NewInts(graph, like, all, sums);
  }
  const ir::Source above = NewInts(graph, like, one, {x.data.above});
  const ir::Source zero = Reshaped(graph, like, *x.zero, {1});
  const ir::Source away = NewOperation(graph, like, "Subtract", 1, {above, zero});
  return NewOperation(graph, like, "Multiply", 1, {away, NewInts(graph, like, all, sums)});
}

// The initial sums with the bias. With offsets, which are added in f32, the bias follows them: f32
// represents it and the sum before it, so that only the result is rounded.
ir::Source FirstsOf(ir::Graph& graph, const ir::Node& like, const CentredBytes& x,
                    const ByteProduct& product, const FloatTail& tail) {
  const ir::Source centres = CentresOf(graph, like, x, product);
  if (!tail.bias || !product.offsets.empty()) return centres;
  const ir::Source bias = Reshaped(graph, like, *tail.bias, {product.outputs()});
  return NewOperation(graph, like, "Add", 1, {centres, bias});
}

// Sets the padding code, which represents 0: as an input if it is computed, else in `attributes`.
// Returns false if i8 might not hold it.
bool SetPadding(ir::Graph& graph, const ir::Node& like, const CentredBytes& x,
                NodeAttributes& attributes, std::vector<ir::Source>& inputs) {
  const std::vector<int64_t> known = x.zero ? IntsOf(*x.zero) : std::vector<int64_t>{0};
  if (known.size() == 1) {
    const int64_t code = known[0] - x.data.above;
    attributes[ops::kInputZero] = std::to_string(code);
    return code >= kMinByte && code <= kMaxByte;
  }
  const std::optional<WidenedBytes> zero = WidenedBytesOf(*x.zero);
  if (!zero || zero->above != x.data.above) return false;
  const ir::Source byte = Reshaped(graph, like, zero->bytes, {1});
  inputs.push_back(BytesAs(graph, like, byte, ElementType::i8));
  return true;
}

}  // namespace

bool QuantiseComputedProduct(QuantiseSite& site, ir::Node& node) {
  if (node.inputs.empty() || node.outputs.empty()) return false;
  const std::optional<CentredBytes> x = CentredBytesOf(node.inputs[0]);
  if (!x) return false;
  const std::optional<ByteProduct> product = ProductOfIntegers(node);
  if (!product) return false;
  const std::optional<FloatTail> tail = FloatTailOf(site, node, *product);
  if (!tail) return false;
  ir::Graph& graph = site.graph();
  const int64_t outputs = product->outputs();
  ir::Source data = BytesAs(graph, node, x->data.bytes, ElementType::i8);
  if (!product->has_channels_last) data = Transposed(graph, node, data, /*to_last=*/true);
  std::vector<ir::Source> inputs = {
      data, NewInts(graph, node, {ElementType::i8, product->dims}, product->integers),
      ScalesOf(graph, node, *tail, outputs), FirstsOf(graph, node, *x, *product, *tail),
      NewFloats(graph, node, {outputs}, std::vector<float>(static_cast<size_t>(outputs)))};
  NodeAttributes attributes;
  if (IsConvolved(node)) {
    attributes = node.attributes;
    attributes[ops::kXLast] = attributes[ops::kYLast] = "1";
    if (!SetPadding(graph, node, *x, attributes, inputs)) return false;
  }
  ir::Source made =
      NewOperation(graph, node, product->operation, ops::kPassOnly, inputs, attributes);
  if (!product->offsets.empty()) {
    made = WithOffsets(graph, node, *product, made);
    if (tail->bias) {
      made = NewOperation(graph, node, "Add", 1, {made, FloatsOf(graph, node, *tail->bias)});
    }
  }
  if (!product->makes_channels_last) made = Transposed(graph, node, made, /*to_last=*/false);
  Become(*tail->last, "Identity", 16, {made});
  return true;
}

}  // namespace weft::graph
