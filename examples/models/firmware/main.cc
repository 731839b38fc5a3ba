// SPDX-License-Identifier: Apache-2.0
//
// Runs a model on stored inputs and prints the number of runs, the instructions of a run under QEMU
// and a hash of all output bytes, which ../common/board.py compares with the desktop's.

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model.h"  // written by weft convert --c-source
#include "semihost.h"

extern "C" const uint8_t samples_begin[], samples_end[];

namespace {

volatile uint32_t* const kSysTick = reinterpret_cast<volatile uint32_t*>(0xE000E010u);
constexpr uint32_t kMaxTick = 0xFFFFFF;

int Complain(weft_fault fault) {
  char text[160];
  weft_describe(fault, text, sizeof(text));
  SemihostWrite(text);
  SemihostWrite("\n");
  return 1;
}

void Print(const char* name, uint64_t value) {
  char text[24];
  size_t at = sizeof(text);
  text[--at] = '\0';
  text[--at] = '\n';
  do text[--at] = static_cast<char>('0' + value % 10);
  while ((value /= 10) != 0);
  SemihostWrite(name);
  SemihostWrite(text + at);
}

// FNV-1a.
uint32_t Hash(uint32_t hash, const void* data, size_t bytes) {
  const auto* p = static_cast<const uint8_t*>(data);
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ p[i]) * 16777619u;
  return hash;
}

}  // namespace

int main() {
  weft_engine engine;
  weft_fault fault = model_open(&engine);
  if (!weft_ok(fault)) return Complain(fault);
  uint32_t runs = 0, hash = 2166136261u;
  uint64_t ticks = 0;
  kSysTick[1] = kMaxTick;  // reload value
  kSysTick[0] = 5;         // enabled, processor clock, no interrupt
  for (const uint8_t* sample = samples_begin; sample < samples_end; ++runs) {
    for (uint32_t i = 0; i < weft_input_count(&engine); ++i) {
      const weft_tensor input = weft_input(&engine, i);
      memcpy(input.data, sample, input.bytes);
      sample += input.bytes;
    }
    const uint32_t before = kSysTick[2];
    fault = weft_run(&engine);
    ticks += (before - kSysTick[2]) & kMaxTick;
    if (!weft_ok(fault)) return Complain(fault);
    for (uint32_t i = 0; i < weft_output_count(&engine); ++i) {
      const weft_tensor output = weft_output(&engine, i);
      hash = Hash(hash, output.data, output.bytes);
    }
  }
  // QEMU counts one instruction as one nanosecond.
  Print("runs ", runs);
  Print("instructions ", ticks * (1000000000u / CLOCK_HZ) / runs);
  Print("hash ", hash);
  return 0;
}
