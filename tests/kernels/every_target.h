// SPDX-License-Identifier: Apache-2.0
// Runs a test on each Highway target that is compiled in and supported by this machine: several on
// a desktop, one on a board.
#ifndef WEFT_TESTS_KERNELS_EVERY_TARGET_H_
#define WEFT_TESTS_KERNELS_EVERY_TARGET_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>

#include "hwy/targets.h"
#include "kernels/variants.h"

namespace weft::kernels {

// Calls run(name of the target), or run() if it has no parameter.
template <class Run>
void ForEachTarget(const Run& run) {
  (void)AllVariants();  // links all variants
  const auto run_on = [&run](int64_t target) {
    SCOPED_TRACE(hwy::TargetName(target));
    if constexpr (std::is_invocable_v<const Run&, const char*>) {
      run(hwy::TargetName(target));
    } else {
      run();
    }
  };
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
  run_on(HWY_TARGETS);
#else
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    run_on(target);
  }
  hwy::SetSupportedTargetsForTest(0);
#endif
}

}  // namespace weft::kernels

#endif  // WEFT_TESTS_KERNELS_EVERY_TARGET_H_
