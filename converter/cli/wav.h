// SPDX-License-Identifier: Apache-2.0
// Reads recordings in RIFF/WAVE files: PCM of 8 to 32 bits or f32, one channel.
#ifndef WEFT_CONVERTER_CLI_WAV_H_
#define WEFT_CONVERTER_CLI_WAV_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

struct Recording {
  std::vector<float> samples;  // PCM: in [-1, 1)
  uint32_t rate = 0;           // samples per second
  size_t missing_bytes = 0;    // the file is this much shorter than the stated length of its data
};

// Returns true for every kind of .wav file, also of those that ParseWav does not support.
bool IsWav(std::span<const std::byte> file);
// Returns "a FLAC file" for a recording in another known format, else an empty text.
std::string_view OtherRecording(std::span<const std::byte> file);

// On failure returns nullopt and a reason without the path ("has 2 channels; must have 1").
std::optional<Recording> ParseWav(std::span<const std::byte> file, std::string* reason);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_WAV_H_
