// SPDX-License-Identifier: Apache-2.0
//
// Decodes a stored recording of keypad tones on a board, 10 ms per Run as from an ADC, and prints
// each key when it is detected. All memory of the model is static, so the linker checks its size.

#include <stddef.h>
#include <stdint.h>

#include "dtmf.h"  // written by weft convert --c-source
#include "dtmf/debounce.h"
#define PROFILE_STEPS DTMF_STEPS
#include "profile.h"
#include "semihost.h"

extern "C" const int16_t recording_begin[], recording_end[];

namespace {

constexpr size_t kFrameSamples = 80;  // 10 ms

int Complain(weft_fault fault) {
  char text[160];
  weft_describe(fault, text, sizeof(text));
  SemihostWrite(text);
  SemihostWrite("\n");
  return 1;
}

}  // namespace

int main() {
  weft_engine engine;
  weft_fault fault = dtmf_open(&engine);
  if (!weft_ok(fault)) return Complain(fault);
  auto* audio = static_cast<float*>(weft_input(&engine, DTMF_INPUT_AUDIO).data);
  const auto* answers = static_cast<const float*>(weft_output(&engine, DTMF_OUTPUT_KEYS).data);
  dtmf::Debounce debounce;
  uint32_t runs = 0;
  BeginProfile(&engine);
  for (const int16_t* frame = recording_begin; frame + kFrameSamples <= recording_end;
       frame += kFrameSamples) {
    for (size_t i = 0; i < kFrameSamples; ++i) {
      audio[i] = static_cast<float>(frame[i]) * (1.0f / 32768.0f);
    }
    fault = weft_run(&engine);
    if (!weft_ok(fault)) return Complain(fault);
    ++runs;
    const char key[2] = {debounce.Hear(answers), '\0'};
    if (key[0] != '\0') SemihostWrite(key);
  }
  SemihostWrite("\n");
  PrintProfile(&engine, runs);
  return 0;
}
