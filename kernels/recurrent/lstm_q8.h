// SPDX-License-Identifier: Apache-2.0
// One step of an LSTM of TensorFlow Lite in integers, bit-identical to TensorFlow Lite for
// Microcontrollers (Rounding::kMicro) or to LiteRT's reference kernels (Rounding::kLiteRt). x and h
// are int8, the cell c is int16 with the scale 2^cell_power, and everything between is an integer.
// Gates are in order f i c o, without i if they are coupled.
//
//   pre[g] = sat16(sat16(Rescaled(first_x[g] + W[g] x, of_x[g])) +
//                  sat(Rescaled(first_h[g] + R[g] h, of_h[g])))     units of 2^-12
//   pre[g] = sat16(pre[g] + Rescaled(c * peephole[g], of_c[g]))     with peepholes; c' for o
//   pre[g] = layer normalisation of pre[g]                          with it
//   f, i, o = sigmoid(pre), n = tanh(pre[c])                        units of 2^-15; i = 32767 - f
//   c' = sat16(f c / 2^15 + i n / 2^(30 + cell_power)), limited to +-cell_clip unless that is 0
//   h' = sat8(Rescaled(o * tanh(c'), result) + zero)
//
// kMicro saturates each term of a sum to 16 bits, divides by powers of two with two roundings, and
// interpolates sigmoid and tanh in a table. kLiteRt saturates only sums, rounds once (halves away
// from zero), and computes sigmoid and tanh by gemmlowp's polynomials.
#ifndef WEFT_KERNELS_RECURRENT_LSTM_Q8_H_
#define WEFT_KERNELS_RECURRENT_LSTM_Q8_H_

#include <cstddef>
#include <cstdint>

#include "kernels/matrix/pack.h"
#include "kernels/simd/requantise.h"

namespace weft::kernels {

inline constexpr uint32_t kLstmQ8Gates = 4;

// As in weft.fbs.
enum class Rounding : uint8_t { kMicro, kLiteRt };
inline constexpr uint32_t kRoundingCount = 2;

struct LstmQ8Shape {
  uint32_t rows = 0;
  uint32_t inputs = 0;   // of x
  uint32_t cells = 0;    // of c and h'
  uint32_t outputs = 0;  // of h
  uint32_t x_row_stride = 0;
  // By gate: f i c o, also if gates are coupled.
  Multiplier of_x[kLstmQ8Gates], of_h[kLstmQ8Gates], of_c[kLstmQ8Gates], of_norm[kLstmQ8Gates];
  int32_t min_variance[kLstmQ8Gates] = {};  // of the normalisation
  Multiplier result;
  int32_t zero = 0;
  int32_t cell_clip = 0;
  int8_t cell_power = 0;
  Rounding rounding = Rounding::kMicro;  // that of the function called
  bool is_coupled = false, has_peepholes = false, has_norm = false;
};

// Gates with weights.
constexpr uint32_t LstmQ8GatesOf(bool is_coupled) { return kLstmQ8Gates - (is_coupled ? 1 : 0); }

// `numbers` holds, per unit and gate after gate: first_x, first_h; peepholes of f, i and o; weights
// and biases of the normalisation.
constexpr uint64_t LstmQ8Numbers(uint32_t cells, bool is_coupled, bool has_peepholes,
                                 bool has_norm) {
  const uint32_t gates = LstmQ8GatesOf(is_coupled);
  return uint64_t{cells} *
         (uint64_t{2} * gates + (has_peepholes ? gates - 1 : 0) + (has_norm ? 2 * gates : 0));
}

// Elements of int16 of scratch: `pre` of all gates, in complete panels.
constexpr uint64_t LstmQ8ScratchShorts(uint32_t cells, bool is_coupled) {
  const uint64_t outputs = uint64_t{cells} * LstmQ8GatesOf(is_coupled);
  return (outputs + kPanelOutputs - 1) / kPanelOutputs * kPanelOutputs;
}

// x is [rows, inputs], h [rows, outputs], c [rows, cells]. `weights` are W [gates * cells][inputs],
// then R [gates * cells][outputs], each as PackDenseI8 lays it out. c' may be c, and h' may be h if
// outputs is cells; nothing else may overlap. The rounding is kMicro.
void LstmQ8(const LstmQ8Shape& shape, const int8_t* x, const int8_t* weights,
            const int32_t* numbers, const int8_t* h, const int16_t* c, int8_t* h_next,
            int16_t* c_next, int16_t* scratch);
// The same with kLiteRt, if the program has it (kernels/variants.inc).
void LstmQ8LiteRt(const LstmQ8Shape& shape, const int8_t* x, const int8_t* weights,
                  const int32_t* numbers, const int8_t* h, const int16_t* c, int8_t* h_next,
                  int16_t* c_next, int16_t* scratch);
// The same with kMicro and int16 codes of x and h, if the program has it. Sums are rescaled by
// RescaledOnce; no sum may exceed 32 bits, and exponents are at most kMaxShortExponent.
void LstmQ8Shorts(const LstmQ8Shape& shape, const int16_t* x, const int8_t* weights,
                  const int32_t* numbers, const int16_t* h, const int16_t* c, int16_t* h_next,
                  int16_t* c_next, int16_t* scratch);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_LSTM_Q8_H_
