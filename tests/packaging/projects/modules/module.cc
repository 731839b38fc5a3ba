// SPDX-License-Identifier: Apache-2.0
// A plug-in: runs its model once through each interface.
#include <model.h>

#include "runtime/weft_c.h"

namespace {

model::State state;
model::Scratch scratch;
weft::Engine engine;
weft_engine c_engine;

}  // namespace

extern "C" __attribute__((visibility("default"))) bool runs() {
  const weft_memory memory = {{&state, sizeof(state)}, {&scratch, sizeof(scratch)}};
  const bool opens = model::Open(&state, &scratch, &engine).ok() && engine.Run().ok();
  return opens &&
         weft_ok(weft_open(model_model, MODEL_MODEL_BYTES, model_steps, memory, &c_engine)) &&
         weft_ok(weft_run(&c_engine));
}
