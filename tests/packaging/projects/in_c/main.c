/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "model.h"

int main(void) {
  weft_engine engine;
  if (!weft_ok(model_open(&engine)) || !weft_ok(weft_run(&engine))) return 1;
  /* Refers to every kernel of the library, so that the dependencies of all kernels must link. */
  printf("%d kinds of steps\n", (int)weft_all_steps().count);
  return 0;
}
