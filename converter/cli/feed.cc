// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "converter/base/elements.h"
#include "converter/base/files.h"
#include "converter/base/packed.h"
#include "converter/base/paths.h"
#include "converter/base/text.h"
#include "converter/cli/array_text.h"
#include "converter/cli/wav.h"
#include "kernels/elementwise/convert.h"
#include "runtime/format/listing.h"

namespace weft::cli {
namespace {

// Limit for arrays without bytes, whose number of calls is not limited by their size.
constexpr int64_t kMaxEmptyCalls = 1'000'000;

bool IsSameNumber(const Array& is, const Array& was, size_t element) {
  const int64_t now = IntegerAt(is.type.type, is.bytes, element);
  if (!IsFloat(was.type.type)) return now == IntegerAt(was.type.type, was.bytes, element);
  return static_cast<double>(now) == RealAt(was.type.type, was.bytes, element);
}

// Converts the array. Conversion to a floating-point type rounds; conversion to another type must
// keep all values. Otherwise returns false and a reason without the path.
bool Cast(ElementType type, Array& array, std::string* reason) {
  if (array.type.type == type) return true;
  if (array.type.type == ElementType::bf16) {
    *reason = "is uint16, the bits of bf16; --cast needs numbers of another type";
    return false;
  }
  Array cast{.type = {type, array.type.dims}, .bytes = {}};
  const auto bytes = DenseBytes(cast.type), count = ElementCount(cast.type.dims);
  const kernels::ConvertShape shape = {static_cast<uint32_t>(count.value_or(0)),
                                       static_cast<kernels::Element>(array.type.type),
                                       static_cast<kernels::Element>(type)};
  if (!bytes || !kernels::ConvertKnows(shape.from, shape.to)) {
    *reason =
        fmt::format("is {}, which --cast cannot convert to {}", ToString(array.type), Name(type));
    return false;
  }
  cast.bytes.resize(static_cast<size_t>(*bytes));
  if (*bytes != 0) kernels::Convert(shape, array.bytes.data(), cast.bytes.data());
  for (size_t i = 0; i < shape.count && !IsFloat(type); ++i) {
    if (IsSameNumber(cast, array, i)) continue;
    *reason = fmt::format("element {} is {}; must be a value of {} for --cast", i,
                          ElementText(array, i), Name(type));
    return false;
  }
  array = std::move(cast);
  return true;
}

// Returns why the samples of a call are not consecutive samples of one stream; empty if they are. A
// second axis with several elements must follow the time axis: frames of samples.
std::string SampleOrderFault(const ModelPort& port) {
  const Dims& dims = port.type.dims;
  if (port.has_streams) {
    return fmt::format(
        "is a recording of one stream; input \"{}\" {} has {} streams; must be a .npy file",
        port.display_name, ToString(port.type), dims[0]);
  }
  std::vector<size_t> axes;  // with several elements
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] > 1) axes.push_back(i);
  }
  const bool is_framed = axes.size() == 2 && port.time_axis == axes[0];
  if (axes.size() <= 1 || is_framed) return "";
  return fmt::format(
      "is a recording; input \"{}\" {} has {} axes with several elements; must have 1, or a .npy "
      "file",
      port.display_name, ToString(port.type), axes.size());
}

// Splits a recording into calls. An incomplete call at the end is dropped.
std::optional<Feed> CutRecording(const ModelPort& port, const Recording& recording,
                                 std::string* reason) {
  *reason = SampleOrderFault(port);
  if (!reason->empty()) return std::nullopt;
  const int64_t samples = ElementCount(port.type.dims).value_or(0);
  const int64_t calls = samples == 0 ? 0 : std::ssize(recording.samples) / samples;
  if (port.type.type != ElementType::f32 || calls == 0) {
    *reason = fmt::format(
        "is a recording of {} samples; input \"{}\" {} must be f32 and have at most as many "
        "elements",
        recording.samples.size(), port.display_name, ToString(port.type));
    return std::nullopt;
  }
  Feed feed{.array = {.type = port.type, .bytes = {}},
            .file = "",
            .per_call = true,
            .along_time = port.time_axis.has_value(),
            .call_count = calls,
            .seconds_per_call = static_cast<double>(samples) / recording.rate,
            .missing_bytes = recording.missing_bytes};
  feed.array.type.dims.insert(feed.array.type.dims.begin(), calls);
  feed.array.bytes.resize(static_cast<size_t>(calls * samples) * sizeof(float));
  std::memcpy(feed.array.bytes.data(), recording.samples.data(), feed.array.bytes.size());
  return feed;
}

