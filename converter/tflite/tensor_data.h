// SPDX-License-Identifier: Apache-2.0
// The data of constant tensors: in the flatbuffer or after it, dense or sparse.
#ifndef WEFT_CONVERTER_TFLITE_TENSOR_DATA_H_
#define WEFT_CONVERTER_TFLITE_TENSOR_DATA_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/tflite/model.h"

namespace weft::tflite {

// The type of the IR's elements; nullopt for types that weft does not have. u32 is i32 and u64 is
// i64, with the same bits.
std::optional<ElementType> IrTypeOf(schema::ElementType type);
// Returns true for u32 and u64.
bool IsUnsigned(schema::ElementType type);
// Returns true for c64, which is f32 with a last axis of two in the graph.
bool IsComplex(schema::ElementType type);

class TensorDataReader {
 public:
  TensorDataReader(std::shared_ptr<const std::vector<std::byte>> file, const schema::Model& model,
                   Faults& faults)
      : file_(std::move(file)), model_(model), faults_(faults) {}

  // Sets the constant of `tensor` if it has data. Adds faults that start with `where`.
  void Read(const schema::Tensor& from, const std::string& where, Tensor& tensor);

 private:
  std::optional<std::span<const std::byte>> BytesOf(const schema::Tensor& from,
                                                    const std::string& where);
  void Expand(const schema::Sparsity& sparsity, const std::string& where,
              std::span<const std::byte> stored, ir::Constant& constant);

  std::shared_ptr<const std::vector<std::byte>> file_;
  const schema::Model& model_;
  Faults& faults_;
};

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_TENSOR_DATA_H_
