// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "converter/base/nearest.h"
#include "converter/base/packed.h"
#include "converter/base/visible.h"
#include "converter/cli/numbers.h"
#include "converter/graph/port_names.h"

namespace weft::cli {
namespace {

graph::PortNames NamesByPort(const std::vector<ModelPort>& ports) {
  graph::PortNames names;
  for (const ModelPort& port : ports) names.push_back(port.names);
  return names;
}

// In the form of the messages of weft convert (graph/input_shapes.h).
std::string MustBeOf(const std::vector<ModelPort>& ports, std::string_view side) {
  if (ports.empty()) return fmt::format("must be removed: the model has no {}s", side);
  std::string list =
      ports.size() == 1 ? fmt::format("the only {} is ", side) : std::string("must be one of ");
  for (const ModelPort& port : ports) {
    list += fmt::format("{}\"{}\" {}", &port == &ports[0] ? "" : ", ", port.display_name,
                        ToString(port.type));
  }
  return list;
}

std::vector<std::string> NamesOf(const std::vector<ModelPort>& ports) {
  std::vector<std::string> names;
  for (const ModelPort& port : ports) {
    names.insert(names.end(), port.names.begin(), port.names.end());
  }
  return names;
}

TensorType CurrentType(const Tensor& tensor, ElementType type) {
  TensorType now{type, {}};
  for (uint8_t i = 0; i < tensor.rank; ++i) now.dims.push_back(tensor.dims[i]);
  return now;
}

}  // namespace

void AddSessionOptions(Command& command, SessionCall& call, const std::string& model) {
  command.Add("MODEL", call.model, model).Value("FILE", PathName).Required();
  command
      .Add("--input", call.inputs,
           "Values of input NAME (name or index), as in x=x.npy or 0=x.npy: a .npy file, or a .wav "
           "file with one channel. Every input needs one")
      .Value("NAME=FILE.npy");
  command
      .Add("--repeat", call.repeat,
           "Number of passes over the inputs; state is kept between passes")
      .Value("N", Integer(1));
  command.AddFlag("--cast", call.cast,
                  "Convert arrays of another element type, such as f64, to the type of the port");
}

std::optional<size_t> FindPort(const std::vector<ModelPort>& ports, std::string_view name,
                               std::string_view side, std::string_view option, Faults& faults) {
  const std::vector<size_t> found = graph::PortsNamed(NamesByPort(ports), name);
  if (found.size() == 1) return found[0];
  const std::string fault =
      found.empty() ? fmt::format("is not in the model; {}{}", DidYouMean(name, NamesOf(ports)),
                                  MustBeOf(ports, side))
                    : fmt::format(
                          "matches {} {}s, the first of them {} and {}; must select one by "
                          "its index",
                          found.size(), side, found[0], found[1]);
  faults.Add(fmt::format("{}: {} \"{}\": {}", option, side, OneLine(name), fault));
  return std::nullopt;
}

std::vector<PortFile> ParsePortFiles(const std::vector<ModelPort>& ports, std::string_view side,
                                     const std::vector<std::string>& texts, std::string_view option,
                                     Faults& faults) {
  std::vector<PortFile> files;
  for (const std::string& text : texts) {
    // Names and files may contain "="; the first "=" after the name of a port separates them.
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size()) {
      faults.Add(fmt::format("{}: is \"{}\"; must be NAME=FILE", option, OneLine(text)));
      continue;
    }
    for (size_t at = equals; at != std::string::npos; at = text.find('=', at + 1)) {
      if (!graph::PortsNamed(NamesByPort(ports), std::string_view(text).substr(0, at)).empty()) {
        equals = at;
        break;
      }
    }
    const std::optional<size_t> port =
        FindPort(ports, std::string_view(text).substr(0, equals), side, option, faults);
    if (!port) continue;
    const auto same = [&](const PortFile& file) { return file.port == *port; };
    if (std::any_of(files.begin(), files.end(), same)) {
      faults.Add(fmt::format("{}: {} \"{}\": is given twice; must be given once", option, side,
                             ports[*port].display_name));
      continue;
    }
    files.push_back({*port, text.substr(equals + 1)});
  }
  return files;
}

