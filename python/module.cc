// SPDX-License-Identifier: Apache-2.0
// weft._core: the functions of converter and runtime for the Python package. It checks everything
// that could access memory out of bounds. The modules in weft/ define the Python interface and hold
// one lock for each Stream.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "converter/base/file_kind.h"
#include "converter/cli/commands.h"
#include "converter/cli/facts.h"
#include "converter/cli/loaded_model.h"
#include "converter/cli/system_streams.h"
#include "converter/cli/timing.h"
#include "converter/convert.h"
#include "converter/report/page.h"
#include "runtime/weft.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using weft::Faults;
using weft::cli::LoadedModel;
using weft::cli::ModelPort;
using RawBytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Becomes weft.Error with all lines.
struct Refused : std::exception {
  explicit Refused(std::vector<std::string> of) : lines(std::move(of)) {}
  const char* what() const noexcept override { return "weft refused"; }
  std::vector<std::string> lines;
};

void ThrowUnlessOk(const Faults& faults) {
  if (!faults.ok()) throw Refused(faults.lines());
}

std::span<const std::byte> BytesOf(const RawBytes& array) {
  return std::as_bytes(std::span(array.data(), array.size()));
}

nb::bytes PythonBytes(std::span<const std::byte> bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

// Returns the NumPy type of a view's elements. NumPy has no bf16, which is shown as its bits, and
// no 4-bit types, which are shown as packed bytes.
nb::dlpack::dtype DtypeOf(weft::Type type) {
  using nb::dlpack::dtype_code;
  const auto make = [&](dtype_code code, size_t bits) {
    return nb::dlpack::dtype{static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
  };
  const size_t bits = weft::BitsOf(type);
  switch (type) {
    case weft::Type::kF32:
    case weft::Type::kF16:
    case weft::Type::kF64:
      return make(dtype_code::Float, bits);
    case weft::Type::kI8:
    case weft::Type::kI16:
    case weft::Type::kI32:
    case weft::Type::kI64:
      return make(dtype_code::Int, bits);
    case weft::Type::kBool:
      return make(dtype_code::Bool, 8);
    case weft::Type::kBF16:
      return make(dtype_code::UInt, 16);
    case weft::Type::kI4:
    case weft::Type::kU4:
    case weft::Type::kU8:
      break;
  }
  return make(dtype_code::UInt, 8);
}

using View = nb::ndarray<nb::numpy>;
using ReadOnlyView = nb::ndarray<nb::numpy, nb::ro>;  // an output may be part of the file

// Returns a view of a port's memory; `owner` keeps the memory alive.
template <typename Array>
Array ViewOf(const weft::Tensor& tensor, nb::handle owner) {
  static std::byte none;  // for empty tensors, which may have no address
  std::vector<size_t> shape(tensor.dims, tensor.dims + tensor.rank);
  if (weft::BitsOf(tensor.type) < 8) shape = {tensor.bytes};
  void* const data = tensor.data != nullptr ? tensor.data : &none;
  return Array(data, shape.size(), shape.data(), owner, nullptr, DtypeOf(tensor.type));
}

// Name, names, element type, shape, axis of run-time length.
using PortRow = std::tuple<std::string, std::vector<std::string>, std::string, std::vector<int64_t>,
                           std::optional<uint32_t>>;

std::vector<PortRow> RowsOf(const std::vector<ModelPort>& ports) {
  std::vector<PortRow> rows;
  for (const ModelPort& port : ports) {
    rows.emplace_back(port.display_name, port.names, std::string(weft::Name(port.type.type)),
                      port.type.dims,
                      port.has_length ? std::optional(port.length_axis) : std::nullopt);
  }
  return rows;
}

// An engine with its own state; several engines can share the file.
class Stream {
 public:
  Stream(const RawBytes& file, const std::string& name) {
    const std::string other = weft::NotAModel(name, BytesOf(file));
    if (!other.empty()) throw Refused({name + ": " + other});
    Faults faults;
    std::unique_ptr<LoadedModel> model = LoadedModel::Of(BytesOf(file), name, faults);
    ThrowUnlessOk(faults);
    model->Open(faults);
    ThrowUnlessOk(faults);
    model_ = std::move(model);
    Open();
  }
  explicit Stream(std::shared_ptr<LoadedModel> model) : model_(std::move(model)) { Open(); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::unique_ptr<Stream> Another() const { return std::make_unique<Stream>(model_); }

  LoadedModel& model() { return *model_; }
  weft::Engine& engine() { return own_.engine; }
  std::span<std::byte> state() { return own_.state().first(model_->needs().state_bytes); }

  void Run() {
    RunWith([&](Faults& faults) { model_->Run(engine(), faults); });
  }
  void RunChecked(std::optional<int64_t> run) {
    RunWith([&](Faults& faults) { model_->RunChecked(own_, run, faults); });
  }

  void SetState(const RawBytes& saved) {
    const std::span<const std::byte> bytes = BytesOf(saved);
    if (bytes.size() != state().size()) {
      throw Refused({model_->file() + ": state: is " + std::to_string(bytes.size()) +
                     " bytes; must be " + std::to_string(state().size())});
    }
    if (!bytes.empty()) std::memcpy(state().data(), bytes.data(), bytes.size());
  }

  // The lanes of a model of several streams.
  weft::Streams Lanes() {
    weft::Streams lanes;
    const std::span<std::byte> memory = own_.state();
    Check(weft::Streams::Open(model_->bytes(), {memory.data(), memory.size()}, &lanes));
    return lanes;
  }
  nb::bytes SaveLane(uint32_t lane) {
    const weft::Streams lanes = Lanes();
    std::vector<std::byte> saved(lanes.state_bytes());
    Check(lanes.Save(lane, {saved.data(), saved.size()}));
    return PythonBytes(saved);
  }
  void LoadLane(uint32_t lane, const RawBytes& saved) {
    Check(Lanes().Load(lane, {saved.data(), saved.size()}));
  }
  void ResetLane(uint32_t lane) { Check(Lanes().Reset(lane)); }

  // Returns the nanoseconds of each run; all runs use the current inputs.
  std::vector<uint64_t> Time(int64_t runs, int64_t warm_up) {
    Faults faults;
    std::vector<uint64_t> times;
    {
      nb::gil_scoped_release others_run;
      const std::vector<std::vector<std::byte>> inputs = CopyOfInputs();
      const uint64_t clock = weft::cli::ClockCost();
      for (int64_t i = -warm_up; i < runs && faults.ok(); ++i) {
        FillInputs(inputs);
        const uint64_t begin = weft::cli::Now();
        model_->Run(engine(), faults);
        const uint64_t time = weft::cli::Now() - begin;
        if (i >= 0) times.push_back(time - std::min(time, clock));
      }
      FillInputs(inputs);
    }
    ThrowUnlessOk(faults);
    return times;
  }

 private:
  template <typename Function>
  void RunWith(const Function& function) {
    Faults faults;
    {
      nb::gil_scoped_release others_run;
      function(faults);
    }
    ThrowUnlessOk(faults);
  }

  void Open() { Check(own_.Open(model_->bytes(), model_->needs())); }

  void Check(const weft::Fault& fault) const {
    if (!fault.ok()) throw Refused({weft::cli::FaultLine(model_->file(), fault)});
  }

  std::vector<std::vector<std::byte>> CopyOfInputs() {
    std::vector<std::vector<std::byte>> inputs;
    for (uint32_t i = 0; i < engine().input_count(); ++i) {
      const weft::Tensor tensor = engine().input(i);
      inputs.emplace_back(tensor.as<std::byte>(), tensor.as<std::byte>() + tensor.bytes);
    }
    return inputs;
  }

  void FillInputs(const std::vector<std::vector<std::byte>>& inputs) {
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].empty()) continue;
      std::memcpy(engine().input(i).data, inputs[i].data(), inputs[i].size());
    }
  }

  std::shared_ptr<LoadedModel> model_;
  weft::cli::OwnEngine own_;
};

