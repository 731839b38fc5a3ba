// SPDX-License-Identifier: Apache-2.0
// Generated values for inputs without a file: floating-point numbers in [-1, 1), the same on every
// machine, and zeros for integers and booleans, because zeros are valid for every model.
#ifndef WEFT_CONVERTER_CLI_MADE_FEED_H_
#define WEFT_CONVERTER_CLI_MADE_FEED_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

#include "converter/cli/feed.h"

namespace weft::cli {

void FillElements(ElementType type, std::span<std::byte> bytes, std::mt19937& random);
Feed MadeFeed(const ModelPort& port, int64_t calls, std::mt19937& random);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_MADE_FEED_H_
