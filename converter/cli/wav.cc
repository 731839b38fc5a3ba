// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/wav.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

namespace weft::cli {
namespace {

constexpr uint32_t kPcm = 1, kFloat = 3, kExtensible = 0xFFFE;
// RIFX has big-endian numbers, the last two have sizes of 64 bits.
constexpr const char* kContainers[] = {"RIFF", "RIFX", "RF64", "BW64"};

// Programs that write to a pipe state a length near the maximum of 31 or 32 bits.
constexpr uint32_t kMinUnknownLength = 0x7FFF0000;

// Reads a little-endian number of `count` <= 4 bytes; the bytes must exist.
uint32_t NumberAt(std::string_view bytes, size_t offset, size_t count) {
  uint32_t number = 0;
  for (size_t i = 0; i < count; ++i) {
    number |= uint32_t{static_cast<unsigned char>(bytes[offset + i])} << (8 * i);
  }
  return number;
}

struct WavFormat {
  uint32_t kind = 0, channels = 0, rate = 0, bits = 0;
};

// Parses the content of a "fmt " chunk.
std::optional<WavFormat> ParseFormat(std::string_view chunk, std::string* reason) {
  if (chunk.size() < 16) {
    *reason = fmt::format("has a format of {} bytes; must have 16 or more", chunk.size());
    return std::nullopt;
  }
  WavFormat format{NumberAt(chunk, 0, 2), NumberAt(chunk, 2, 2), NumberAt(chunk, 4, 4),
                   NumberAt(chunk, 14, 2)};
  // The first bytes of the extension's identifier are the kind.
  if (format.kind == kExtensible && chunk.size() >= 26) format.kind = NumberAt(chunk, 24, 2);
  const bool is_pcm =
      format.kind == kPcm && format.bits >= 8 && format.bits <= 32 && format.bits % 8 == 0;
  if (!is_pcm && !(format.kind == kFloat && format.bits == 32)) {
    *reason = fmt::format(
        "holds samples of {} bits in format {}; must hold PCM (1) of 8, 16, 24 or "
        "32 bits or floats (3) of 32",
        format.bits, format.kind);
    return std::nullopt;
  }
  if (format.channels != 1) {
    *reason = fmt::format("has {} channels; must have 1", format.channels);
    return std::nullopt;
  }
  if (format.rate == 0) {
    *reason = "has 0 samples per second; must have more";
    return std::nullopt;
  }
  return format;
}

float SampleAt(std::string_view data, size_t index, const WavFormat& format) {
  const size_t bytes = format.bits / 8;
  const uint32_t word = NumberAt(data, index * bytes, bytes);
  if (format.kind == kFloat) return std::bit_cast<float>(word);
  if (format.bits == 8)
    return (static_cast<float>(word) - 128) / 128;  // 8-bit samples are unsigned
  const auto high = static_cast<int32_t>(word << (32 - format.bits));
  return static_cast<float>(std::ldexp(high, -31));
}

}  // namespace

bool IsWav(std::span<const std::byte> file) {
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  const bool is_container =
      std::ranges::any_of(kContainers, [&](const char* name) { return bytes.starts_with(name); });
  return is_container && (bytes.size() < 12 || bytes.substr(8, 4) == "WAVE");
}

std::string_view OtherRecording(std::span<const std::byte> file) {
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  if (bytes.starts_with("fLaC")) return "a FLAC file";
  if (bytes.starts_with("OggS")) return "an Ogg file";
  if (bytes.starts_with("FORM") && bytes.size() >= 12 && bytes.substr(8, 3) == "AIF")
    return "an AIFF file";
  // An ID3 tag, or the header of a frame of layer 3 in MPEG 1, 2 or 2.5.
  const bool is_frame = bytes.size() > 1 && bytes[0] == '\xff' &&
                        std::string_view("\xfa\xfb\xf2\xf3\xe2\xe3").find(bytes[1]) != bytes.npos;
  return is_frame || bytes.starts_with("ID3") ? "an MP3 file" : "";
}

std::optional<Recording> ParseWav(std::span<const std::byte> file, std::string* reason) {
  std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  if (!bytes.starts_with(kContainers[0])) {
    *reason =
        fmt::format("is a .wav file that begins with {}; must begin with RIFF", bytes.substr(0, 4));
    return std::nullopt;
  }
  std::optional<WavFormat> format;
  bytes.remove_prefix(std::min<size_t>(12, bytes.size()));
  while (bytes.size() >= 8) {
    const std::string_view name = bytes.substr(0, 4);
    // The file of an interrupted recording or download is shorter than the stated length.
    const uint32_t stated = NumberAt(bytes, 4, 4);
    const size_t size = std::min<size_t>(stated, bytes.size() - 8);
    const std::string_view chunk = bytes.substr(8, size);
    if (name == "fmt ") {
      format = ParseFormat(chunk, reason);
      if (!format) return std::nullopt;
    } else if (name == "data" && format) {
      Recording recording{std::vector<float>(size / (format->bits / 8)), format->rate};
      if (stated < kMinUnknownLength) recording.missing_bytes = stated - size;
      for (size_t i = 0; i < recording.samples.size(); ++i) {
        recording.samples[i] = SampleAt(chunk, i, *format);
      }
      return recording;
    }
    bytes.remove_prefix(
        std::min(8 + size + size % 2, bytes.size()));  // chunks start at even offsets
  }
  *reason = format ? "has no data; must hold samples" : "has no format; must hold samples";
  return std::nullopt;
}

}  // namespace weft::cli
