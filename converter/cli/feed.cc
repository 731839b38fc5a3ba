// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "converter/base/files.h"
#include "converter/cli/cast.h"
#include "converter/cli/wav.h"

namespace weft::cli {
namespace {

// Where an array has bytes, their number limits that of its calls; an empty one may claim any.
constexpr int64_t kMostEmptyCalls = 1'000'000;

// Whole calls; what is left over at the end is not fed.
std::optional<Feed> CutRecording(const ModelPort& port, const Recording& recording,
                                 std::string* reason) {
  const int64_t samples = ElementCount(port.type.dims).value_or(0);
  const int64_t calls = samples == 0 ? 0 : std::ssize(recording.samples) / samples;
  if (port.type.type != ElementType::f32 || calls == 0) {
    *reason =
        fmt::format("is a recording of {} samples; input \"{}\" {} must be f32 and take no more",
                    recording.samples.size(), port.display_name, ToString(port.type));
    return std::nullopt;
  }
  Feed feed{.array = {.type = port.type, .bytes = {}},
            .file = "",
            .per_call = true,
            .call_count = calls,
            .seconds_per_call = static_cast<double>(samples) / recording.rate};
  feed.array.type.dims.insert(feed.array.type.dims.begin(), calls);
  feed.array.bytes.resize(static_cast<size_t>(calls * samples) * sizeof(float));
  std::memcpy(feed.array.bytes.data(), recording.samples.data(), feed.array.bytes.size());
  return feed;
}

// Empty where the array fits the port, as one call or as several.
std::string MisfitOf(const ModelPort& port, Feed& feed) {
  const TensorType& type = feed.array.type;
  feed.per_call = type.dims.size() == port.type.dims.size() + 1 &&
                  std::equal(port.type.dims.begin(), port.type.dims.end(), type.dims.begin() + 1);
  if (type.type != port.type.type || (!feed.per_call && type.dims != port.type.dims)) {
    return fmt::format(
        "is {}; input \"{}\" must be {}, or have one more leading axis to feed successive calls{}",
        ToString(type), port.display_name, ToString(port.type),
        CastAdvice(type.type, port.type.type));
  }
  if (!feed.per_call) return "";
  feed.call_count = type.dims[0];
  if (feed.call_count == 0) {
    return fmt::format("is {}; must feed at least 1 call", ToString(type));
  }
  if (feed.array.bytes.empty() && feed.call_count > kMostEmptyCalls) {
    return fmt::format("is {} and feeds calls that have no bytes; must feed at most {} of them",
                       ToString(type), kMostEmptyCalls);
  }
  return "";
}

std::optional<Feed> ParseFeed(const ModelPort& port, std::vector<std::byte> bytes, bool cast,
                              std::string* reason) {
  if (IsWav(bytes)) {
    const std::optional<Recording> recording = ParseWav(bytes, reason);
    return recording ? CutRecording(port, *recording, reason) : std::nullopt;
  }
  std::optional<Array> array = ParseNpy(std::move(bytes), reason);
  if (!array || (cast && !Cast(port.type.type, *array, reason))) return std::nullopt;
  Feed feed{.array = *std::move(array), .file = ""};
  *reason = MisfitOf(port, feed);
  return reason->empty() ? std::optional(std::move(feed)) : std::nullopt;
}

}  // namespace

std::optional<Feed> ReadFeed(const ModelPort& port, const std::string& file, bool cast,
                             Faults& faults) {
  std::string reason;
  std::optional<std::vector<std::byte>> bytes = ReadFile(file, &reason);
  if (!bytes) {
    faults.Add(fmt::format("{}: cannot be read: {}", file, reason));
    return std::nullopt;
  }
  std::optional<Feed> feed = ParseFeed(port, *std::move(bytes), cast, &reason);
  if (feed) {
    feed->file = file;
  } else {
    faults.Add(fmt::format("{}: {}", file, reason));
  }
  return feed;
}

std::optional<Array> ReadAs(ElementType type, bool cast, const std::string& file,
                            std::string* reason) {
  std::optional<Array> array = ReadNpy(file, reason);
  if (array && cast && !Cast(type, *array, reason)) return std::nullopt;
  return array;
}

std::string CastAdvice(ElementType is, ElementType must) {
  return is == must ? "" : " (--cast converts element types)";
}

}  // namespace weft::cli
