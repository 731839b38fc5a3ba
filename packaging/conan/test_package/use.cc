// SPDX-License-Identifier: Apache-2.0
// Links every kernel of the package and calls the runtime.
#include <cstdio>

#include "runtime/weft.h"

int main() {
  weft::Needs needs;
  const bool opens = weft::ReadNeeds({}, &needs).ok();
  std::printf("%u kinds of steps\n", static_cast<unsigned>(weft::AllSteps().count));
  return opens ? 1 : 0;  // a model of no bytes is invalid
}
