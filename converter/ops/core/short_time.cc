// SPDX-License-Identifier: Apache-2.0
// STFT and ISTFT. Forward: a constant window is part of the transform, and frames are overlapping
// rows of the signal: one step. Inverse: one step writes the windowed frames; a reduce step adds
// the overlaps, and the sum is divided by the sum of squared windows. A window that the run
// computes multiplies the frames in a separate step; the sum of its squares is computed by the same
// overlap-add.
//
// The parts of short_time.h use the same functions, so that their bits are equal.
#include "converter/ops/core/short_time.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "converter/base/narrow.h"
#include "converter/ir/time_length.h"
#include "converter/ops/core/line_transform.h"
#include "converter/ops/core/reduce.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/look_back.h"
#include "converter/ops/support/movement.h"
#include "converter/ops/support/pointwise.h"

namespace weft::ops {
namespace {

// A frame has `size` samples and begins `step` samples after the previous frame.
struct Framing {
  int64_t size = 0, step = 0;
  int64_t bins() const { return size / 2 + 1; }
};

// Reads inputs 1 to 3: window, frame_size, frame_step.
std::optional<Framing> ReadFraming(InferScope& scope, FourierOp op) {
  constexpr size_t kSignal[] = {0}, kWindow[] = {1};
  CheckElements(scope, kSignal, {ElementType::f32});
  const std::optional<int64_t> size = ControlInt(scope, 2, "frame size");
  const std::optional<int64_t> step = ControlInt(scope, 3, "frame step");
  if (size && *size < 1) scope.Fault("frame size is {}; must be at least 1", *size);
  if (step && *step < 1) scope.Fault("frame step is {}; must be at least 1", *step);
  if (scope.constant(1) == nullptr) CheckElements(scope, kWindow, {ElementType::f32});
  if (scope.rank(1) != 1 || (size && scope.input_dims(1)[0] > *size)) {
    scope.Fault("window is {}; must be one-dimensional, with at most the frame size",
                ToString(scope.input_type(1)));
  }
  if (scope.failed() || !CheckTransform(scope, op, *size, *size)) return std::nullopt;
  return Framing{*size, *step};
}

Framing FramingOf(const NodeScope& scope) {
  return {scope.Ints(2).value()[0], scope.Ints(3).value()[0]};
}

// The window with one number per sample of a frame; a shorter window is centred between zeros.
// Empty if the run computes it.
std::vector<double> WindowOf(const NodeScope& scope, int64_t size) {
  const std::optional<std::vector<double>> numbers = scope.Numbers(1);
  if (!numbers) return {};
  const std::vector<double>& given = *numbers;
  std::vector<double> window(static_cast<size_t>(size));
  const auto left = static_cast<ptrdiff_t>((window.size() - given.size()) / 2);
  std::ranges::copy(given, window.begin() + left);
  return window;
}

// As above for a window that the run computes, in rows of `width` samples with zeros after the
// frame.
program::ValueId ComputedWindow(LowerScope& scope, int64_t size, int64_t width) {
  program::Builder& builder = scope.builder;
  const int64_t given = scope.input_dims(1)[0];
  if (given == width) return scope.input(1);
  const program::ValueId window = builder.Scratch({ElementType::f32, {width}});
  builder.Fill(window);
  builder.CopyStrided(scope.input(1), window, {given}, {1}, 0, {1}, (size - given) / 2);
  return window;
}

constexpr int64_t kTimeOfParts = 1;  // axis of input 0 and output 0 of the parts

int64_t PadIn(const NodeScope& scope, const char* key) { return scope.attributes.Int(key, 0); }

// STFT

bool PutsFramesLast(const NodeScope& scope) {
  return scope.attributes.Bool("transpose_frames", false);
}

void InferStft(InferScope& scope) {
  const std::optional<Framing> framing = ReadFraming(scope, FourierOp::kForwardReal);
  const int64_t rank = scope.rank(0);
  if (rank != 1 && rank != 2) scope.Fault("signal has {} axes; must have 1 or 2", rank);
  if (!framing || scope.failed()) return;
  Dims dims = scope.input_dims(0);
  const int64_t length = dims.back();
  if (framing->size > length) {
    scope.Fault("signal has {} samples; must have at least one frame of {}", length, framing->size);
    return;
  }
  dims.back() = (length - framing->size) / framing->step + 1;
  dims.insert(dims.end() - PutsFramesLast(scope), framing->bins());
  dims.push_back(2);
  scope.SetOutput(0, ElementType::f32, std::move(dims));
}

// Exchanges frames and bins of [batch, frames, bins, 2].
void ExchangeFramesAndBins(program::Builder& builder, const Dims& dims, program::ValueId source,
                           program::ValueId target) {
  const int64_t frames = dims[1], bins = dims[2];
  builder.CopyStrided(source, target, dims, program::DenseStrides(dims), 0,
                      {frames * bins * 2, 2, frames * 2, 1}, 0);
}

// Frames as rows that begin `stride` samples apart.
struct FrameRows {
  program::ValueId value = program::kNone;
  int64_t stride = 0;
};

struct Signals {
  program::ValueId value = program::kNone;
  int64_t batch = 1, length = 0;
};

FrameRows EmitFrameRows(LowerScope& scope, const Framing& framing, const Signals& signals,
                        int64_t frames) {
  program::Builder& builder = scope.builder;
  const auto& [value, batch, length] = signals;
  const bool windows = scope.constant(1) == nullptr;
  // Rows of several signals do not have a constant distance.
  if (batch == 1 && !windows) return {value, framing.step};
  const Dims dims = {batch, frames, framing.size};
  const Dims strides = {length, framing.step, 1};
  const program::ValueId rows = builder.Scratch({ElementType::f32, dims});
  if (windows) {
    EmitBinary(builder, format::BinaryOp::multiply,
               JoinedNest(dims, std::array{strides, Dims{0, 0, 1}}), value,
               ComputedWindow(scope, framing.size, framing.size), rows);
  } else {
    builder.CopyStrided(value, rows, dims, strides, 0, program::DenseStrides(dims), 0);
  }
  return {rows, framing.size};
}

// The transforms of signals [batch, length], as [batch, frames, bins, 2] or with bins before
// frames.
void EmitStft(LowerScope& scope, Signals signals, bool exchanged) {
  const Framing framing = FramingOf(scope);
  const program::ValueId y = scope.NewOutput(0);
  program::Builder& builder = scope.builder;
  const int64_t batch = signals.batch;
  const int64_t frames = (signals.length - framing.size) / framing.step + 1;
  const FrameRows rows = EmitFrameRows(scope, framing, signals, frames);
  const Dims dims = {batch, frames, framing.bins(), 2};
  const program::ValueId spectra = exchanged ? builder.Scratch({ElementType::f32, dims}) : y;
  LineTransform transform;
  transform.op = FourierOp::kForwardReal;
  transform.size = transform.given = framing.size;
  transform.window = WindowOf(scope, framing.size);
  EmitTransform(builder, transform, batch * frames, rows.stride, rows.value, spectra);
  if (exchanged) ExchangeFramesAndBins(builder, dims, spectra, y);
}

Signals SignalsOf(LowerScope& scope) {
  const int64_t length = scope.input_dims(0).back();
  return {scope.input(0), *ElementCount(scope.input_dims(0)) / length, length};
}

void LowerStft(LowerScope& scope) { EmitStft(scope, SignalsOf(scope), PutsFramesLast(scope)); }

// PaddedSTFT

WindowAxis PaddedFrames(const NodeScope& scope) {
  const Framing framing = FramingOf(scope);
  WindowAxis frames = {scope.input_dims(0)[1], framing.size, framing.step, 1};
  frames.pad_begin = PadIn(scope, "pads_begin");
  frames.pad_end = PadIn(scope, "pads_end");
  frames.out = (frames.in + frames.pad_begin + frames.pad_end - framing.size) / framing.step + 1;
  return frames;
}

void InferPaddedStft(InferScope& scope) {
  scope.SetOutput(0, ElementType::f32,
                  {scope.input_dims(0)[0], PaddedFrames(scope).out, FramingOf(scope).bins(), 2});
}

void LowerPaddedStft(LowerScope& scope) {
  const WindowAxis frames = PaddedFrames(scope);
  Signals signals = SignalsOf(scope);
  if (frames.pad_begin != 0 || frames.pad_end != 0) {
    program::Builder& builder = scope.builder;
    const int64_t length = frames.pad_begin + frames.in + frames.pad_end;
    const program::ValueId padded = builder.Scratch({ElementType::f32, {signals.batch, length}});
    builder.Fill(padded);
    builder.CopyStrided(signals.value, padded, {signals.batch, frames.in}, {frames.in, 1}, 0,
                        {length, 1}, frames.pad_begin);
    signals = {padded, signals.batch, length};
  }
  EmitStft(scope, signals, false);
}

void PaddedStftAxes(AxisScope& scope) {
  scope.Pair(0, 0, 0, 0);
  scope.relation.reason = "splits time into frames";
  Window window;
  window.axis_count = 1;
  window.x = PaddedFrames(scope);
  if (const auto windows = WindowsOf(scope, window, 0, kTimeOfParts)) {
    scope.relation.windows.push_back(*windows);
  }
  if (const auto delay = LookBackOf(scope, window, 0, kTimeOfParts)) {
    scope.relation.delays.push_back(*delay);
  }
}

// ISTFT

bool IsCentred(const NodeScope& scope) { return scope.attributes.Bool("center", false); }

void InferIstft(InferScope& scope) {
  const std::optional<Framing> framing = ReadFraming(scope, FourierOp::kInverseReal);
  const Dims& dims = scope.input_dims(0);
  if ((dims.size() != 3 && dims.size() != 4) || dims.back() != 2) {
    scope.Fault("spectra are {}; must be [bins, frames, 2] or [batch, bins, frames, 2]",
                ToString(scope.input_type(0)));
  }
  if (!framing || scope.failed()) return;
  const int64_t bins = dims.end()[-3], frames = dims.end()[-2];
  if (bins != framing->bins() || frames == 0) {
    scope.Fault(
        "spectra have {} bins and {} frames; must have {} bins (frame size / 2 + 1) and at least 1 "
        "frame",
        bins, frames, framing->bins());
  }
  const int64_t cut = IsCentred(scope) ? framing->size / 2 * 2 : 0;
  int64_t length = (frames - 1) * framing->step + framing->size - cut;
  if (scope.has_input(4)) length = ControlInt(scope, 4, "signal length").value_or(0);
  if (length < 0) scope.Fault("signal length is {}; must not be negative", length);
  if (scope.failed()) return;
  scope.SetOutput(0, ElementType::f32, dims.size() == 3 ? Dims{length} : Dims{dims[0], length});
}

// The first sample of the overlap-add that belongs to the signal.
int64_t FirstSample(const NodeScope& scope, const Framing& framing) {
  return IsCentred(scope) ? framing.size / 2 : 0;
}

// Geometry of the overlap-add. A frame is padded with zeros to `blocks` blocks of `step` samples.
// There are `before` zero frames before the first frame and `after` after the last one, so that
// each block of the signal is a sum of `blocks` blocks at a constant distance.
struct Overlap {
  int64_t batch, frames, step, blocks;
  int64_t before = blocks - 1, after = blocks - 1;
  int64_t width() const { return blocks * step; }
  int64_t rows() const { return before + frames + after; }
  int64_t steps() const { return rows() - (blocks - 1); }
  int64_t length() const { return steps() * step; }
};

int64_t BlocksOf(const Framing& framing) {
  return (framing.size + framing.step - 1) / framing.step;
}

Overlap OverlapOf(const NodeScope& scope, const Framing& framing) {
  const Dims& dims = scope.input_dims(0);
  return {dims.size() == 3 ? 1 : dims[0], dims.end()[-2], framing.step, BlocksOf(framing)};
}

LineTransform WindowedInverse(const NodeScope& scope, const Framing& framing, int64_t width) {
  LineTransform transform;
  transform.op = FourierOp::kInverseReal;
  transform.size = framing.size;
  transform.given = framing.bins();
  transform.window = WindowOf(scope, framing.size);
  if (scope.attributes.Bool("normalized", false)) {
    transform.scale = std::sqrt(static_cast<double>(framing.size));
  }
  transform.width = width;
  return transform;
}

// [batch, rows, width]: the frames of each batch element between borders of zeros.
program::ValueId EmitFrames(LowerScope& scope, const Framing& framing, const Overlap& overlap) {
  program::Builder& builder = scope.builder;
  const Dims spectra_dims = {overlap.batch, framing.bins(), overlap.frames, 2};
  const program::ValueId spectra =
      builder.Scratch({ElementType::f32, {overlap.batch, overlap.frames, 2 * framing.bins()}});
  ExchangeFramesAndBins(builder, spectra_dims, scope.input(0), spectra);
  const LineTransform transform = WindowedInverse(scope, framing, overlap.width());
  const int64_t inputs = 2 * framing.bins();
  const program::ValueId frames =
      builder.Scratch({ElementType::f32, {overlap.batch, overlap.rows(), overlap.width()}});
  if (overlap.before != 0 || overlap.width() != framing.size) builder.Fill(frames);
  constexpr int64_t kFloatBytes = sizeof(float);
  for (int64_t i = 0; i < overlap.batch; ++i) {
    const program::ValueId source = builder.View(spectra, i * overlap.frames * inputs * kFloatBytes,
                                                 {ElementType::f32, {overlap.frames, inputs}});
    const program::ValueId target =
        builder.View(frames, (i * overlap.rows() + overlap.before) * overlap.width() * kFloatBytes,
                     {ElementType::f32, {overlap.frames, overlap.width()}});
    EmitTransform(builder, transform, overlap.frames, inputs, source, target);
  }
  if (!transform.window.empty()) return frames;
  const program::ValueId windowed = builder.Scratch(builder.value(frames).type);
  EmitBinary(builder, format::BinaryOp::multiply, frames,
             ComputedWindow(scope, framing.size, overlap.width()), windowed);
  return windowed;
}

// [batch, length]: sample o of block b is the sum over j of sample o + (blocks - 1 - j) * step of
// row b + j.
program::ValueId EmitOverlapAdd(program::Builder& builder, const Overlap& overlap,
                                program::ValueId frames) {
  if (overlap.blocks == 1) return frames;
  const int64_t width = overlap.width();
  const ReduceAxis axes[] = {{overlap.batch, overlap.rows() * width, false},
                             {overlap.steps(), width, false},
                             {overlap.step, 1, false},
                             {overlap.blocks, width - overlap.step, true}};
  const int64_t first = (overlap.blocks - 1) * overlap.step;
  const int64_t reach = overlap.batch * overlap.rows() * width - first;
  const program::ValueId from_first = builder.View(
      frames, first * static_cast<int64_t>(sizeof(float)), {ElementType::f32, {reach}});
  const program::ValueId sums =
      builder.Scratch({ElementType::f32, {overlap.batch, overlap.length()}});
  EmitReduce(builder, format::ReduceOp::sum, CollapsedAxes(axes), from_first, sums);
  return sums;
}

// 1 / the sum of squared windows at each sample; 0 where all windows are 0.
std::vector<float> InverseWeights(const NodeScope& scope, const Framing& framing,
                                  const Overlap& overlap) {
  const std::vector<double> window = WindowOf(scope, framing.size);
  std::vector<double> sums(static_cast<size_t>(overlap.length()));
  for (int64_t frame = 0; frame < overlap.frames; ++frame) {
    for (size_t i = 0; i < window.size(); ++i) {
      sums[static_cast<size_t>(frame * overlap.step) + i] += window[i] * window[i];
    }
  }
  std::vector<float> weights;
  for (const double sum : sums) weights.push_back(sum == 0 ? 0.0f : static_cast<float>(1 / sum));
  return weights;
}

// The sum of squares of a computed window at each sample; 1 where the sum is 0.
program::ValueId EmitWeights(LowerScope& scope, const Framing& framing, Overlap overlap) {
  program::Builder& builder = scope.builder;
  overlap.batch = 1;
  const int64_t width = overlap.width();
  const program::ValueId window = ComputedWindow(scope, framing.size, width);
  const program::ValueId squares = builder.Scratch({ElementType::f32, {width}});
  EmitBinary(builder, format::BinaryOp::multiply, window, window, squares);
  const program::ValueId rows = builder.Scratch({ElementType::f32, {1, overlap.rows(), width}});
  if (overlap.before != 0) builder.Fill(rows);
  builder.CopyStrided(squares, rows, {overlap.frames, width}, {0, 1}, 0, {width, 1},
                      overlap.before * width);
  const program::ValueId sums = EmitOverlapAdd(builder, overlap, rows);
  const Dims line = {1, overlap.length()}, one = {1, 1};
  const program::ValueId is_zero = builder.Scratch({ElementType::boolean, line});
  const program::ValueId zero = builder.WeightsOf<float>({ElementType::f32, {1}}, {0});
  EmitCompare(builder, format::CompareOp::equal, {sums, line}, {zero, one}, is_zero);
  const program::ValueId weights = builder.Scratch({ElementType::f32, line});
  EmitSelect(builder, {is_zero, line},
             {builder.WeightsOf<float>({ElementType::f32, {1}}, {1}), one}, {sums, line},
             {weights, line});
  return weights;
}

// Divides the summed frames by the sum of squared windows.
program::ValueId EmitWithoutWeights(LowerScope& scope, const Framing& framing,
                                    const Overlap& overlap, program::ValueId sums) {
  program::Builder& builder = scope.builder;
  const Dims dims = {overlap.batch, overlap.length()}, line = {1, overlap.length()};
  const program::ValueId signal = builder.Scratch({ElementType::f32, dims});
  if (scope.constant(1) == nullptr) {
    EmitBinary(builder, format::BinaryOp::divide, {sums, dims},
               {EmitWeights(scope, framing, overlap), line}, signal);
    return signal;
  }
  const program::ValueId weights =
      builder.WeightsOf({ElementType::f32, line}, InverseWeights(scope, framing, overlap));
  EmitBinary(builder, format::BinaryOp::multiply, {sums, dims}, {weights, line}, signal);
  return signal;
}

void LowerIstft(LowerScope& scope) {
  const Framing framing = FramingOf(scope);
  const program::ValueId y = scope.NewOutput(0);
  program::Builder& builder = scope.builder;
  const Overlap overlap = OverlapOf(scope, framing);
  const program::ValueId sums =
      EmitOverlapAdd(builder, overlap, EmitFrames(scope, framing, overlap));
  const program::ValueId signal = EmitWithoutWeights(scope, framing, overlap, sums);
  const int64_t first = FirstSample(scope, framing);
  const int64_t length = scope.output_type(0).dims.back();
  const int64_t given = std::clamp(overlap.length() - first, int64_t{0}, length);
  if (given != length) builder.Fill(y);
  if (given == 0) return;
  builder.CopyStrided(signal, y, {overlap.batch, given}, {overlap.length(), 1}, first, {length, 1},
                      0);
}

// FramesOfISTFT

void InferFrames(InferScope& scope) {
  const Framing framing = FramingOf(scope);
  const Dims& dims = scope.input_dims(0);
  scope.SetOutput(0, ElementType::f32, {dims[0], dims[1], BlocksOf(framing) * framing.step});
}

void LowerFrames(LowerScope& scope) {
  const Framing framing = FramingOf(scope);
  const Dims& dims = scope.output_type(0).dims;
  const program::ValueId y = scope.NewOutput(0);
  if (dims[2] != framing.size) scope.builder.Fill(y);
  EmitTransform(scope.builder, WindowedInverse(scope, framing, dims[2]), dims[0] * dims[1],
                2 * framing.bins(), scope.input(0), y);
}

// OverlapAdd

// Along the frames: the taps are all samples of a frame.
WindowAxis OverlapWindow(const NodeScope& scope) {
  const Dims& dims = scope.input_dims(0);
  WindowAxis axis = {dims[1], dims[2], PadIn(scope, "step"), 1};
  axis.pad_begin = PadIn(scope, "pads_begin");
  axis.pad_end = PadIn(scope, "pads_end");
  axis.out = (axis.in - 1) * axis.stride + axis.kernel - axis.pad_begin - axis.pad_end;
  return axis;
}

void InferOverlapAdd(InferScope& scope) {
  scope.SetOutput(0, ElementType::f32, {scope.input_dims(0)[0], OverlapWindow(scope).out});
}

// The frames between the zero frames that the first and the last sample need; leaves out frames
// before the first sample.
program::ValueId EmitRows(LowerScope& scope, const Overlap& overlap, int64_t skipped) {
  program::Builder& builder = scope.builder;
  const Dims dims = {overlap.batch, overlap.frames, overlap.width()};
  const int64_t all = scope.input_dims(0)[1] * dims[2];
  if (overlap.rows() * dims[2] == all) return scope.input(0);
  const Dims row_dims = {overlap.batch, overlap.rows(), dims[2]};
  const program::ValueId rows = builder.Scratch({ElementType::f32, row_dims});
  if (overlap.rows() != overlap.frames) builder.Fill(rows);
  builder.CopyStrided(scope.input(0), rows, dims, {all, dims[2], 1}, skipped * dims[2],
                      program::DenseStrides(row_dims), overlap.before * dims[2]);
  return rows;
}

void LowerOverlapAdd(LowerScope& scope) {
  const WindowAxis axis = OverlapWindow(scope);
  const program::ValueId y = scope.NewOutput(0);
  const int64_t blocks = axis.kernel / axis.stride;
  const int64_t first = axis.pad_begin / axis.stride;
  const int64_t last = (axis.pad_begin + axis.out - 1) / axis.stride;
  const int64_t skipped = std::max<int64_t>(first - (blocks - 1), 0);
  Overlap overlap = {scope.input_dims(0)[0], std::min(axis.in, last + 1) - skipped, axis.stride,
                     blocks};
  overlap.before = std::max<int64_t>(blocks - 1 - first, 0);
  overlap.after = std::max<int64_t>(last + 1 - axis.in, 0);
  const program::ValueId sums =
      EmitOverlapAdd(scope.builder, overlap, EmitRows(scope, overlap, skipped));
  scope.builder.CopyStrided(sums, y, {overlap.batch, axis.out}, {overlap.length(), 1},
                            axis.pad_begin - first * axis.stride, {axis.out, 1}, 0);
}

void OverlapAddAxes(AxisScope& scope) {
  scope.Pair(0, 0, 0, 0);
  scope.relation.reason = "adds frames that overlap";
  Window window;
  window.axis_count = 1;
  window.x = OverlapWindow(scope);
  std::optional<Windows> windows = WindowsOf(scope, window, 0, kTimeOfParts);
  if (windows) {
    windows->spread = true;
    scope.relation.windows.push_back(*std::move(windows));
  }
  if (const auto delay = SpreadDelayOf(window, 0, kTimeOfParts)) {
    scope.relation.delays.push_back(*delay);
  }
}

void FramesAxes(AxisScope& scope) {
  scope.Pair(0, 0, 0, 0);
  scope.Pair(0, kTimeOfParts, 0, kTimeOfParts);
}

// Only an optional batch axis before the signal or spectra is independent of time.
template <int64_t unbatched_rank>
void FramedAxes(AxisScope& scope) {
  if (scope.rank(0) > unbatched_rank) scope.Pair(0, 0, 0, 0);
  scope.relation.reason = "splits time into frames";
}

constexpr Operation kShortTimeRows[] = {
    {"STFT", 15, 4, 4, InferStft, LowerStft, ShapedBy(FramedAxes<1>)},
    {"ISTFT", 16, 4, 5, InferIstft, LowerIstft, ShapedBy(FramedAxes<3>)},
    {kPaddedStft, kPassOnly, 4, 4, InferPaddedStft, LowerPaddedStft, ShapedBy(PaddedStftAxes)},
    {kIstftFrames, kPassOnly, 4, 4, InferFrames, LowerFrames, ShapedBy(FramesAxes)},
    {kOverlapAdd, kPassOnly, 1, 1, InferOverlapAdd, LowerOverlapAdd, Apart(OverlapAddAxes)},
};

}  // namespace

std::optional<OverlapParts> OverlapPartsOf(const NodeScope& scope) {
  const Framing framing = FramingOf(scope);
  Overlap overlap = OverlapOf(scope, framing);
  const int64_t length = scope.node().outputs[0].type.dims.back();
  const int64_t first = FirstSample(scope, framing);
  const int64_t last = first + length, all = (overlap.frames - 1) * framing.step + overlap.width();
  const bool has_gaps = framing.size < framing.step;
  if (has_gaps || scope.constant(1) == nullptr || length == 0) return std::nullopt;
  if (last > all || last <= (overlap.frames - 1) * framing.step) return std::nullopt;
  const bool is_open = ir::IsOpen(scope.node().inputs[0], scope.input_dims(0).size() - 2);
  OverlapParts parts = {framing.step, first, all - last, {}, is_open};
  if (parts.is_open) overlap.frames = overlap.blocks;
  parts.factors = InverseWeights(scope, framing, overlap);
  if (parts.is_open) {
    parts.factors.resize(static_cast<size_t>(overlap.width()));
  } else {
    parts.factors.resize(static_cast<size_t>(last));
    parts.factors.erase(parts.factors.begin(), parts.factors.begin() + first);
  }
  return parts;
}

std::span<const Operation> ShortTimeOperations() { return kShortTimeRows; }

}  // namespace weft::ops
