// SPDX-License-Identifier: Apache-2.0
// weft compare A B --layers: what each layer of one model gives, held against the layer of the same
// name in another file of the same model. Values are taken as steps write them, so that nothing
// that is fused or kept in place stays apart for it.
#ifndef WEFT_CONVERTER_CLI_LAYER_VALUES_H_
#define WEFT_CONVERTER_CLI_LAYER_VALUES_H_

#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "converter/cli/comparison.h"
#include "converter/cli/loaded_model.h"
#include "converter/cli/watch.h"
#include "runtime/access.h"

namespace weft::cli {

// Of a model that was opened with WatchedSteps: the values of its layers in the run that was the
// last.
class LayerValues {
 public:
  explicit LayerValues(LoadedModel& model);

  void Forget();  // before a run
  // In the order of execution.
  const std::vector<std::string>& layers() const { return layers_; }
  // All that the layer's last step has written, one iteration behind the other; null for a layer
  // that has none.
  const Array* Of(const std::string& layer) const;

 private:
  // The last step of a layer, and the bytes of the operand that it writes.
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
  std::string layer, type;  // of the weights; empty without
  std::optional<int64_t> bytes_before, bytes;
  std::optional<double>
      weights_db;     // how far rounding is below the weights; nullopt where nothing is
  Comparison values;  // of all runs; no elements where they could not be compared
};

class LayerComparison {
 public:
  // Of models that were opened with WatchedSteps.
  LayerComparison(LoadedModel& is, LoadedModel& must);

  void BeginRun();
  void EndRun(const Tolerance& tolerance);

  std::string Text() const;
  nlohmann::ordered_json Json() const;

 private:
  LayerValues is_, must_;
  std::vector<LayerDifference> layers_;
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_LAYER_VALUES_H_
