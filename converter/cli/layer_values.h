// SPDX-License-Identifier: Apache-2.0
// weft compare A B --layers: compares the values of each layer with the layer of the same name in
// another file of the same model. Values are copied when steps write them, so fusion and in-place
// steps do not change.
#ifndef WEFT_CONVERTER_CLI_LAYER_VALUES_H_
#define WEFT_CONVERTER_CLI_LAYER_VALUES_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/json.h"
#include "converter/cli/comparison.h"
#include "converter/cli/loaded_model.h"
#include "converter/cli/watch.h"
#include "runtime/access.h"

namespace weft::cli {

// The values of all layers in the last run of a model that was opened with WatchedSteps.
class LayerValues {
 public:
  explicit LayerValues(LoadedModel& model);

  void Forget();  // call before each run
  // In the order of execution.
  const std::vector<std::string>& layers() const { return layers_; }
  // The values that the layer's last step has written, iterations concatenated; null for a layer
  // without values.
  const Array* Of(const std::string& layer) const;

 private:
  // The last step of a layer, and the bytes of the operand that the step writes.
  struct Source {
    std::string layer;
    uint32_t operand = 0;
    StridedBytes bytes;
  };
  void Find(const format::Model& model);
  void See(uint32_t step, std::byte* const* operands);

  std::map<uint32_t, Source> sources_;  // by step
  std::map<std::string, Array> values_;
  std::vector<std::string> layers_;
  Watch watch_;
};

struct LayerDifference {
  std::string layer, type;  // type of the weights; empty without weights
  std::optional<int64_t> bytes_before, bytes;
  std::optional<double> weights_db;  // signal to noise of the weights; nullopt if they are equal
  Comparison values;                 // of all runs; no elements if they could not be compared
};

class LayerComparison {
 public:
  // Both models must have been opened with WatchedSteps.
  LayerComparison(LoadedModel& is, LoadedModel& must);

  void BeginRun();
  void EndRun(const Tolerance& tolerance);

  // One object for each layer with weights or values.
  Json Rows() const;

 private:
  LayerValues is_, must_;
  std::vector<LayerDifference> layers_;
};

std::string LayersText(Json rows);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_LAYER_VALUES_H_
