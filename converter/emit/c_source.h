// SPDX-License-Identifier: Apache-2.0
// A model file as C: an aligned constant array, memory of the right size, names for ports and
// sizes, and the table of just the steps that the model takes, so that a linker keeps only their
// kernels. The header serves C99 and C++17, which gets weft::Engine opened.
#ifndef WEFT_CONVERTER_EMIT_C_SOURCE_H_
#define WEFT_CONVERTER_EMIT_C_SOURCE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace weft::emit {

struct CSource {
  std::string header, source;
};

// `file` is a verified model. `name` begins every identifier (as identifiers.h makes it fit for C)
// and is the stem of the header that the source includes, which needs CanBeIncluded. With
// `model_file` the source takes the bytes from that file when it is assembled (.incbin) instead of
// spelling them out.
//
// With `regions`, the names of one or two memories, scratch is two arrays: the first in section
// .bss.<first name>, the second, which takes the rest, in .bss.<second name>, else in .bss.
// False of names that no #include can spell: quotes, backslashes, controls, trigraphs.
bool CanBeIncluded(std::string_view name);
CSource WriteCSource(std::span<const std::byte> file, std::string_view name,
                     std::string_view model_file, std::span<const std::string> regions = {});

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_C_SOURCE_H_
