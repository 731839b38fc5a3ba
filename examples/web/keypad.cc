// SPDX-License-Identifier: Apache-2.0
//
// The functions of keypad.wasm. One instance of the module decodes one stream; its memory has a
// fixed size, and no function allocates.

#include <stdint.h>

#include "dtmf.h"  // written by weft convert --c-source
#include "dtmf/debounce.h"

#define EXPORT(name) extern "C" __attribute__((export_name(name)))

namespace {

weft_engine engine;
dtmf::Debounce debounce;
uint32_t hash = 2166136261u;

}  // namespace

// Returns 0, or the code of a fault (runtime/format/faults.inc).
EXPORT("open") int Open() { return static_cast<int>(dtmf_open(&engine).code); }

// The frame that the next call of decode() reads.
EXPORT("frame") void* Frame() { return weft_input(&engine, 0).data; }
EXPORT("frameSamples") uint32_t FrameSamples() {
  return static_cast<uint32_t>(weft_input(&engine, 0).bytes / sizeof(float));
}

// The probabilities of the keys and of none, after a call of decode().
EXPORT("probabilities") const void* Probabilities() { return weft_output(&engine, 0).data; }

// Decodes the frame. Returns the character of a key that is detected in this frame, else 0, or a
// negative number after a fault.
EXPORT("decode") int Decode() {
  const weft_fault fault = weft_run(&engine);
  if (fault.code != 0) return -static_cast<int>(fault.code);
  const weft_tensor output = weft_output(&engine, 0);
  const auto* bytes = static_cast<const uint8_t*>(output.data);
  for (uint32_t i = 0; i < output.bytes; ++i) hash = (hash ^ bytes[i]) * 16777619u;
  return debounce.Hear(static_cast<const float*>(output.data));
}

// The hash of all probabilities since open(), to compare runs bit by bit.
EXPORT("hash") uint32_t Hash() { return hash; }
