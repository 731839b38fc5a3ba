// SPDX-License-Identifier: Apache-2.0

#include "examples/dtmf/wav.h"

#include <cstddef>
#include <cstring>

#include "examples/dtmf/file.h"

namespace dtmf {
namespace {

constexpr uint32_t kSampleRateHz = 8000;
constexpr size_t kFormBytes = 16;

// RIFF is little-endian on every machine.
uint32_t Unsigned(const uint8_t* bytes, int count) {
  uint32_t value = 0;
  for (int i = 0; i < count; ++i) value |= static_cast<uint32_t>(bytes[i]) << (8 * i);
  return value;
}

std::string FormFault(const uint8_t* form) {
  const uint32_t coding = Unsigned(form, 2);
  const uint32_t channel_count = Unsigned(form + 2, 2);
  const uint32_t rate_hz = Unsigned(form + 4, 4);
  const uint32_t sample_bits = Unsigned(form + 14, 2);
  if (coding == 1 && channel_count == 1 && rate_hz == kSampleRateHz && sample_bits == 16) return "";
  return "coding " + std::to_string(coding) + ", " + std::to_string(channel_count) + " channels, " +
         std::to_string(rate_hz) + " Hz, " + std::to_string(sample_bits) +
         " bits; must be coding 1 (PCM), 1 channel, 8000 Hz, 16 bits";
}

std::string Parse(const uint8_t* file, size_t file_bytes, std::vector<int16_t>* samples) {
  if (file_bytes < 12 || std::memcmp(file, "RIFF", 4) != 0 ||
      std::memcmp(file + 8, "WAVE", 4) != 0) {
    return "not a RIFF/WAVE file";
  }
  bool form_known = false;
  for (size_t at = 12; file_bytes - at >= 8;) {
    const uint8_t* chunk = file + at;
    const size_t length = Unsigned(chunk + 4, 4);
    const size_t left = file_bytes - at - 8;
    if (length > left) {
      return "a chunk of " + std::to_string(length) + " bytes; the file has " +
             std::to_string(left) + " left";
    }
    if (std::memcmp(chunk, "fmt ", 4) == 0) {
      if (length < kFormBytes) return "the format chunk is truncated";
      const std::string fault = FormFault(chunk + 8);
      if (!fault.empty()) return fault;
      form_known = true;
    } else if (std::memcmp(chunk, "data", 4) == 0) {
      if (!form_known) return "sound comes before its format";
      samples->resize(length / 2);
      for (size_t i = 0; i < samples->size(); ++i) {
        (*samples)[i] = static_cast<int16_t>(Unsigned(chunk + 8 + 2 * i, 2));
      }
      return "";
    }
    const size_t padded = length + (length & 1);  // chunks start at even offsets
    if (padded > left) break;
    at += 8 + padded;
  }
  return "has no data chunk";
}

}  // namespace

std::string ReadWav(const char* path, std::vector<int16_t>* samples) {
  MappedFile file;
  if (!file.Open(path)) return std::string(path) + ": cannot be read";
  const std::string fault = Parse(static_cast<const uint8_t*>(file.data()), file.size(), samples);
  return fault.empty() ? fault : std::string(path) + ": " + fault;
}

}  // namespace dtmf
