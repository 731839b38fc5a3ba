// SPDX-License-Identifier: Apache-2.0
#include <model.h>

#include <cstdio>
#ifdef SECOND
#include <second.h>
#endif

// Opens the model that a library or this program has, on its memory and on memory of this program.
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
