// SPDX-License-Identifier: Apache-2.0
// A constant of floats that only products read, each as its weights, and the type that it becomes.
#ifndef WEFT_CONVERTER_PROGRAM_NARROW_CONSTANT_H_
#define WEFT_CONVERTER_PROGRAM_NARROW_CONSTANT_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "converter/program/narrow_weights.h"
#include "converter/program/program.h"

namespace weft::plan {

// The power of numbers, and of what rounding has changed in them.
struct RoundingNoise {
  double signal = 0, noise = 0;
  void Add(const RoundingNoise& other) {
    signal += other.signal;
    noise += other.noise;
  }
  // Infinite where rounding has changed nothing.
  double decibels() const {
    return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
  }
};

// Of the numbers that are finite before and after.
RoundingNoise NoiseOf(std::span<const float> before, std::span<const float> after);

struct Constant {
  ValueId root = kNone;
  std::vector<Step*> readers;
  Precision precision;
  uint32_t RowBits() const { return precision ? precision->row_bits : kWideRows; }
  // What it becomes.
  ElementType type = ElementType::f32;
  bool is_rounded = false;
  std::vector<std::byte> bytes;
  int64_t bytes_before = 0, bytes_now = 0;
  RoundingNoise noise;
  // Why it stays f32, where a narrower type was requested; else empty.
  std::string f32_because;
  // Where it is integers: the values that stand for it, by groups of inputs.
  struct Integers {
    uint32_t first = 0, count = 0;
    ValueId numbers = kNone, scales = kNone, offsets = kNone;
  };
  std::vector<Integers> integers;
  // Where it is integers of 4 bits.
  struct Groups {
    uint32_t blocks = 0;
    ValueId numbers = kNone, scales = kNone, zeros = kNone;
  };
  Groups groups;
};

// The row of a report for a constant, or for several that became one type.
LayerWeights WeightsRowOf(const std::vector<const Constant*>& constants);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_NARROW_CONSTANT_H_
