// SPDX-License-Identifier: Apache-2.0
// What the steps of a listing make of what, as one number. The listing is walked as the engine walks
// it, over memory of the same size, but no step computes: each numbers the bytes that it writes by its
// kind, its parameters and the numbers of all bytes that it reads. Copies move numbers. The outputs' and
// variables' numbers, after runs that take several ways through conditions and loops, are the result.
//
// Two listings of one program have the same number however their values are placed, as long as every
// step reads what the program hands it: a value that was overwritten, or never written, a changed order
// of steps, another stride or another variable change it, but for one chance in about four billion. So
// it sees within a buffer what the plan validator (validator.h) does not; that one proves what it does
// see for all ways, this one tries some. Only behind the true length of outputs of run-time length,
// which nothing uses, may two plans of a program differ in bytes, and therefore in their numbers.
#ifndef WEFT_CONVERTER_PLAN_VALUE_NUMBERS_H_
#define WEFT_CONVERTER_PLAN_VALUE_NUMBERS_H_

#include <cstdint>
#include <optional>

#include "runtime/format/weft_generated.h"

namespace weft::plan {

// Of a model that verify.cc has accepted. Nullopt where its regions, or what its steps touch, are
// more bytes than can be walked in about a second; never 0.
std::optional<uint32_t> NumberOfValues(const format::Model& model);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_VALUE_NUMBERS_H_
