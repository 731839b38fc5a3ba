// SPDX-License-Identifier: Apache-2.0
// Steps with a window along the rows of a map, such as convolutions and pooling over time. Returns
// the same step for some of its rows.
#ifndef WEFT_CONVERTER_PROGRAM_WINDOW_ROWS_H_
#define WEFT_CONVERTER_PROGRAM_WINDOW_ROWS_H_

#include <cstdint>
#include <optional>

#include "converter/program/program.h"

namespace weft::program {

// Row t of y depends on rows t - front to t - front + reach of x, as far as x has them.
struct WindowRows {
  int64_t in = 0, out = 0;  // rows of x, operand 0, and of y, the only output
  int64_t front = 0, reach = 0;
  int64_t after() const { return out - in + reach - front; }  // rows of padding at the end
};

// Returns the rows of a step with stride 1 along them. Returns nullopt for other steps, and if the
// rows of x or y are not contiguous with all their channels.
std::optional<WindowRows> WindowRowsOf(const Step& step);

// Returns the parameters for `out` rows of y from `in` rows of x, which begin `front` rows after
// the begin of the first window.
Params WindowPart(const Step& step, int64_t in, int64_t out, int64_t front);

// Channels of the maps x and y of a step.
template <typename P>
int64_t InputChannels(const P& p) {
  if constexpr (requires { p.groups(); }) return int64_t{p.groups()} * p.in_channels();
  if constexpr (requires { p.channels() / p.multiplier(); }) return p.channels() / p.multiplier();
  if constexpr (requires { p.channels(); }) return p.channels();
}
template <typename P>
int64_t OutputChannels(const P& p) {
  if constexpr (requires { p.groups(); }) return int64_t{p.groups()} * p.out_channels();
  if constexpr (requires { p.channels(); }) return p.channels();
}

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_WINDOW_ROWS_H_
