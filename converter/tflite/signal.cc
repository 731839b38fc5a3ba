// SPDX-License-Identifier: Apache-2.0
// The custom operators Signal* of TensorFlow Lite for Microcontrollers: audio front ends on plain
// integers. Stages become operations of the same name, buffers of samples become states. The
// options are FlexBuffers.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "converter/tflite/builder.h"
#include "converter/tflite/custom_options.h"
#include "converter/tflite/quantised.h"
#include "converter/tflite/recurrent_codes.h"

namespace weft::tflite {
namespace {

using OptionNumbers = std::vector<int64_t>;

// Adds a fault if an input or output has a scale, or there are too few of them.
bool ArePlain(Builder& b, size_t inputs, size_t outputs) {
  if (b.input_count() != inputs || b.output_count() != outputs) {
    b.Refuse("has {} inputs and {} outputs; must have {} and {}", b.input_count(), b.output_count(),
             inputs, outputs);
    return false;
  }
  bool has_scale = false;
  for (size_t i = 0; i < inputs; ++i) has_scale = has_scale || IsQuantised(b.InputTensor(i));
  for (size_t i = 0; i < outputs; ++i) has_scale = has_scale || IsQuantised(b.OutputTensor(i));
  if (has_scale) b.Refuse("has a quantised tensor; must have integers without a scale");
  return !has_scale;
}

bool HasFloats(const Builder& b) { return b.InputTensor(0).type == schema::ElementType::f32; }

// A node of the operation with the operator's options as attributes.
ir::Node* AddStage(Builder& b, Sources inputs, OptionKeys keys, size_t outputs) {
  const std::optional<OptionNumbers> numbers = IntegerOptions(b, keys);
  if (!numbers) return nullptr;
  Attributes attributes;
  for (size_t i = 0; i < keys.size(); ++i) {
    attributes[*(keys.begin() + i)] = fmt::format("{}", (*numbers)[i]);
  }
  return &b.AddNode(b.op().custom_code, kOwnVersion, std::move(attributes), std::move(inputs),
                    outputs);
}

// An operator that is one stage.
void Stage(Builder& b, size_t inputs, OptionKeys keys, size_t outputs = 1) {
  if (!ArePlain(b, inputs, outputs)) return;
  ir::Node* node = AddStage(b, b.Inputs(), keys, outputs);
  for (uint32_t i = 0; node != nullptr && i < outputs; ++i) b.Set(i, {node, i});
}

// --- States

ir::Source Zeros(Builder& b, const TensorType& type) {
  return b.Const(type, std::vector<std::byte>(static_cast<size_t>(DenseBytes(type).value_or(0))));
}

ir::Source Scalar(Builder& b, int32_t number) {
  return *ConstantOf<int32_t>(b, ElementType::i32, {}, {number});
}

// The last `past` elements of the last axis before x, then those of x. The state starts with 0 and
// is replaced by the last `past` elements of the result.
ir::Source WithPast(Builder& b, ir::Source x, int64_t past) {
  if (past == 0) return x;
  Dims dims = b.InputTensor(0).dims;
  const int64_t axis = std::ssize(dims) - 1, added = dims.back();
  dims.back() = past;
  const std::string name = b.StateName("past");
  const ElementType type = *IrTypeOf(b.InputTensor(0).type);
  const ir::Source all = b.Joined({b.State(name, Zeros(b, {type, dims})), x}, axis);
  b.SetState(name, b.Sliced(all, axis, added, added + past));
  return all;
}

// Adds a fault and returns false if an option is not in [min, max].
bool RequireOption(Builder& b, const char* key, int64_t is, int64_t min, int64_t max) {
  if (is >= min && is <= max) return true;
  b.Refuse("{} is {}; must be from {} to {}", key, is, min, max);
  return false;
}

constexpr int64_t kMaxLength = 1 << 24;  // samples of a state
constexpr int64_t kMaxFrames = 1000;     // of a run

// Counts up to `limit`: the state before the addition of `added`.
ir::Source Counter(Builder& b, int64_t added, int64_t limit) {
  const std::string name = b.StateName("frames");
  const ir::Source count = b.State(name, Scalar(b, 0));
  const ir::Source sum = b.Add("Add", {count, Scalar(b, static_cast<int32_t>(added))});
  b.SetState(name, b.Add("Minimum", {sum, Scalar(b, static_cast<int32_t>(limit))}));
  return count;
}

ir::Source Boolean(Builder& b, bool value) {
  return b.Const({ElementType::boolean, {}}, {std::byte{value}});
}

}  // namespace

// --- Stages

void SignalWindow(Builder& b) { Stage(b, 2, {"shift"}); }
void SignalFftAutoScale(Builder& b) { Stage(b, 1, {}, 2); }
void SignalEnergy(Builder& b) { Stage(b, 1, {"start_index", "end_index"}); }
void SignalFilterBankSquareRoot(Builder& b) { Stage(b, 2, {}); }
void SignalPcan(Builder& b) { Stage(b, 3, {"snr_shift"}); }
void SignalFilterBankLog(Builder& b) { Stage(b, 1, {"output_scale", "input_correction_bits"}); }

void SignalFilterBankSpectralSubtraction(Builder& b) {
  if (!ArePlain(b, 1, 2)) return;
  const std::string name = b.StateName("noise");
  const ir::Source noise = b.State(name, Zeros(b, {ElementType::i32, b.InputTensor(0).dims}));
  ir::Node* node = AddStage(
      b, {b.Input(0), noise},
      {"smoothing", "one_minus_smoothing", "alternate_smoothing", "alternate_one_minus_smoothing",
       "min_signal_remaining", "smoothing_bits", "spectral_subtraction_bits", "clamping"},
      2);
  if (node == nullptr) return;
  b.SetState(name, {node, 1});
  b.Set(0, {node, 0});
  b.Set(1, {node, 1});
}

// Weights and their complements become pairs, band after band.
void SignalFilterBank(Builder& b) {
  if (!ArePlain(b, 6, 1)) return;
  const std::optional<OptionNumbers> options = IntegerOptions(b, {"num_channels"});
  std::vector<OptionNumbers> tables;
  for (size_t i = 1; i < 6; ++i) {
    const std::optional<OptionNumbers> table = b.Integers(i);
    if (!table || !options) return;
    tables.push_back(*table);
  }
  const OptionNumbers &rising = tables[0], &falling = tables[1], &starts = tables[2];
  const OptionNumbers &weight_starts = tables[3], &widths = tables[4];
  const int64_t bands = (*options)[0] + 1, bins = ElementCount(b.InputTensor(0).dims).value_or(0);
  if (bands < 2 || std::ssize(starts) < bands || std::ssize(weight_starts) < bands ||
      std::ssize(widths) < bands) {
    return b.Refuse("has {} channels and {} bands; must have one band more than channels",
                    bands - 1, starts.size());
  }
  const int64_t weights = static_cast<int64_t>(std::min(rising.size(), falling.size()));
  OptionNumbers pairs, limits;
  for (size_t band = 0; band < static_cast<size_t>(bands); ++band) {
    const int64_t start = starts[band], width = widths[band], from = weight_starts[band];
    if (start < 0 || width < 0 || from < 0 || start + width > bins || from + width > weights) {
      return b.Refuse(
          "band {} has {} bins from {}, with weights from {}; must be inside of {} bins and {} "
          "weights",
          band, width, start, from, bins, weights);
    }
    limits.insert(limits.end(), {start, width});
    for (int64_t i = from; i < from + width; ++i) {
      const auto at = static_cast<size_t>(i);
      pairs.insert(pairs.end(), {rising[at], falling[at]});
    }
  }
  const Dims of_pairs = {std::ssize(pairs) / 2, 2};
  const auto weights_of = ConstantOf<int16_t>(b, ElementType::i16, of_pairs, pairs);
  const auto bands_of = ConstantOf<int16_t>(b, ElementType::i16, {bands, 2}, limits);
  if (!weights_of || !bands_of) return b.Refuse("its tables must have integers of 16 bits");
  b.Set(0, b.Add(b.op().custom_code, kOwnVersion, {}, {b.Input(0), *weights_of, *bands_of}));
}

// --- Transforms: floats by the operations of the IR, whose complex numbers have an axis of two.

void SignalRfft(Builder& b) {
  if (!HasFloats(b)) return Stage(b, 1, {"fft_length"});
  const std::optional<OptionNumbers> options = IntegerOptions(b, {"fft_length"});
  const int64_t rank = b.Rank(0);
  if (!options || !ArePlain(b, 1, 1)) return;
  if (rank < 1) return b.Refuse("input 0 has rank 0; must have at least rank 1");
  const int64_t length = (*options)[0];
  if (!RequireOption(b, "fft_length", length, 2, kMaxLength)) return;
  Dims dims = b.InputTensor(0).dims;
  dims.back() = (length / 2 + 1) * 2;
  const ir::Source y = b.Add(
      "RDFT", "opset9", {}, {b.Input(0), b.Ints(std::array{rank - 1}), b.Ints(std::array{length})});
  b.Set(0, b.Reshaped(y, dims));
}

void SignalIrfft(Builder& b) {
  if (!HasFloats(b)) return Stage(b, 1, {"fft_length"});
  const std::optional<OptionNumbers> options = IntegerOptions(b, {"fft_length"});
  const int64_t rank = b.Rank(0);
  if (!options || !ArePlain(b, 1, 1)) return;
  const int64_t length = (*options)[0];
  if (!RequireOption(b, "fft_length", length, 2, kMaxLength)) return;
  Dims dims = b.InputTensor(0).dims;
  if (rank < 1 || dims.back() != (length / 2 + 1) * 2) {
    return b.Refuse("input 0 is {}; lines must have {} numbers", ToString(dims),
                    (length / 2 + 1) * 2);
  }
  dims.back() /= 2;
  dims.push_back(2);
  b.Set(0, b.Add("IRDFT", "opset9", {},
                 {b.Reshaped(b.Input(0), dims), b.Ints(std::array{rank - 1}),
                  b.Ints(std::array{length})}));
}

// --- Buffers of samples

// Overlapping frames of a stream. Without `prefill`, output 1 is false until the first frame is
// complete; until then, missing samples are 0.
void SignalFramer(Builder& b) {
  const std::optional<OptionNumbers> options =
      IntegerOptions(b, {"frame_size", "frame_step", "prefill"});
  if (!options || !ArePlain(b, 1, 2)) return;
  const int64_t size = (*options)[0], step = (*options)[1], rank = b.Rank(0);
  const bool prefill = (*options)[2] != 0;
  Dims dims = b.InputTensor(0).dims;
  if (!RequireOption(b, "frame_size", size, 1, kMaxLength) ||
      !RequireOption(b, "frame_step", step, 1, prefill ? size : kMaxLength)) {
    return;
  }
  if (rank < 1 || dims.back() < step || dims.back() % step != 0) {
    return b.Refuse("input 0 is {}; lines must be a multiple of the frame_step {}", ToString(dims),
                    step);
  }
  const int64_t frames = dims.back() / step, first = (size + step - 1) / step;
  if (!RequireOption(b, "number of frames", frames, 1, kMaxFrames)) return;
  const ir::Source all = WithPast(b, b.Input(0), prefill ? size - step : (first - 1) * step);
  Sources parts;
  for (int64_t i = 0; i < frames; ++i) {
    const ir::Source part = b.Sliced(all, rank - 1, i * step, i * step + size);
    parts.push_back(b.Unsqueezed(part, rank - 1));
  }
  b.Set(0, parts.size() == 1 ? parts[0] : b.Joined(parts, rank - 1));
  if (prefill || first == 1) return b.Set(1, Boolean(b, true));
  const ir::Source before = Counter(b, frames, first);
  b.Set(1, b.Add("GreaterEqual", {before, Scalar(b, static_cast<int32_t>(first - 1))}));
}

// Each frame with its neighbours. Output 1 is true for every stacker_step-th frame whose right
// neighbours are known. The first frame is also its own left neighbours.
void SignalStacker(Builder& b) {
  const std::optional<OptionNumbers> options = IntegerOptions(
      b, {"num_channels", "stacker_left_context", "stacker_right_context", "stacker_step"});
  if (!options || !ArePlain(b, 1, 2)) return;
  const int64_t channels = (*options)[0], left = (*options)[1], right = (*options)[2];
  const int64_t step = (*options)[3], past = left + right;
  if (!RequireOption(b, "num_channels", channels, 1, kMaxLength) ||
      !RequireOption(b, "stacker_left_context", left, 0, kMaxFrames) ||
      !RequireOption(b, "stacker_right_context", right, 0, kMaxFrames) ||
      !RequireOption(b, "stacker_step", step, 1, past + 1)) {
    return;
  }
  if (b.InputTensor(0).dims != Dims{channels}) {
    return b.Refuse("input 0 is {}; must be a vector of {} channels",
                    ToString(b.InputTensor(0).dims), channels);
  }
  const ir::Source x = b.Input(0);
  // Frames until the next result; 1 more at the first frame, which is thus recognised.
  const std::string of_wait = b.StateName("wait"), of_past = b.StateName("past");
  const ir::Source wait = b.State(of_wait, Scalar(b, -1));
  const ir::Source is_first = b.Add("Equal", {wait, Scalar(b, -1)});
  const ir::Source left_to_wait =
      b.Add("Select", {is_first, Scalar(b, static_cast<int32_t>(right)), wait});
  const ir::Source valid = b.Add("Equal", {left_to_wait, Scalar(b, 0)});
  const ir::Source fewer = b.Add("Subtract", {left_to_wait, Scalar(b, 1)});
  b.SetState(of_wait, b.Add("Select", {valid, Scalar(b, static_cast<int32_t>(step - 1)), fewer}));
  b.Set(1, valid);
  if (past == 0) return b.Set(0, x);
  const ir::Source before = b.State(of_past, Zeros(b, {ElementType::i16, {past * channels}}));
  const ir::Source repeated = b.Add("Tile", {x, b.Ints(std::array{past})});
  const ir::Source start = b.Add("Select", {is_first, repeated, before});
  const ir::Source all = b.Joined({start, x}, 0);
  b.SetState(of_past, b.Sliced(all, 0, channels, (past + 1) * channels));
  b.Set(0, all);
}

void SignalDelay(Builder& b) {
  const std::optional<OptionNumbers> options = IntegerOptions(b, {"delay_length"});
  if (!options || !ArePlain(b, 1, 1)) return;
  const int64_t delay = (*options)[0], rank = b.Rank(0);
  if (!RequireOption(b, "delay_length", delay, 0, kMaxLength)) return;
  if (rank < 1) return b.Refuse("input 0 has rank 0; must have at least rank 1");
  const ir::Source all = WithPast(b, b.Input(0), delay);
  b.Set(0, delay == 0 ? all : b.Sliced(all, rank - 1, 0, b.InputTensor(0).dims.back()));
}

// The sum of overlapping frames; sums of i16 saturate after each frame.
void SignalOverlapAdd(Builder& b) {
  const std::optional<OptionNumbers> options = IntegerOptions(b, {"frame_step"});
  if (!options || !ArePlain(b, 1, 1)) return;
  const int64_t step = (*options)[0], rank = b.Rank(0);
  const Dims& dims = b.InputTensor(0).dims;
  if (rank < 2) return b.Refuse("input 0 has rank {}; must have at least rank 2", rank);
  const int64_t size = dims.back(), frames = dims[dims.size() - 2];
  if (!RequireOption(b, "frame_step", step, 1, size) ||
      !RequireOption(b, "number of frames", frames, 1, kMaxFrames)) {
    return;
  }
  const bool is_float = HasFloats(b);
  const ElementType type = *IrTypeOf(b.InputTensor(0).type);
  Dims line(dims.begin(), dims.end() - 2);
  line.push_back(size - step);
  const std::string name = b.StateName("sum");
  ir::Source sum = size == step ? Zeros(b, {type, line}) : b.State(name, Zeros(b, {type, line}));
  line.back() = step;
  const ir::Source zeros = Zeros(b, {type, line});
  Sources outputs;
  line.back() = size;
  for (int64_t i = 0; i < frames; ++i) {
    const ir::Source frame = b.Reshaped(b.Sliced(b.Input(0), rank - 2, i, i + 1), line);
    ir::Source all = b.Joined({sum, zeros}, rank - 2);
    if (is_float) {
      all = b.Add("Add", {all, frame});
    } else {
      all =
          b.Add("Add", {b.Converted(all, ElementType::i32), b.Converted(frame, ElementType::i32)});
      all = b.Add("Maximum", {all, Scalar(b, -32768)});
      all = b.Converted(b.Add("Minimum", {all, Scalar(b, 32767)}), type);
    }
    outputs.push_back(b.Sliced(all, rank - 2, 0, step));
    sum = b.Sliced(all, rank - 2, step, size);
  }
  if (size != step) b.SetState(name, sum);
  b.Set(0, outputs.size() == 1 ? outputs[0] : b.Joined(outputs, rank - 2));
}

}  // namespace weft::tflite
