// SPDX-License-Identifier: Apache-2.0
// Spectra. A complex tensor is f32 with a last axis of two, the real and the imaginary part, as in
// the IR.
#include <array>

#include "converter/tflite/builder.h"
#include "converter/tflite/unsupported.h"

namespace weft::tflite {
namespace {

// One of the two parts of input 0.
ir::Source PartOf(Builder& b, int64_t part) {
  return b.Add("Gather", "opset8", {}, {b.Input(0), b.Int(part), b.Int(-1)});
}

}  // namespace

// The last two axes are cropped or padded to the lengths in input 1. A transform of length 1 of an
// axis of extent 1 is the identity.
void Rfft2D(Builder& b) {
  const auto lengths = b.Integers(1);
  if (!lengths) return;
  const int64_t rank = b.Rank(0);
  if (rank < 2 || lengths->size() != 2 || (*lengths)[0] < 1 || (*lengths)[1] < 2) {
    return b.Refuse("fft_length is {} for rank {}; must be 2 numbers, at least 1 and 2, for rank 2",
                    ToString(*lengths), rank);
  }
  const Dims& dims = b.InputTensor(0).dims;
  const bool is_line = (*lengths)[0] == 1 && dims[static_cast<size_t>(rank) - 2] == 1;
  const std::array<int64_t, 2> axes = {rank - 2, rank - 1};
  const size_t first = is_line ? 1 : 0;
  b.Set(0, b.Add("RDFT", "opset9", {},
                 {b.Input(0), b.Ints(std::span(axes).subspan(first)),
                  b.Ints(std::span(*lengths).subspan(first))}));
}

void Real(Builder& b) { b.Set(0, PartOf(b, 0)); }
void Imag(Builder& b) { b.Set(0, PartOf(b, 1)); }

void ComplexAbs(Builder& b) {
  b.Set(0, b.Add("ReduceL2", "opset4", {{"keep_dims", "false"}}, {b.Input(0), b.Ints({{-1}})}));
}

}  // namespace weft::tflite
