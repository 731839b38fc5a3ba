// SPDX-License-Identifier: Apache-2.0
// A model file as C source: an aligned constant array, memory of the required size, names for ports
// and sizes, and a table of the steps that the model uses, so that the linker keeps only their
// kernels. The header supports C99 and C++17 (with functions that open a weft::Engine).
#ifndef WEFT_CONVERTER_EMIT_C_SOURCE_H_
#define WEFT_CONVERTER_EMIT_C_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/format/listing.h"

namespace weft::emit {

struct CSource {
  std::string header, source;
};

// Writes the source and the header. `file` is a verified model. All identifiers start with `name`,
// converted by identifiers.h. `name` is also the stem of the header that the source includes, so
// CanBeIncluded must be true. If `model_file` is not empty, the source includes the bytes of that
// file when it is assembled (.incbin) instead of listing them. The first comment of both files
// names `from` as their origin, or <name>.weft if it is empty.
//
// With `regions`, the names of memory regions, scratch is one array per region: the first in
// section .bss.<first name>, the last, which holds the rest, in .bss.<name> if it has a name, else
// in .bss. Returns false for names that #include does not accept: with quotes, backslashes, control
// characters or trigraphs.
bool CanBeIncluded(std::string_view name);
CSource WriteCSource(std::span<const std::byte> file, std::string_view name,
                     std::string_view model_file, std::span<const std::string> regions = {},
                     std::string_view from = {});

// The entries of runtime/steps.h that the model's steps need, by kind: "dense", "narrow_dense".
std::map<uint16_t, std::string> StepEntriesOf(const format::Model& model);
// Kernel variants that these steps need (kernels/variants.inc).
std::vector<std::string> StepVariantsOf(const format::Model& model);

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_C_SOURCE_H_