// Returns the number of calls of an array that is longer than the port along its time axis only, or
// 0 for other arrays.
int64_t CallsAlongTime(const ModelPort& port, const Dims& dims) {
  if (!port.time_axis || dims.size() != port.type.dims.size()) return 0;
  const int64_t positions = port.type.dims[*port.time_axis], all = dims[*port.time_axis];
  Dims one = dims;
  one[*port.time_axis] = positions;
  const bool fits =
      one == port.type.dims && positions > 0 && all > positions && all % positions == 0;
  return fits ? all / positions : 0;
}

// The shapes of arrays with K calls, for messages. N is the number of time steps in a call.
std::string CallShapes(const ModelPort& port) {
  const std::string one = ToString(port.type.dims);
  const std::string inner = one == "[]" ? "]" : "," + one.substr(1);
  std::string text = fmt::format("{}[K{}", Name(port.type.type), inner);
  if (!port.time_axis) return text;
  text += fmt::format(" or {}[", Name(port.type.type));
  for (size_t i = 0; i < port.type.dims.size(); ++i) {
    const int64_t positions = port.type.dims[i];
    if (i > 0) text += ",";
    if (i != *port.time_axis) {
      text += fmt::format("{}", positions);
    } else {
      text += positions == 1 ? "K" : fmt::format("{}*K", positions);
    }
  }
  return text + "]";
}

// Exchanges the two leading axes of [calls, outer, steps, inner] or, with `to_front`, of
// [outer, calls, steps, inner].
void SwapCalls(int64_t calls, int64_t outer, bool to_front, Array& array) {
  const auto count = static_cast<size_t>(calls * outer);
  const size_t block = count == 0 ? 0 : array.bytes.size() / count;
  std::vector<std::byte> bytes(array.bytes.size());
  for (int64_t call = 0; call < calls && block != 0; ++call) {
    for (int64_t i = 0; i < outer; ++i) {
      const auto in_front = static_cast<size_t>(call * outer + i) * block;
      const auto inside = static_cast<size_t>(i * calls + call) * block;
      std::memcpy(bytes.data() + (to_front ? in_front : inside),
                  array.bytes.data() + (to_front ? inside : in_front), block);
    }
  }
  array.bytes = std::move(bytes);
}

// Returns an empty text if the array fits the port, as one or several calls, else a message.
std::string MisfitOf(const ModelPort& port, Feed& feed) {
  const TensorType& type = feed.array.type;
  const int64_t calls = CallsAlongTime(port, type.dims);
  feed.along_time = calls > 0 && type.type == port.type.type;
  if (feed.along_time) CutCalls(*port.time_axis, calls, feed.array);
  feed.per_call = type.dims.size() == port.type.dims.size() + 1 &&
                  std::equal(port.type.dims.begin(), port.type.dims.end(), type.dims.begin() + 1);
  if (type.type != port.type.type || (!feed.per_call && type.dims != port.type.dims)) {
    return fmt::format("is {}; input \"{}\" must be {}, or {} to feed K successive calls{}",
                       ToString(type), port.display_name, ToString(port.type), CallShapes(port),
                       CastAdvice(type.type, port.type));
  }
  if (!feed.per_call) return "";
  feed.call_count = type.dims[0];
  if (feed.call_count == 0) {
    return fmt::format("is {}; must have at least 1 call", ToString(type));
  }
  if (feed.array.bytes.empty() && feed.call_count > kMaxEmptyCalls) {
    return fmt::format("is {} and has calls without bytes; must have at most {} of them",
                       ToString(type), kMaxEmptyCalls);
  }
  return "";
}

std::optional<Feed> ParseFeed(const ModelPort& port, std::vector<std::byte> bytes, bool cast,
                              std::string* reason) {
  if (bytes.empty()) {
    *reason = "is empty; must be a .npy or .wav file";
    return std::nullopt;
  }
  if (IsWav(bytes)) {
    const std::optional<Recording> recording = ParseWav(bytes, reason);
    return recording ? CutRecording(port, *recording, reason) : std::nullopt;
  }
  std::optional<Array> array = ParseNpy(std::move(bytes), reason);
  if (array) TakePackedBytes(port.type, *array);
  if (!array || (cast && !Cast(port.type.type, *array, reason))) return std::nullopt;
  Feed feed{.array = *std::move(array), .file = ""};
  *reason = MisfitOf(port, feed);
  return reason->empty() ? std::optional(std::move(feed)) : std::nullopt;
}

