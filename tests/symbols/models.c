/* SPDX-License-Identifier: Apache-2.0
 * Opens and runs each model of models.inc, as firmware does: without stdio, and without floats
 * unless a model has some. */
#include "models.inc"

static weft_engine engine;

#define MODEL(name)                           \
  if (!weft_ok(name##_open(&engine))) return 1; \
  if (!weft_ok(weft_run(&engine))) return 2;

int main(void) {
  MODELS
  return 0;
}
