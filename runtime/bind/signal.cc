// SPDX-License-Identifier: Apache-2.0
#include "kernels/signal/signal.h"

#include "runtime/bind/step.h"

namespace weft::bind::signal {

static_assert(static_cast<uint32_t>(format::SignalOp::MAX) + 1 == kernels::kSignalOpCount);

static void Rules(const format::SignalParams& params, ParamChecker& check) {
  using Op = format::SignalOp;
  const bool is_window = params.op() == Op::window, is_logarithm = params.op() == Op::logarithm;
  check.RequireBelow(FaultCode::kParamOp, params.op(), kernels::kSignalOpCount);
  if (is_window) {
    check.Require(params.length() >= 1 && params.length() <= params.count(),
                  FaultCode::kParamChoice, params.length(), params.count());
  } else {
    check.RequireZero(params.length());
  }
  if (!is_logarithm) check.RequireZero(params.scale());
  if (!is_window && !is_logarithm) check.RequireZero(params.shift());
  check.RequireAtMost(FaultCode::kParamFactor, params.shift(), 31);
}

WEFT_RUN(Signal, (count)(length)(scale)(shift)(op))

}  // namespace weft::bind::signal

WEFT_BIND_STEP(signal, Signal)
