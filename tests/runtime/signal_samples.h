// SPDX-License-Identifier: Apache-2.0
// Samples (samples.h) of the steps of audio front ends.
#ifndef WEFT_TESTS_RUNTIME_SIGNAL_SAMPLES_H_
#define WEFT_TESTS_RUNTIME_SIGNAL_SAMPLES_H_

#include "tests/runtime/step_sample.h"

namespace weft::test::samples {

template <>
inline StepSample SampleOf<format::Kind::signal>() {
  constexpr ElementType kI16 = ElementType::i16;
  return StepSample(format::Kind::signal, {{kI16, 10}, {kI16, 5}, {kI16, 10}})
      .With(format::SignalParams(10, 5, 0, 12, format::SignalOp::window, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::auto_scale>() {
  constexpr ElementType kI16 = ElementType::i16;
  return StepSample(format::Kind::auto_scale, {{kI16, 11}, {kI16, 11}, {ElementType::i32, 1}})
      .With(format::AutoScaleParams(11));
}

template <>
inline StepSample SampleOf<format::Kind::channel_gain>() {
  constexpr ElementType kI32 = ElementType::i32;
  return StepSample(format::Kind::channel_gain,
                    {{kI32, 7}, {kI32, 7}, {ElementType::i16, 125}, {kI32, 7}})
      .With(format::ChannelGainParams(7, 6));
}

template <>
inline StepSample SampleOf<format::Kind::subtract_noise>() {
  constexpr ElementType kI32 = ElementType::i32;
  const uint32_t smoothing[2] = {409, 983}, rest[2] = {15975, 15401};
  return StepSample(format::Kind::subtract_noise, {{kI32, 7}, {kI32, 7}, {kI32, 7}, {kI32, 7}})
      .With(format::SubtractNoiseParams(7, smoothing, rest, 819, 10, 14, 1, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::filter_bank>() {
  constexpr ElementType kI16 = ElementType::i16, kI32 = ElementType::i32;
  return StepSample(format::Kind::filter_bank,
                    {{kI32, 17}, {kI16, 24}, {kI16, 10}, {ElementType::i64, 4}})
      .With(format::FilterBankParams(4, 17, 12));
}

template <>
inline StepSample SampleOf<format::Kind::fixed_fourier>() {
  constexpr ElementType kI16 = ElementType::i16;
  return StepSample(format::Kind::fixed_fourier, {{kI16, 2 * 13}, {kI16, 24}, {kI16, 2 * 18}})
      .With(format::FixedFourierParams(2, 16, 13, 0, kI16, 0));
}

}  // namespace weft::test::samples

#endif  // WEFT_TESTS_RUNTIME_SIGNAL_SAMPLES_H_