using Options = weft::converter::Options;
// Name, element type, shape, bytes.
using ValueRow = std::tuple<std::string, std::string, std::vector<int64_t>, RawBytes>;

using Converted = std::tuple<nb::bytes, std::vector<std::string>>;  // file and warnings

template <typename Call>
Converted ConvertWith(Options& options, const std::vector<ValueRow>& values, const Call& call) {
  for (const auto& [name, type, shape, bytes] : values) {
    options.values[name] = {type, shape, BytesOf(bytes)};
  }
  weft::converter::Result result;
  {
    nb::gil_scoped_release others_run;
    result = call();
  }
  if (!result.ok()) throw Refused(result.faults);
  return {PythonBytes(result.model.file), result.warnings};
}

Converted Convert(const RawBytes& xml, const RawBytes& weights, Options options,
                  const std::vector<ValueRow>& values) {
  return ConvertWith(options, values, [&] {
    return weft::converter::Convert(BytesOf(xml), BytesOf(weights), options);
  });
}

Converted ConvertFile(const std::string& model, const std::string& weights, Options options,
                      const std::vector<ValueRow>& values) {
  return ConvertWith(options, values,
                     [&] { return weft::converter::ConvertFile(model, weights, options); });
}

// Header and source.
std::pair<nb::bytes, nb::bytes> CSourceOf(Stream& stream, const std::string& name) {
  const weft::Bytes file = stream.model().bytes();
  const std::optional<weft::converter::CSource> c =
      weft::converter::WriteCSource({static_cast<const std::byte*>(file.data), file.size}, name);
  if (!c) throw Refused({name + ": names a header; must be what #include can hold"});
  return {nb::bytes(c->header.data(), c->header.size()),
          nb::bytes(c->source.data(), c->source.size())};
}

