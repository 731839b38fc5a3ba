/* SPDX-License-Identifier: Apache-2.0
 * Cost of one model on a board: opens it and runs it twice, then prints the SysTick ticks of Open
 * and of the second run, and the bytes of stack that they used below their caller. Under an
 * emulator that counts instructions a tick is a fixed number of instructions. */
#include <stdint.h>
#include <stdio.h>

#include MODEL_HEADER
#include "tests/runtime/painted_stack.h"
#include "tests/size/ticks.h"

#define JOIN(a, b) a##b
#define NAMED(name, what) JOIN(name, what)

static weft_engine engine;

static uint32_t Run(weft_fault* fault) {
  const uint32_t start = *kCount;
  *fault = weft_run(&engine);
  return TicksSince(start);
}

int main(void) {
  StartTicks();
  volatile uint32_t* top; /* main's frame lies above it */
  WEFT_STACK_TOP(top);

  PaintStack(top);
  const uint32_t start = *kCount;
  weft_fault fault = NAMED(MODEL, _open)(&engine);
  const uint32_t open_ticks = TicksSince(start);
  const uint32_t open_stack_bytes = TouchedStackBytes(top);

  for (uint32_t i = 0; weft_ok(fault) && i < weft_input_count(&engine); ++i) {
    const weft_tensor input = weft_input(&engine, i);
    for (size_t k = 0; k < input.bytes / sizeof(float); ++k) {
      ((float*)input.data)[k] = 0.01f * (float)(k % 37);
    }
  }
  PaintStack(top);
  uint32_t run_ticks = weft_ok(fault) ? Run(&fault) : 0;
  const uint32_t run_stack_bytes = TouchedStackBytes(top);
  if (weft_ok(fault)) run_ticks = Run(&fault);
  if (!weft_ok(fault)) {
    printf("fault %u at %u\n", (unsigned)fault.code, (unsigned)fault.index); /* texts cost flash */
    return 1;
  }
  printf("open_ticks %u\nrun_ticks %u\nopen_stack %u\nrun_stack %u\n", (unsigned)open_ticks,
         (unsigned)run_ticks, (unsigned)open_stack_bytes, (unsigned)run_stack_bytes);
  return 0;
}
