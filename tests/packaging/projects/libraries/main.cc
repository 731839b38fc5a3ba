// SPDX-License-Identifier: Apache-2.0
#include <model.h>

#include <cstdio>
#ifdef SECOND
#include <second.h>
#endif

// Opens the model of a library or of this program, on the model's memory and on this program's.
int main() {
  static model::State state;
  static model::Scratch scratch;
  weft::Engine engine;
  bool well = model::Open(&engine).ok() && engine.Run().ok() &&
              model::Open(&state, &scratch, &engine).ok() && engine.Run().ok();
#ifdef SECOND
  well = well && second::Open(&engine).ok() && engine.Run().ok();
#endif
  std::puts(well ? "runs" : "does not run");
  return well ? 0 : 1;
}
