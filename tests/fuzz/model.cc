// SPDX-License-Identifier: Apache-2.0
// The fuzzer `model`: the runtime on hostile model files. The first byte of an input selects the
// contents of memory (model_run.h); the file follows.
#include "tests/fuzz/fuzzer.h"
#include "tests/fuzz/model_run.h"

namespace weft::fuzz {

void Run(Input input) {
  Choices choices(input);
  const Variation variation = VariationOf(choices.Choose(kVariations));
  UseModel(choices.rest(), variation);
}

void Mutate(std::string& input, Random& random) { MutateModel(input, random); }

}  // namespace weft::fuzz
