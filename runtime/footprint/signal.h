// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_RUNTIME_FOOTPRINT_SIGNAL_H_
#define WEFT_RUNTIME_FOOTPRINT_SIGNAL_H_

#include "kernels/signal/channel_gain.h"
#include "kernels/signal/fixed_fourier.h"
#include "kernels/signal/signal.h"
#include "runtime/footprint/footprint.h"

namespace weft::footprint {

WEFT_FOOTPRINT(Signal) {
  using Op = format::SignalOp;
  const Op op = p.op();
  const bool is_window = op == Op::window, is_energy = op == Op::energy;
  const bool is_root = op == Op::square_root, is_logarithm = op == Op::logarithm;
  v.Reads(0,
          is_root        ? ElementType::i64
          : is_logarithm ? kI32
                         : kI16,
          is_energy ? Times(2, p.count()) : p.count());
  v.Reads(1, is_window || is_logarithm ? kI16 : kI32,
          is_window      ? p.length()
          : is_logarithm ? kernels::kLogarithmTable
          : is_energy    ? 2u
                         : 1u);
  v.Writes(2, is_window || is_logarithm ? kI16 : kI32, p.count());
  v.MayShare(0, 2, is_window);
}

// All of x is read before y is written.
WEFT_FOOTPRINT(AutoScale) {
  v.Reads(0, kI16, p.count());
  v.Writes(1, kI16, p.count());
  v.Writes(2, kI32, 1u);
  v.MayShare(0, 1, true);
}

WEFT_FOOTPRINT(ChannelGain) {
  v.Reads(0, kI32, p.count());
  v.Reads(1, kI32, p.count());
  v.Reads(2, kI16, kernels::kChannelGainTable);
  v.Writes(3, kI32, p.count());
  v.MayShare(0, 3, true);
  v.MayShare(1, 3, true);
}

// y may overwrite x, and noise' noise.
WEFT_FOOTPRINT(SubtractNoise) {
  v.Reads(0, kI32, p.count());
  v.Reads(1, kI32, p.count());
  v.Writes(2, kI32, p.count());
  v.Writes(3, kI32, p.count());
  v.MayShare(0, 2, true);
  v.MayShare(1, 3, true);
}

WEFT_FOOTPRINT(FilterBank) {
  v.Reads(0, kI32, p.bins());
  v.Reads(1, kI16, Times(2, p.pairs()));
  v.Reads(2, kI16, Times(2, Plus(p.channels(), 1)));
  v.Writes(3, ElementType::i64, p.channels());
}

// A line of y is used as a buffer while x is read.
WEFT_FOOTPRINT(FixedFourier) {
  const uint32_t pairs = Clip(kernels::FixedFourierPairs(p.size()));
  const bool is_inverse = p.is_inverse() != 0;
  v.Reads(0, p.type(), Times(p.lines(), is_inverse ? pairs : p.inputs()));
  v.Reads(1, p.type(), Clip(kernels::FixedFourierTable(p.size())));
  v.Writes(2, p.type(), Times(p.lines(), is_inverse ? p.size() : pairs));
}

}  // namespace weft::footprint

#endif  // WEFT_RUNTIME_FOOTPRINT_SIGNAL_H_
