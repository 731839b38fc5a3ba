// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "converter/graph/rewrite.h"
#include "converter/program/builder.h"

namespace weft::graph {

ir::Constant Rearranged(const ir::Constant& constant, const Dims& dims, const Dims& strides,
                        Dims shape, int64_t first) {
  const TensorType type = {constant.type.type, std::move(shape)};
  const auto size = static_cast<size_t>(ElementBytes(type.type));
  const auto count = static_cast<size_t>(ElementCount(dims).value_or(0));
  auto bytes = std::make_shared<std::vector<std::byte>>(count * size);
  std::vector<float> before, scales;
  if (constant.quantisation != nullptr) before = constant.quantisation->scales();
  for (size_t i = 0; i < count; ++i) {
    int64_t from = first;
    auto rest = static_cast<int64_t>(i);
    for (size_t axis = dims.size(); axis-- > 0; rest /= dims[axis]) {
      from += rest % dims[axis] * strides[axis];
    }
    std::memcpy(bytes->data() + i * size, constant.bytes.data() + static_cast<size_t>(from) * size,
                size);
    if (!before.empty()) scales.push_back(before[static_cast<size_t>(from)]);
  }
  if (constant.quantisation == nullptr) return {type, bytes, *bytes};
  return {type, bytes, *bytes, std::make_shared<const Quantisation>(std::move(scales))};
}

ir::Constant PartOf(const ir::Constant& constant, size_t axis, int64_t begin, int64_t count) {
  Dims taken = constant.type.dims;
  taken[axis] = count;
  const Dims strides = program::DenseStrides(constant.type.dims);
  return Rearranged(constant, taken, strides, taken, begin * strides[axis]);
}

}  // namespace weft::graph