void Session::ReadInputs(const SessionCall& call, Diagnostics& complaints) {
  const std::vector<ModelPort>& ports = model_.inputs();
  feeds_.assign(ports.size(), {});
  const Feed* first = nullptr;  // the first feed of several calls
  for (const PortFile& file :
       ParsePortFiles(ports, "input", call.inputs, "--input", complaints.call)) {
    std::optional<Feed> feed = ReadFeed(ports[file.port], file.file, call.cast, complaints.input);
    feeds_[file.port].file = file.file;
    if (!feed) continue;
    feeds_[file.port] = *std::move(feed);
    if (!feeds_[file.port].per_call) continue;
    joins_time_ = joins_time_ || feeds_[file.port].along_time;
    if (first == nullptr) {
      first = &feeds_[file.port];
      has_call_axis_ = true;
      call_count_ = first->call_count;
    } else if (feeds_[file.port].call_count != call_count_) {
      complaints.input.Add(fmt::format("{}: feeds {} calls but {} feeds {}; must be equal",
                                       file.file, feeds_[file.port].call_count, first->file,
                                       call_count_));
    }
  }
  std::string missing;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (!feeds_[i].file.empty()) continue;
    missing += fmt::format("{}{} {}", missing.empty() ? "" : ", ", ports[i].display_name,
                           ToString(ports[i].type));
  }
  if (!missing.empty()) {
    complaints.call.Add(
        fmt::format("inputs without a value: {}; each needs --input NAME=FILE.npy", missing));
  }
}

void Session::MakeInputs(int64_t calls) {
  std::mt19937 random(1);
  feeds_.clear();
  for (const ModelPort& port : model_.inputs()) feeds_.push_back(MadeFeed(port, calls, random));
  has_call_axis_ = true;
  call_count_ = calls;
}

void Session::TakeInputs(const Session& other) {
  feeds_ = other.feeds_;
  has_call_axis_ = other.has_call_axis_;
  joins_time_ = other.joins_time_;
  call_count_ = other.call_count_;
}

std::vector<std::string> Session::input_files() const {
  std::vector<std::string> files;
  for (const Feed& feed : feeds_) {
    if (!feed.file.empty()) files.push_back(feed.file);
  }
  return files;
}

void Session::Fill(int64_t call) {
  for (size_t i = 0; i < feeds_.size(); ++i) {
    const Tensor port = model_.engine().input(static_cast<uint32_t>(i));
    const size_t offset = feeds_[i].per_call ? static_cast<size_t>(call) * port.bytes : 0;
    if (port.bytes != 0) std::memcpy(port.data, feeds_[i].array.bytes.data() + offset, port.bytes);
  }
}

void Session::Collect(int64_t call, Faults& faults) {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const ModelPort& port = model_.outputs()[i];
    const Tensor tensor = model_.engine().output(static_cast<uint32_t>(i));
    TensorType type = CurrentType(tensor, port.type.type);
    const auto bytes = static_cast<size_t>(DenseBytes(type).value_or(0));
    const bool is_whole = !IsPacked(type.type) || ElementCount(type.dims).value_or(0) % 2 == 0;
    if (call_count_ > 1 && !is_whole) {
      faults.Add(fmt::format(
          "output \"{}\" is {}, which is not an integer number of bytes; run the calls one by one",
          port.display_name, ToString(type)));
      continue;
    }
    Array& array = outputs_[i];
    if (has_call_axis_) type.dims.insert(type.dims.begin(), call_count_);
    if (call == 0) {
      array.type = type;
      array.bytes.clear();
    } else if (array.type != type) {
      faults.Add(fmt::format(
          "output \"{}\" has shape {} in call {} but {} in call 0; cannot be joined along a "
          "leading axis, so run the calls one by one",
          port.display_name, ToString(CurrentType(tensor, port.type.type).dims), call,
          ToString(std::span(array.type.dims).subspan(1))));
      continue;
    }
    const auto* data = static_cast<const std::byte*>(tensor.data);
    if (bytes != 0) array.bytes.insert(array.bytes.end(), data, data + bytes);
  }
}

bool Session::RunCall(int64_t call, bool is_last_time, Faults& faults) {
  Fill(call);
  const bool passes = checked_ == Checked::kNothing
                          ? model_.Run(faults)
                          : model_.RunChecked(run_count_, faults, checked_ == Checked::kOutputs);
  if (!passes) return false;
  ++run_count_;
  if (is_last_time) Collect(call, faults);
  return faults.ok();
}

void Session::Join() {
  for (size_t i = 0; i < outputs_.size() && joins_time_; ++i) {
    const std::optional<uint32_t> axis = model_.outputs()[i].time_axis;
    if (axis && !IsPacked(outputs_[i].type.type)) JoinCalls(*axis, outputs_[i]);
  }
}

void Session::Run(int64_t repeat, Faults& faults) {
  outputs_.assign(model_.outputs().size(), {});
  for (int64_t time = 0; time < repeat; ++time) {
    for (int64_t call = 0; call < call_count_; ++call) {
      if (!RunCall(call, time + 1 == repeat, faults)) return;
    }
  }
  if (faults.ok()) Join();
}

void Session::RunBeside(Session& other, const std::function<void()>& begin,
                        const std::function<void()>& end, Faults& faults) {
  outputs_.assign(model_.outputs().size(), {});
  other.outputs_.assign(other.model_.outputs().size(), {});
  for (int64_t call = 0; call < call_count_; ++call) {
    begin();
    if (!RunCall(call, true, faults) || !other.RunCall(call, true, faults)) return;
    end();
  }
  Join();
  other.Join();
}

}  // namespace weft::cli
