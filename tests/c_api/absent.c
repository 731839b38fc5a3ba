/* SPDX-License-Identifier: Apache-2.0
 * A program with every step's kernel and no activation but those that are always there: opening a
 * model that needs another must say so, and must not call what is not linked. The model's own
 * source asks for what it needs, so here its request goes elsewhere. */
#include <stdio.h>

const char not_the_sigmoids = 0;
#define weft_activations_sigmoid not_the_sigmoids
#include "model.c"

#define WEFT_STEP(name, ...) \
  [WEFT_STEP_##name] = {weft_check_##name, weft_run_##name},
static const weft_step_entry every_step[] = {
#include "runtime/format/ops.inc"
};
#undef WEFT_STEP

int main(void) {
  char text[160];
  weft_engine engine;
  const weft_steps steps = {every_step, WEFT_STEP_KINDS};
  const weft_memory memory = {{model_state, MODEL_STATE_BYTES},
                              {model_scratch, MODEL_SCRATCH_BYTES},
                              {{model_more_scratch, MODEL_MORE_SCRATCH_BYTES}}};
  const weft_fault fault = weft_open(model_model, MODEL_MODEL_BYTES, steps, memory, &engine);
  weft_describe(fault, text, sizeof(text));
  puts(text);
  return 0;
}
