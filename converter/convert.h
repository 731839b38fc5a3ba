// SPDX-License-Identifier: Apache-2.0
// The converter as a library: converts an OpenVINO IR to the bytes of a model.weft. This header
// includes no other header of weft and requires C++20. All functions throw only std::bad_alloc and
// may be called by several threads concurrently. In an installed weft, the CMake target is
// weft::converter, after find_package(weft COMPONENTS converter_library).
//
//   const weft::converter::Result result = weft::converter::Convert(xml, weights, {});
//   for (const std::string& line : result.faults) std::cerr << line << '\n';
//   if (result.ok()) Write("model.weft", result.model.file);
#ifndef WEFT_CONVERTER_CONVERT_H_
#define WEFT_CONVERTER_CONVERT_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weft::converter {

// Dense, row-major, little-endian. `type` is a type name of the IR: "f32", "i64", "boolean".
struct Array {
  std::string type;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;
};

// An output of a layer: the layer's id in the IR and the index of the output.
struct LayerOutput {
  int64_t layer = -1;
  uint32_t port = 0;
};

// The criterion for choosing a plan.
enum class Aim : uint8_t {
  kBalanced,  // the fastest plan that uses at most twice the minimum scratch
  kSmallest,
  kFastest,
};

// `weft convert --help` describes the options with these names. A port is identified by any of its
// names or by its index.
struct Options {
  std::string name = "model.xml";                           // name of the IR in messages
  std::map<std::string, std::vector<int64_t>> shapes;       // by input
  std::map<std::string, Array> values;                      // by input that becomes a constant
  std::vector<std::pair<std::string, std::string>> states;  // pairs of an input and an output
  std::optional<int64_t> streaming_steps;                   // time steps per run
  std::vector<std::pair<std::string, int64_t>> time_axes;   // requires streaming_steps
  int64_t streams = 0;                                      // streams per run; 0: no --streams
  std::string precision = "auto";                           // type of weights
  std::map<std::string, std::string> layer_precisions;      // exceptions, by layer
  std::string arithmetic = "auto";                          // of int8 layers
  std::optional<int64_t> arena_budget_bytes;                // maximum bytes of scratch
  Aim arena_aim = Aim::kBalanced;                           // used without a budget
  int64_t max_iterations = 0;                               // 0: reject loops without a limit
  int64_t fold_budget_bytes = int64_t{1} << 30;             // memory limit of constant folding
  uint32_t self_test_runs = 0;
  std::vector<LayerOutput> layer_outputs;  // additional outputs, after those of the model
};

// Sizes are bytes.
struct Model {
  std::vector<std::byte> file;
  int64_t weights_bytes = 0, state_bytes = 0, scratch_bytes = 0, self_test_bytes = 0;
  int64_t f16_weights = 0;  // number of elements of the IR's f16 constants
};

// All errors and warnings of a call. Lines have the form `where: who: what is; what must be`.
struct Result {
  Model model;  // empty unless ok
  std::vector<std::string> faults, warnings;
  bool ok() const { return faults.empty(); }
};

// Converts an IR in memory. Its bytes, and those of `options`, must be valid during the call.
Result Convert(std::span<const std::byte> xml, std::span<const std::byte> weights,
               const Options& options);

// Converts an IR file. If `weights` is empty, reads the .bin file next to it. Ignores
// Options::name.
Result ConvertFile(const std::filesystem::path& model, const std::filesystem::path& weights,
                   const Options& options);

// Texts of name.c and name.h, as `weft convert --c-source` writes them.
struct CSource {
  std::string header, source;
};

// Writes the C source of a valid model file. All identifiers start with `name`. Returns nullopt if
// #include does not accept the name.
std::optional<CSource> WriteCSource(std::span<const std::byte> file, const std::string& name);

}  // namespace weft::converter

#endif  // WEFT_CONVERTER_CONVERT_H_
