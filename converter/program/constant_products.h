// SPDX-License-Identifier: Apache-2.0
// Replaces a matmul step with one constant factor by products with packed weights: one dense step
// or one convolution of one tap per matrix of the constant. Each output keeps its
// accumulation order, so results with the same weights are bit-identical.
#ifndef WEFT_CONVERTER_PROGRAM_CONSTANT_PRODUCTS_H_
#define WEFT_CONVERTER_PROGRAM_CONSTANT_PRODUCTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/program/builder.h"
#include "converter/program/program.h"

namespace weft::program {

// How a constant holds the weights: an inputs x outputs matrix at each of the offsets. Offsets and
// strides are in elements.
struct ConstantMatrices {
  uint32_t inputs = 0, outputs = 0;
  int64_t input_stride = 1, output_stride = 1;
  std::vector<int64_t> offsets;
  bool operator==(const ConstantMatrices&) const = default;
};

// A matmul by a constant, as products of rows with the matrices of that constant.
struct ConstantProduct {
  // The rows of x and y that are multiplied by one matrix.
  struct Part {
    size_t matrix = 0;
    int64_t x_offset = 0, y_offset = 0;
  };
  size_t constant = 1, data = 0;  // operands of the matmul
  ConstantMatrices matrices;
  std::vector<Part> parts;
  format::ConvParams conv;  // of every part: one tap, one group
};

// Returns nullopt if the step is no f32 matmul by a complete constant, or computes nothing.
std::optional<ConstantProduct> ConstantProductOf(const Program& program, const Step& step);

// The elements of matrix `index` as kernels::PackDense lays them out.
CodedFloats PackMatrix(const CodedFloats& constant, const ConstantMatrices& matrices, size_t index);

// A constant that only matmul steps read, all of them as the same matrices, and the steps that
// replace them.
struct ConstantFactor {
  struct Replaced {
    Step* matmul = nullptr;
    ConstantProduct product;
    std::vector<Step> parts;  // with the x and y of the matmul
  };
  std::vector<Replaced> products;
  std::vector<ValueId> matrices;  // packed; empty if the matmul steps stay
  // Why the matmul steps stay; empty if they are replaced.
  std::string f32_because;
  const ConstantMatrices& shape() const { return products.front().product.matrices; }
};

// Returns why the factor cannot be packed; empty if it can.
std::string WhyNotPacked(const ConstantFactor& factor);
// Returns the file bytes, without weights, that the replacing steps need in addition to the matmul.
int64_t AddedStepBytes(const ConstantFactor& factor);
// Fills the parts. `factor.matrices` must be values of packed floats.
void AddParts(ConstantFactor& factor);
// Appends the parts of a product, each on its own part of x and y.
void EmitParts(Builder& builder, const ConstantFactor::Replaced& replaced);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_CONSTANT_PRODUCTS_H_
