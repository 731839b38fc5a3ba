// SPDX-License-Identifier: Apache-2.0
// Names of resource variables, from the VAR_HANDLE operators of a file.
#ifndef WEFT_CONVERTER_TFLITE_RESOURCE_NAMES_H_
#define WEFT_CONVERTER_TFLITE_RESOURCE_NAMES_H_

#include <string>

#include "converter/tflite/model.h"

namespace weft::tflite {

bool IsVarHandle(const Operator& op);
// "container/name" of a VAR_HANDLE, or the name if there is no container.
std::string NameOfResource(const Operator& op);
// Returns true if a VAR_HANDLE of any subgraph has this name.
bool IsNameOfResource(const Model& model, const std::string& name);

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_RESOURCE_NAMES_H_
