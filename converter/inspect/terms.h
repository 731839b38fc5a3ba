// SPDX-License-Identifier: Apache-2.0
// The amounts that determine the instructions of a step, such as products, rows and elements, from
// its parameters. The bound of a step is the sum of its terms, each times the number that was
// measured for the core (converter/inspect/bounds). The first part of a term's name is the kind of
// the step and the variant of its kernel; terms of different variants share no number.
#ifndef WEFT_CONVERTER_INSPECT_TERMS_H_
#define WEFT_CONVERTER_INSPECT_TERMS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "runtime/format/listing.h"

namespace weft::inspect {

// The kernels of a core, whose loops the terms of products count.
enum class KernelSet { kDsp, kHelium };  // scalar FPU and DSP extension; Helium
// The kernels of a core of CoresWithBounds (instructions.h).
KernelSet KernelsOf(std::string_view core);

struct Terms {
  KernelSet kernels = KernelSet::kDsp;
  uint32_t absent = 0;  // bit i: operand i of the step is absent
  // True if amounts depend on absent operands; else they are part of the variant.
  bool counts_absent = false;
  // True for blocks of a step after the first (runtime/bind/overlapping.h).
  bool is_continued = false;
  std::string variant;  // empty: the kind of step has no bound
  std::map<std::string, double> amounts;

  // Returns true if operand `index` is present, and counts absent operands.
  bool Has(uint32_t index) {
    counts_absent = true;
    return (absent >> index & 1) == 0;
  }
  // Adds to the term of this name; an amount of 0 adds no term.
  void Add(const std::string& name, double amount) {
    if (amount != 0) amounts[name] += amount;
  }
};

// The terms of one execution of a step. The model must have passed verify.cc.
Terms TermsOf(const format::Model& model, const format::Step& step, KernelSet kernels);
// The terms of the engine itself in one run: between the steps, and of sections.
Terms EngineTermsOf(const format::Model& model);

#define WEFT_STEP(name, Name, ...) void AddTerms(const format::Name##Params& p, Terms& terms);
#include "runtime/format/ops.inc"
#undef WEFT_STEP

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_TERMS_H_
