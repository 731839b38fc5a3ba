// SPDX-License-Identifier: Apache-2.0
//
// Reads a telephone recording: RIFF/WAVE, PCM, mono, 16 bits, 8000 samples per second. Other forms,
// and files whose chunks exceed the file, are an error of one line that states the values found.
// The caller owns the samples.

#ifndef WEFT_EXAMPLES_DTMF_WAV_H_
#define WEFT_EXAMPLES_DTMF_WAV_H_

#include <cstdint>
#include <string>
#include <vector>

namespace dtmf {

// Returns "" on success, else the error message; `samples` is then unspecified.
std::string ReadWav(const char* path, std::vector<int16_t>* samples);

}  // namespace dtmf

#endif  // WEFT_EXAMPLES_DTMF_WAV_H_