void SetLayerOutputs(Options& options, const std::vector<std::pair<int64_t, uint32_t>>& rows) {
  options.layer_outputs.clear();
  for (const auto& [layer, port] : rows) options.layer_outputs.push_back({layer, port});
}

// Runs the command `weft` with these arguments and returns its exit code. The process must end
// afterwards, because a failed write is remembered.
int RunCommand(const std::vector<std::string>& words) {
  nb::gil_scoped_release others_run;
  std::vector<const char*> arguments = {"weft"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);
  weft::cli::HoldStandardStreams();
  return weft::cli::Main(static_cast<int>(words.size()) + 1, arguments.data());
}

std::string TextOf(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void Translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Refused& refused) {
    const nb::object type = nb::module_::import_("weft._errors").attr("Error");
    PyErr_SetObject(type.ptr(), nb::cast(refused.lines).ptr());
  }
}

void AddOptions(nb::module_& module) {
  nb::enum_<weft::converter::Aim>(module, "Aim")
      .value("BALANCED", weft::converter::Aim::kBalanced)
      .value("SMALLEST", weft::converter::Aim::kSmallest)
      .value("FASTEST", weft::converter::Aim::kFastest);
  nb::class_<Options>(module, "Options")
      .def(nb::init<>())
      .def_rw("name", &Options::name)
      .def_rw("shapes", &Options::shapes)
      .def_rw("states", &Options::states)
      .def_rw("streaming_steps", &Options::streaming_steps, nb::arg().none())
      .def_rw("streams", &Options::streams)
      .def_rw("time_axes", &Options::time_axes)
      .def_rw("precision", &Options::precision)
      .def_rw("layer_precisions", &Options::layer_precisions)
      .def_rw("arithmetic", &Options::arithmetic)
      .def_rw("arena_budget_bytes", &Options::arena_budget_bytes, nb::arg().none())
      .def_rw("arena_aim", &Options::arena_aim)
      .def_rw("max_iterations", &Options::max_iterations)
      .def_rw("fold_budget_bytes", &Options::fold_budget_bytes)
      .def_rw("self_test_runs", &Options::self_test_runs)
      .def("set_layer_outputs", SetLayerOutputs, "rows"_a);
}

void AddStream(nb::module_& module) {
  nb::class_<Stream>(module, "Stream")
      .def(nb::init<const RawBytes&, const std::string&>(), "file"_a, "name"_a)
      .def("another", &Stream::Another)
      .def("inputs", [](Stream& stream) { return RowsOf(stream.model().inputs()); })
      .def("outputs", [](Stream& stream) { return RowsOf(stream.model().outputs()); })
      .def("file",
           [](Stream& stream) {
             const weft::Bytes bytes = stream.model().bytes();
             return nb::bytes(bytes.data, bytes.size);
           })
      .def("c_source", CSourceOf, "name"_a)
      .def(
          "input",
          [](nb::handle self, uint32_t port) {
            return ViewOf<View>(nb::cast<Stream&>(self).engine().input(port), self);
          },
          "port"_a)
      .def(
          "output",
          [](nb::handle self, uint32_t port) {
            return ViewOf<ReadOnlyView>(nb::cast<Stream&>(self).engine().output(port), self);
          },
          "port"_a)
      .def("run", &Stream::Run)
      .def("run_checked", &Stream::RunChecked, "run"_a.none())
      .def("reset", [](Stream& stream) { stream.engine().Reset(); })
      .def("state", [](Stream& stream) { return PythonBytes(stream.state()); })
      .def("set_state", &Stream::SetState, "saved"_a)
      .def("streamed",
           [](Stream& stream) { return TextOf(weft::cli::FactsOf(stream.model())["streamed"]); })
      .def("state_layout", [](Stream& stream) { return weft::StateLayout(stream.model().bytes()); })
      .def("lane_count", [](Stream& stream) { return stream.Lanes().count(); })
      .def("lane_bytes", [](Stream& stream) { return stream.Lanes().state_bytes(); })
      .def("save_lane", &Stream::SaveLane, "lane"_a)
      .def("load_lane", &Stream::LoadLane, "lane"_a, "saved"_a)
      .def("reset_lane", &Stream::ResetLane, "lane"_a)
      .def("time", &Stream::Time, "runs"_a, "warm_up"_a)
      .def("inspect", [](Stream& stream) { return TextOf(weft::cli::FactsOf(stream.model())); })
      .def("report_page", [](Stream& stream) {
        return weft::report::Page(weft::cli::FactsOf(stream.model(), weft::cli::kAllFacts));
      });
}

}  // namespace

NB_MODULE(_core, module) {
  nb::register_exception_translator(Translate);
  module.attr("VERSION") = WEFT_VERSION;
  AddOptions(module);
  AddStream(module);
  module.def("run_command", RunCommand, "words"_a);
  module.def("convert", Convert, "xml"_a, "weights"_a, "options"_a, "values"_a);
  module.def("convert_file", ConvertFile, "model"_a, "weights"_a, "options"_a, "values"_a);
}
