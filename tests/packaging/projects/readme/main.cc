// SPDX-License-Identifier: Apache-2.0
// A program around README's snippet: runs one frame on the model's own memory and, like a second
// stream, on memory of this program. snippet.inc is the code in README.md.
#include <cstdio>

static void CopyInto(float* input, const float* samples) { *input = *samples; }
static void Use(const float* output) { std::puts(*output == *output ? "a number" : "none"); }

#include <snippet.inc>

int main() {
  const float sample = 0.5f;
  if (!Start()) return 1;
  OnFrame(&sample);
  static model::State state;
  static model::Scratch scratch;
  weft::Engine second;
  if (!model::Open(&state, &scratch, &second).ok() || !second.Run().ok()) return 1;
  return 0;
}
