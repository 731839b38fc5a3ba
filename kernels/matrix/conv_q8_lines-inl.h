// SPDX-License-Identifier: Apache-2.0
// Convolution of quantised values with weights in the order of quads: lines of x are copied as
// unsigned factors with their padding, so that each part of a patch is contiguous and no output is
// at an edge. Included only by conv_q8_vectors-inl.h, and not for all targets: so without a guard.

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Bytes of stack for lines.
inline constexpr size_t kLinesRoom = 16384;

// Sets the parts of a patch in copied lines of `line_bytes`. Returns false if a patch has no such
// parts, or if its weights do not fit.
HWY_INLINE bool PartsOfLines(const ConvQ8Shape& shape, size_t padded, size_t line_bytes,
                             ConvPieces& pieces) {
  RowsQ8& rows = pieces.rows;
  const size_t channels = shape.in_channels;
  rows.inputs = shape.kernel_width * channels;
  rows.runs = shape.kernel_height;
  rows.run_step = rows.runs == 1 ? 0 : shape.dilation_y * line_bytes;
  if (shape.kernel_width != 1 && shape.dilation_x != 1) {
    if (rows.runs != 1) return false;
    rows.inputs = channels;
    rows.runs = shape.kernel_width;
    rows.run_step = shape.dilation_x * channels;
  }
  const size_t whole = RoundedToQuads(rows.inputs);
  if (whole == rows.inputs) return true;
  const auto position = [](size_t k, size_t n, size_t) {
    return k / kQuad * kQuadBytes + n * kQuad + k % kQuad;
  };
  if (!PadParts(padded, whole, position, pieces)) return false;
  rows.quads = pieces.weights;
  rows.quads_step = rows.runs * whole * kPanelOutputs;
  return true;
}

// Returns false, without writing, for convolutions that gather patches.
HWY_INLINE bool ConvByLines(ConvGroup& at, size_t padded) {
  const ConvQ8Shape& shape = at.shape;
  const size_t channels = shape.in_channels;
  if (channels != 1 && shape.x.channel != 1) return false;
  const auto reach = [](uint32_t outputs, uint32_t stride, uint32_t taps, uint32_t dilation) {
    return uint64_t{outputs - 1} * stride + uint64_t{taps - 1} * dilation + 1;
  };
  const uint64_t pixels =
      reach(shape.out_width, shape.stride_x, shape.kernel_width, shape.dilation_x);
  const uint64_t lines = reach(1, 1, shape.kernel_height, shape.dilation_y);
  if (pixels > kLinesRoom || lines > kLinesRoom || pixels * channels * lines > kLinesRoom)
    return false;
  const size_t line_bytes = pixels * channels;
  ConvPieces pieces(at.rows);
  RowsQ8& rows = pieces.rows;
  if (!PartsOfLines(shape, padded, line_bytes, pieces)) return false;
  alignas(64) int8_t copies[kLinesRoom + 64];
  const size_t room = kLinesRoom / line_bytes;
  const size_t most = (room - lines) / shape.stride_y + 1;  // rows of outputs at a time
  const FactorLine line = {at.geometry.across.Origin(0), pixels, channels, channels};
  rows.y_stride = shape.y.pixel;
  Tiles registers;
  const QuadRows parts = {copies, shape.stride_x * channels, rows.inputs, rows.runs, rows.run_step};
  for (uint32_t first = 0; first < shape.out_height;) {
    const size_t left = shape.out_height - first, some = left < most ? left : most;
    const size_t count = (some - 1) * shape.stride_y + lines;
    for (size_t i = 0; i < count; ++i) {
      CopyLine(shape, at.x, shape.x_zero, line,
               at.geometry.down.Origin(first) + static_cast<int64_t>(i), copies + i * line_bytes);
    }
    QuadRows patches = parts;
    for (size_t i = 0; i < some; ++i, ++first, patches.numbers += shape.stride_y * line_bytes) {
      rows.position = at.position + StepTo(first, shape.y.row);
      RunQuads(rows, patches, 0, shape.out_width, registers);
    }
  }
  return true;
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