// Returns the message for a file that is a recording by its name or its bytes, but not a .wav file.
std::string NotWav(const std::string& file, std::span<const std::byte> bytes) {
  if (bytes.empty() || IsWav(bytes) || IsNpy(bytes)) return "";
  const std::string_view other = OtherRecording(bytes);
  if (LowerCase(PathOf(file).extension().string()) != ".wav") {
    return other.empty() ? "" : fmt::format("is {}; must be a .npy or .wav file", other);
  }
  return other.empty() ? "is not a .wav file; must be RIFF with WAVE"
                       : fmt::format("is {}; must be a .wav file (RIFF with WAVE)", other);
}

}  // namespace

std::optional<Feed> ReadFeed(const ModelPort& port, const std::string& file, bool cast,
                             Faults& faults) {
  std::string reason;
  std::optional<std::vector<std::byte>> bytes = ReadFile(PathOf(file), &reason);
  if (!bytes) {
    faults.Add(fmt::format("{}: cannot be read: {}", file, reason));
    return std::nullopt;
  }
  std::optional<Feed> feed;
  reason = NotWav(file, *bytes);
  if (reason.empty()) feed = ParseFeed(port, *std::move(bytes), cast, &reason);
  if (feed) {
    feed->file = file;
    if (feed->missing_bytes > 0) {
      faults.Warn(
          fmt::format("{}: has {} bytes less than the stated length of its data; the "
                      "samples in the file are read",
                      file, feed->missing_bytes));
    }
  } else {
    faults.Add(fmt::format("{}: {}", file, reason));
  }
  return feed;
}

std::optional<Array> ReadAs(const TensorType& port, bool cast, const std::string& file,
                            std::string* reason) {
  std::optional<Array> array = ReadNpy(PathOf(file), reason);
  if (array) TakePackedBytes(port, *array);
  if (array && cast && !Cast(port.type, *array, reason)) return std::nullopt;
  return array;
}

void CutCalls(uint32_t axis, int64_t calls, Array& array) {
  Dims& dims = array.type.dims;
  SwapCalls(calls, ProductOf(dims, 0, axis), true, array);
  dims[axis] /= calls;
  dims.insert(dims.begin(), calls);
}

void JoinCalls(uint32_t axis, Array& array) {
  Dims& dims = array.type.dims;
  const int64_t calls = dims.front();
  dims.erase(dims.begin());
  SwapCalls(calls, ProductOf(dims, 0, axis), false, array);
  dims[axis] *= calls;
}

std::string CastAdvice(ElementType is, const TensorType& must) {
  if (IsPacked(must.type)) {
    return fmt::format(" (packed, as uint8 [{}] in .npy)", DenseBytes(must).value_or(0));
  }
  if (is == must.type) return "";
  if (is == ElementType::bf16) return " (uint16 in .npy holds the bits of bf16)";
  return " (--cast converts element types)";
}

// Numbers have 24 random bits, which are exact in f32 and f64 and rounded in f16 and bf16. The
// distributions of the C++ standard library are not used, because libraries implement them
// differently.
void FillElements(ElementType type, std::span<std::byte> bytes, std::mt19937& random) {
  std::ranges::fill(bytes, std::byte{0});
  if (!IsFloat(type)) return;
  std::vector<float> values(bytes.size() * 8 / static_cast<size_t>(weft::BitsOf(type)));
  for (float& value : values) value = static_cast<float>(random() >> 8) * 0x1p-23f - 1.0f;
  if (values.empty()) return;
  if (type == ElementType::f32) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  } else {
    kernels::Convert({static_cast<uint32_t>(values.size()), kernels::Element::kF32,
                      static_cast<kernels::Element>(type)},
                     values.data(), bytes.data());
  }
}

Feed MadeFeed(const ModelPort& port, int64_t calls, std::mt19937& random) {
  Feed feed{
      .array = {.type = port.type, .bytes = {}}, .file = "", .per_call = true, .call_count = calls};
  feed.array.type.dims.insert(feed.array.type.dims.begin(), calls);
  const int64_t call_bytes = DenseBytes(port.type).value_or(0);
  feed.array.bytes.resize(static_cast<size_t>(call_bytes * calls));
  FillElements(port.type.type, feed.array.bytes, random);
  return feed;
}

}  // namespace weft::cli
