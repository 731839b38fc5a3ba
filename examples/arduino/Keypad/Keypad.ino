// SPDX-License-Identifier: Apache-2.0
//
// Prints the telephone keys detected in the signal of a microphone or line at A0. One Run per 10 ms
// of sound. The model's memory is static; nothing is allocated. A product would sample by timer or
// DMA; here, samples that are due during a Run are taken directly after it.

#include <weft.h>

#include "debounce.h"
#include "dtmf.h"  // written by weft convert --c-source

const int kFrameSamples = 80;      // 10 ms
const uint32_t kSampleMicros = 125;  // 8 kHz

weft_engine engine;
dtmf::Debounce debounce;
uint32_t due;

void stop(weft_fault fault) {
  char text[160];
  weft_describe(fault, text, sizeof(text));
  Serial.println(text);
  for (;;) delay(1000);
}

void setup() {
  Serial.begin(115200);
  const weft_fault fault = dtmf_open(&engine);
  if (!weft_ok(fault)) stop(fault);
  due = micros();
}

void loop() {
  float* audio = (float*)weft_input(&engine, DTMF_INPUT_AUDIO).data;
  for (int i = 0; i < kFrameSamples; ++i, due += kSampleMicros) {
    while ((int32_t)(micros() - due) < 0) {
    }
    audio[i] = (analogRead(A0) - 512) / 512.0f;
  }
  const weft_fault fault = weft_run(&engine);
  if (!weft_ok(fault)) stop(fault);
  const char key = debounce.Hear((const float*)weft_output(&engine, DTMF_OUTPUT_KEYS).data);
  if (key != '\0') Serial.print(key);
}
