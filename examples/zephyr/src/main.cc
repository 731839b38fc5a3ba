// SPDX-License-Identifier: Apache-2.0
//
// Decodes a stored recording of keypad tones under Zephyr, 10 ms per Run, and prints each key when
// it is detected. In a product the samples come from an I2S or ADC driver; the other code is
// unchanged.

#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include "dtmf.h"  // written by weft convert --c-source
#include "dtmf/debounce.h"

namespace {

constexpr size_t kFrameSamples = 80;  // 10 ms
constexpr size_t kHeaderBytes = 44;   // of a WAV file

const uint8_t recording[] = {
#include "recording.inc"
};

int Complain(weft_fault fault) {
  char text[160];
  weft_describe(fault, text, sizeof(text));
  printk("%s\n", text);
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
  for (size_t at = kHeaderBytes; at + 2 * kFrameSamples <= sizeof(recording);
       at += 2 * kFrameSamples) {
    for (size_t i = 0; i < kFrameSamples; ++i) {
      const uint8_t* bytes = recording + at + 2 * i;
      const auto sample = static_cast<int16_t>(bytes[0] | bytes[1] << 8);
      audio[i] = static_cast<float>(sample) * (1.0f / 32768.0f);
    }
    fault = weft_run(&engine);
    if (!weft_ok(fault)) return Complain(fault);
    const char key = debounce.Hear(answers);
    if (key != '\0') printk("%c", key);
  }
  printk("\n");
  return 0;
}
