/* SPDX-License-Identifier: Apache-2.0
 * A program with a model's kernels but without one variant of them: opening a model that needs it
 * must report the missing variant, and must not call what is not linked. The model's own source
 * requests the variants that it needs. The compiler is called with weft_variant_<name>=not_linked,
 * so that the request refers to this number instead. */
#include <stdio.h>

const char not_linked = 0;
#include "model.c"

int main(void) {
  char text[160];
  weft_engine engine;
  const weft_memory memory = {{model_state, MODEL_STATE_BYTES},
                              {model_scratch, MODEL_SCRATCH_BYTES},
                              {{model_more_scratch, MODEL_MORE_SCRATCH_BYTES}}};
  const weft_fault fault = weft_open(model_model, MODEL_MODEL_BYTES, model_steps, memory, &engine);
  weft_describe(fault, text, sizeof(text));
  puts(text);
  return 0;
}
