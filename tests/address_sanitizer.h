// SPDX-License-Identifier: Apache-2.0
// Defines WEFT_ADDRESS_SANITIZER if AddressSanitizer is enabled: GCC has a macro, Clang 19 a
// feature.
#ifndef WEFT_TESTS_ADDRESS_SANITIZER_H_
#define WEFT_TESTS_ADDRESS_SANITIZER_H_

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_ADDRESS_SANITIZER 1
#endif
#endif
#if !defined(WEFT_ADDRESS_SANITIZER)
#define WEFT_ADDRESS_SANITIZER 0
#endif

#endif  // WEFT_TESTS_ADDRESS_SANITIZER_H_
