// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/rearranged.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace weft::graph {

ir::Constant Rearranged(const ir::Constant& constant, const Dims& dims, const Dims& strides,
                        Dims shape) {
  const TensorType type = {constant.type.type, std::move(shape)};
  const auto size = static_cast<size_t>(ElementBytes(type.type));
  const auto count = static_cast<size_t>(ElementCount(dims).value_or(0));
  auto bytes = std::make_shared<std::vector<std::byte>>(count * size);
  for (size_t i = 0; i < count; ++i) {
    int64_t from = 0;
    auto rest = static_cast<int64_t>(i);
    for (size_t axis = dims.size(); axis-- > 0; rest /= dims[axis]) {
      from += rest % dims[axis] * strides[axis];
    }
    std::memcpy(bytes->data() + i * size, constant.bytes.data() + static_cast<size_t>(from) * size,
                size);
  }
  return {type, bytes, *bytes, constant.from_integers};
}

}  // namespace weft::graph
