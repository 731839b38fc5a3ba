// SPDX-License-Identifier: Apache-2.0
// What an input gets, call after call: an array with the shape of its port for every call, one with
// an extra leading axis of length N for N successive ones, or a recording cut into calls.
#ifndef WEFT_CONVERTER_CLI_FEED_H_
#define WEFT_CONVERTER_CLI_FEED_H_

#include <cstdint>
#include <optional>
#include <string>

#include "converter/base/faults.h"
#include "converter/cli/loaded_model.h"
#include "converter/cli/npy.h"

namespace weft::cli {

struct Feed {
  Array array;
  std::string file;
  bool per_call = false;    // the array has a leading axis of calls
  bool along_time = false;  // in the file they followed one another along the port's time axis
  int64_t call_count = 1;
  double seconds_per_call = 0;  // of a recording; 0 where time is not known
};

// Of a .npy or WAV file; with a fault where it cannot be read or does not fit the port.
std::optional<Feed> ReadFeed(const ModelPort& port, const std::string& file, bool cast,
                             Faults& faults);

// The array of a .npy file, with the type of the port if it holds its packed bytes, cast to it if
// the call requests it. Nullopt and a reason without the
// path where it cannot be read or cast; of another type it is left as it is.
std::optional<Array> ReadAs(const TensorType& port, bool cast, const std::string& file,
                            std::string* reason);
// Of an array that has a leading axis of calls: these one behind the other along the port's axis of
// that number, and back again.
void JoinCalls(uint32_t axis, Array& array);
void CutCalls(uint32_t axis, int64_t calls, Array& array);

// What to do about an array of another type; empty where nothing is to be done.
std::string CastAdvice(ElementType is, const TensorType& must);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_FEED_H_
