// SPDX-License-Identifier: Apache-2.0
// Numbers for inputs that have no file: reals in [-1, 1), the same ones on every machine; integers
// and booleans are zeros, which every model can take.
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
