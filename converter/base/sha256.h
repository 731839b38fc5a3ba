// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), to identify files. None of weft's libraries has it.
#ifndef WEFT_CONVERTER_BASE_SHA256_H_
#define WEFT_CONVERTER_BASE_SHA256_H_

#include <cstddef>
#include <span>
#include <string>

namespace weft {

// Returns 64 hexadecimal digits in lower case.
std::string Sha256Of(std::span<const std::byte> bytes);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_SHA256_H_
