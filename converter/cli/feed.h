// SPDX-License-Identifier: Apache-2.0
// The values of an input for a sequence of calls: an array with the shape of its port for every
// call, an array with an extra leading axis of length N for N calls, or a recording split into
// calls.
#ifndef WEFT_CONVERTER_CLI_FEED_H_
#define WEFT_CONVERTER_CLI_FEED_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>

#include "converter/base/faults.h"
#include "converter/cli/loaded_model.h"
#include "converter/cli/npy.h"

namespace weft::cli {

struct Feed {
  Array array;
  std::string file;
  bool per_call = false;    // the array has a leading axis of calls
  bool along_time = false;  // the file has the calls along the port's time axis
  int64_t call_count = 1;
  double seconds_per_call = 0;  // for recordings; 0: unknown
  size_t missing_bytes = 0;     // of a recording whose file was cut
};

// Reads a .npy or WAV file. Returns nullopt and adds a fault if it cannot be read or does not fit
// the port.
std::optional<Feed> ReadFeed(const ModelPort& port, const std::string& file, bool cast,
                             Faults& faults);

// Reads a .npy file. Packed bytes of the port's type get this type; with `cast` other types are
// converted to it, else they are unchanged. Returns nullopt and a reason without the path on
// failure.
std::optional<Array> ReadAs(const TensorType& port, bool cast, const std::string& file,
                            std::string* reason);
// JoinCalls removes the leading axis of calls and concatenates the calls along axis `axis` of the
// port. CutCalls is the inverse.
void JoinCalls(uint32_t axis, Array& array);
void CutCalls(uint32_t axis, int64_t calls, Array& array);

// Advice for an array of another type; empty if there is none.
std::string CastAdvice(ElementType is, const TensorType& must);

// Generated values for inputs without a file: floating-point numbers in [-1, 1), the same on every
// machine, and zeros for integers and booleans, because zeros are valid for every model.
void FillElements(ElementType type, std::span<std::byte> bytes, std::mt19937& random);
Feed MadeFeed(const ModelPort& port, int64_t calls, std::mt19937& random);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_FEED_H_
