// SPDX-License-Identifier: Apache-2.0
#include "kernels/signal/filter_bank.h"

#include "runtime/bind/step.h"

namespace weft::bind::filter_bank {

// The kernel checks the bands.
static void Rules(const format::FilterBankParams&, ParamChecker&) {}

WEFT_RUN(FilterBank, (channels)(bins)(pairs))

}  // namespace weft::bind::filter_bank

WEFT_BIND_STEP(filter_bank, FilterBank)
