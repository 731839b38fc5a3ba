// SPDX-License-Identifier: Apache-2.0
// A model file as C source: an aligned constant array, memory of the required size, names for ports
// and sizes, and a table of the steps that the model uses, so that the linker keeps only their
// kernels. The header supports C99 and C++17 (with functions that open a weft::Engine).
#ifndef WEFT_CONVERTER_EMIT_C_SOURCE_H_
#define WEFT_CONVERTER_EMIT_C_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converter/base/stated_codes.h"
#include "runtime/format/listing.h"

namespace weft::emit {

struct CSource {
  std::string header, source;
};

// A model of a C source. All its identifiers start with `name`, converted by identifiers.h. If
// `included_file` is not empty, the source includes the bytes of that file when it is assembled
// (.incbin) instead of listing them.
struct SourceModel {
  std::span<const std::byte> file;  // a verified model
  std::string name, included_file;
  // By port, for constants of its scale and zero point; empty: unknown. The file does not have
  // them.
  std::span<const std::optional<StatedCodes>> input_codes = {}, output_codes = {};
};

// Returns false for names that #include does not accept: with quotes, backslashes, control
// characters or trigraphs.
bool CanBeIncluded(std::string_view name);

// Writes the source and the header of one model. Its name is also the stem of the header that the
// source includes, so CanBeIncluded must be true. The first comment of both files names `from` as
// their origin, or <name>.weft if it is empty.
//
// With `regions`, the names of memory regions, scratch is one array per region: the first in
// section .bss.<first name>, the last, which holds the rest, in .bss.<name> if it has a name, else
// in .bss.
CSource WriteCSource(const SourceModel& model, std::span<const std::string> regions = {},
                     std::string_view from = {});

// Writes several models with one scratch array, <name>_scratch, of the maximum size that a model
// needs, and functions that open all of them. `name` is the stem of the header. The identifiers of
// the models and of `name` must differ, also in upper case, and NamesOf and ProgramNames too. Each
// model must have one scratch region.
CSource WriteProgram(std::span<const SourceModel> models, const std::string& name,
                     std::string_view from);

// Names with external linkage, macros and types of a model's C source and header: its identifier,
// which is its namespace in C++, and names that begin with this identifier.
std::vector<std::string> NamesOf(std::span<const std::byte> file, const std::string& name);
// Likewise of the program that WriteProgram writes, with the names of its C++ types.
std::vector<std::string> ProgramNames(const std::string& name);

// The entries of runtime/steps.h that the model's steps need, by kind: "dense", "narrow_dense".
std::map<uint16_t, std::string> StepEntriesOf(const format::Model& model);
// Kernel variants that these steps need (kernels/variants.inc).
std::vector<std::string> StepVariantsOf(const format::Model& model);

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_C_SOURCE_H_
