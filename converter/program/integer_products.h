// SPDX-License-Identifier: Apache-2.0
// Emits the steps that replace a product by a constant whose weights became integers.
#ifndef WEFT_CONVERTER_PROGRAM_INTEGER_PRODUCTS_H_
#define WEFT_CONVERTER_PROGRAM_INTEGER_PRODUCTS_H_

#include "converter/program/builder.h"
#include "converter/program/integer_values.h"
#include "converter/program/narrow_constant.h"
#include "converter/program/program.h"

namespace weft::program {

// Functions of rows in weight_encodings.h.
void MultiplyByI8(Builder& builder, const IntegerValues& values, const Constant& constant,
                  const RowProduct& product);
void MultiplyByI4(Builder& builder, const IntegerValues& values, const Constant& constant,
                  const RowProduct& product);

// `constant` holds the weights of `step` as integers.
void EmitInteger(Builder& builder, IntegerValues& values, const Step& step,
                 const Constant& constant);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_INTEGER_PRODUCTS_H_
