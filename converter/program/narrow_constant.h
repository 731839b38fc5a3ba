// SPDX-License-Identifier: Apache-2.0
// A float constant that only products read, as their weights, and the type that it becomes.
#ifndef WEFT_CONVERTER_PROGRAM_NARROW_CONSTANT_H_
#define WEFT_CONVERTER_PROGRAM_NARROW_CONSTANT_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "converter/program/narrow_weights.h"
#include "converter/program/program.h"
#include "converter/program/weight_encodings.h"

namespace weft::program {

// Signal power of numbers, and noise power of their rounding.
struct RoundingNoise {
  double signal = 0, noise = 0;
  void Add(const RoundingNoise& other) {
    signal += other.signal;
    noise += other.noise;
  }
  // Infinite if rounding changed nothing.
  double decibels() const {
    return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
  }
};

// Compares the numbers that are finite before and after.
RoundingNoise NoiseOf(std::span<const float> before, std::span<const float> after);

// A constant, its readers, and the narrow version that replaces it.
struct Constant {
  ValueId root = kNone;
  std::vector<Step*> readers;
  Precision precision;
  uint32_t RowBits() const { return precision ? precision->row_bits : kWideRows; }
  // The chosen type, and the weights in this type until they are values.
  WeightType type = ElementType::f32;
  EncodedWeights encoded;
  bool is_rounded = false;
  int64_t bytes_before = 0, bytes_now = 0;
  RoundingNoise noise;
  // Why it stays f32, where a narrower type was requested; else empty.
  std::string f32_because;
  // For integers: the replacing values, as in EncodedWeights.
  struct Part {
    uint32_t first = 0, count = 0;
    ValueId numbers = kNone, scales = kNone, offsets = kNone;
  };
  std::vector<Part> parts;
};

// Returns the report row of a constant, or of several that became one type.
LayerWeights WeightsRowOf(const std::vector<const Constant*>& constants);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_NARROW_CONSTANT_H_
