// SPDX-License-Identifier: Apache-2.0
//
// Reads a telephone recording: RIFF/WAVE, PCM, mono, 16 bits, 8000 samples a second. Refuses every
// other form, and a file whose chunks reach past its end, with one line that says what it found.
// The samples belong to the caller.

#ifndef WEFT_EXAMPLES_DTMF_WAV_H_
#define WEFT_EXAMPLES_DTMF_WAV_H_

#include <cstdint>
#include <string>
#include <vector>

namespace dtmf {

// Empty when `samples` holds the recording, else the fault; `samples` is then unspecified.
std::string ReadWav(const char* path, std::vector<int16_t>* samples);

}  // namespace dtmf

#endif  // WEFT_EXAMPLES_DTMF_WAV_H_
