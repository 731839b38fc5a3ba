// SPDX-License-Identifier: Apache-2.0
// Models of one custom operator, for tests of messages.
#ifndef WEFT_TESTS_CONVERTER_TFLITE_CUSTOM_OPERATOR_H_
#define WEFT_TESTS_CONVERTER_TFLITE_CUSTOM_OPERATOR_H_

#include <flatbuffers/flexbuffers.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "converter/tflite/read.h"
#include "tests/converter/tflite/model_writer.h"

namespace weft::tflite {

// A FlexBuffers map; numbers without a fraction are integers.
inline std::vector<uint8_t> MapOf(const std::map<std::string, double>& options) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    for (const auto& [key, number] : options) {
      const auto integer = static_cast<int64_t>(number);
      if (static_cast<double>(integer) == number) {
        builder.Int(key.c_str(), integer);
      } else {
        builder.Float(key.c_str(), static_cast<float>(number));
      }
    }
  });
  builder.Finish();
  return builder.GetBuffer();
}

// A model of one custom operator; constants have data.
inline ModelWriter OneOperator(const std::string& name, std::vector<ModelWriter::Tensor> inputs,
                               std::vector<ModelWriter::Tensor> outputs,
                               std::vector<uint8_t> options) {
  ModelWriter model;
  ModelWriter::Operator op = {32,      {}, {},   schema::Options::NONE,
                              nullptr, 1,  name, std::move(options)};
  for (ModelWriter::Tensor& tensor : inputs) {
    op.inputs.push_back(static_cast<int32_t>(model.tensors.size()));
    if (tensor.data.empty()) model.inputs.push_back(op.inputs.back());
    model.tensors.push_back(std::move(tensor));
  }
  for (ModelWriter::Tensor& tensor : outputs) {
    op.outputs.push_back(static_cast<int32_t>(model.tensors.size()));
    model.outputs.push_back(op.outputs.back());
    model.tensors.push_back(std::move(tensor));
  }
  model.operators = {op};
  return model;
}

// The only fault, after the name of the operator, whose first output is "y".
inline std::string FaultOf(const ModelWriter& model) {
  Faults faults;
  ReadWithHoles("m", model.Bytes(), {}, faults);
  if (faults.lines().size() != 1) return std::to_string(faults.lines().size()) + " faults";
  return faults.lines()[0].substr(faults.lines()[0].find("\"y\": ") + 5);
}

}  // namespace weft::tflite

#endif  // WEFT_TESTS_CONVERTER_TFLITE_CUSTOM_OPERATOR_H_
