/* SPDX-License-Identifier: Apache-2.0
 * Cost of one model on a board: opens it and runs it twice, then prints the SysTick ticks of Open
 * and of the second run, and the bytes of stack that they used below their caller. Under an
 * emulator that counts instructions a tick is a fixed number of instructions. Both runs read equal
 * inputs, and a hash of the outputs of each run is printed, so that runtimes can be compared.
 *
 * SUBJECT is the header of the model, of weft or of another runtime. It defines Open and Run, which
 * return 0 or the number of an error, InputCount, OutputCount, InputAt, OutputAt, and UnusedBytes:
 * the bytes of its static memory that the model does not need. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/runtime/painted_stack.h"
#include "tests/size/ticks.h"

typedef struct Port {
  void* data;
  size_t bytes;
  int is_f32; /* otherwise codes of one byte */
} Port;

#include SUBJECT

enum { kRuns = 2 };

/* Made values: a ramp of floats, or random codes. */
static void __attribute__((noinline)) Fill(Port port) {
  uint32_t random = 1;
  for (size_t k = 0; k < port.bytes / (port.is_f32 ? sizeof(float) : 1); ++k) {
    if (port.is_f32) {
      ((float*)port.data)[k] = 0.01f * (float)(k % 37);
    } else {
      random = random * 1664525u + 1013904223u;
      ((uint8_t*)port.data)[k] = (uint8_t)(random >> 24);
    }
  }
}

/* FNV-1a of a port's bytes, continued from `hash`. */
static uint32_t __attribute__((noinline)) HashOf(Port port, uint32_t hash) {
  for (size_t k = 0; k < port.bytes; ++k) {
    hash = (hash ^ ((const uint8_t*)port.data)[k]) * 16777619u;
  }
  return hash;
}

static void FillInputs(void) {
  for (uint32_t i = 0; i < InputCount(); ++i) Fill(InputAt(i));
}

static uint32_t HashOfOutputs(void) {
  uint32_t hash = 2166136261u;
  for (uint32_t i = 0; i < OutputCount(); ++i) hash = HashOf(OutputAt(i), hash);
  return hash;
}

static uint32_t __attribute__((noinline)) TimedRun(uint32_t* error) {
  const uint32_t start = *kCount;
  *error = Run();
  return TicksSince(start);
}

int main(void) {
  StartTicks();
  volatile uint32_t* top; /* main's frame lies above it */
  WEFT_STACK_TOP(top);

  PaintStack(top);
  const uint32_t start = *kCount;
  uint32_t error = Open();
  const uint32_t open_ticks = TicksSince(start);
  const uint32_t open_stack_bytes = TouchedStackBytes(top);

  uint32_t run_ticks = 0, run_stack_bytes = 0, hashes[kRuns] = {0};
  for (int run = 0; run < kRuns && error == 0; ++run) {
    FillInputs();
    PaintStack(top);
    run_ticks = TimedRun(&error);
    if (run == 0) run_stack_bytes = TouchedStackBytes(top);
    if (error == 0) hashes[run] = HashOfOutputs();
  }
  if (error != 0) {
    printf("error %x\n", (unsigned)error); /* texts cost flash */
    return 1;
  }
  printf("open_ticks %u\nrun_ticks %u\nopen_stack %u\nrun_stack %u\n", (unsigned)open_ticks,
         (unsigned)run_ticks, (unsigned)open_stack_bytes, (unsigned)run_stack_bytes);
  printf("first_outputs %08x\noutputs %08x\nunused %u\n", (unsigned)hashes[0], (unsigned)hashes[1],
         (unsigned)UnusedBytes());
  return 0;
}
