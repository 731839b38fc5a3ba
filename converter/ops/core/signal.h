// SPDX-License-Identifier: Apache-2.0
// Audio front ends in integers: the operators Signal* of TensorFlow Lite for Microcontrollers, with
// their names and options (kernels/signal/). Their reader creates them. u32 and u64 are i32 and i64
// with the same bits.
#ifndef WEFT_CONVERTER_OPS_CORE_SIGNAL_H_
#define WEFT_CONVERTER_OPS_CORE_SIGNAL_H_

namespace weft::ops {

// x i16 [..., n], window i16 [n]; "shift". y as x.
inline constexpr const char* kSignalWindow = "SignalWindow";
// x i16 [n]; y as x, and the shift, i32 [].
inline constexpr const char* kSignalAutoScale = "SignalFftAutoScale";
// x i16 or i32 [..., n]; "fft_length" L >= n. y [..., L + 2].
inline constexpr const char* kSignalRfft = "SignalRfft";
// x i16 or i32 [..., L + 2]; "fft_length" L. y [..., L].
inline constexpr const char* kSignalIrfft = "SignalIrfft";
// x i16 [2 * n]; "start_index", "end_index". y i32 [n].
inline constexpr const char* kSignalEnergy = "SignalEnergy";
// x i32 [bins], weights i16 [pairs, 2], bands i16 [channels + 1, 2]. y i64 [channels].
inline constexpr const char* kSignalFilterBank = "SignalFilterBank";
// x i64 [n], shift i32 []. y i32 [n].
inline constexpr const char* kSignalSquareRoot = "SignalFilterBankSquareRoot";
// x i32 [n], noise i32 [n]; "smoothing", "one_minus_smoothing", the same of odd channels after
// "alternate_", "min_signal_remaining", "smoothing_bits", "spectral_subtraction_bits", "clamping".
// y and the next noise, both as x.
inline constexpr const char* kSignalSubtraction = "SignalFilterBankSpectralSubtraction";
// x i32 [n], noise i32 [n], table i16 [125]; "snr_shift". y as x.
inline constexpr const char* kSignalPcan = "SignalPCAN";
// x i32 [n]; "output_scale", "input_correction_bits". y i16 [n].
inline constexpr const char* kSignalLog = "SignalFilterBankLog";

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_SIGNAL_H_
