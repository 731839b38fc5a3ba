// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/layout/permuted.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "converter/graph/rewrite.h"
#include "converter/ops/support/permutation.h"
#include "converter/program/builder.h"

namespace weft::graph {
namespace {

// The constant viewed with `dims` and permuted to channels-last.
ir::Constant Permuted(const ir::Constant& constant, const Dims& dims) {
  Dims last = ops::ChannelsLast(dims);
  if (!ops::Moves(dims)) {
    return {{constant.type.type, std::move(last)},
            constant.owner,
            constant.bytes,
            constant.quantisation};
  }
  const Dims strides = ops::ChannelsLast(program::DenseStrides(dims));
  return Rearranged(constant, last, strides, last);
}

}  // namespace

void PermutedValues::Permutation(const ir::Source& source) {
  last_.insert({source.node, source.port});
  Dims& dims = source.node->outputs[source.port].type.dims;
  dims = ops::ChannelsLast(dims);
}

ir::Source Transposed(ir::Graph& graph, const ir::Node& like, const ir::Source& source,
                      bool to_last) {
  const size_t rank = TypeOf(source).dims.size();
  const std::vector<size_t> last = ops::LastOrder(rank);
  std::vector<int64_t> order(rank);
  for (size_t i = 0; i < rank; ++i) {
    if (to_last) {
      order[i] = static_cast<int64_t>(last[i]);
    } else {
      order[last[i]] = static_cast<int64_t>(i);
    }
  }
  const ir::Source axes =
      NewInts(graph, like, {ElementType::i64, {static_cast<int64_t>(rank)}}, order);
  return NewOperation(graph, like, "Transpose", 1, {source, axes});
}

ir::Source PermutedValues::As(const ir::Node& reader, const ir::Source& source, bool last) {
  const Key key = {source.node, source.port};
  if (last_.contains(key) == last) return source;
  const auto [entry, is_new] = transposed_.try_emplace(key);
  if (is_new) entry->second = Transposed(graph_, *source.node, source, last);
  const ir::Source& otherwise = entry->second;
  if (ir::IsResult(reader)) {
    otherwise.node->outputs[0].names = source.node->outputs[source.port].names;
  }
  return otherwise;
}

ir::Source PermutedValues::Operand(const ir::Node& reader, const ir::Source& source,
                                   const Dims& dims) {
  const auto [entry, is_new] =
      operands_.try_emplace({source.node, source.port, dims}, ir::Source());
  if (!is_new) return entry->second;
  if (const ir::Constant* constant = ConstantOf(source)) {
    return entry->second = NewConstant(graph_, *source.node, Permuted(*constant, dims));
  }
  return entry->second =
             Transposed(graph_, reader, Reshaped(graph_, reader, source, dims), /*to_last=*/true);
}

}  // namespace weft::graph
