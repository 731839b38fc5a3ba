// SPDX-License-Identifier: Apache-2.0
// weft compare: runs a model as `weft run` does and holds its outputs against expected ones.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "converter/cli/commands.h"
#include "converter/cli/comparison.h"
#include "converter/cli/numbers.h"
#include "converter/cli/streams.h"
#include "converter/emit/model_file.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCompareFooter =
    R"(Two floats agree when |is - must| <= max(ATOL, RTOL * |must|); NaN agrees with NaN, an infinity with itself
alone. Integers and booleans agree exactly. Types and shapes must be equal. Inputs with one extra leading
axis feed successive calls, as in "weft run"; expected outputs then have that axis too. Outputs without
--expect are not compared.

Example:
  weft compare model.weft --input x=x.npy --expect y=y.npy --rtol 1e-4 --atol 1e-4)";

struct CompareCall : SessionCall {
  std::vector<std::string> expects;
  Tolerance tolerance;
  bool json = false;
};

struct Expected {
  size_t port;
  std::string file;
  Array array;
};

// The leading axis of calls that the arrays must have is known once the inputs are read.
std::vector<Expected> ReadExpected(const CompareCall& call, const LoadedModel& model,
                                   Complaints& complaints) {
  std::vector<Expected> list;
  for (const PortFile& file :
       ParsePortFiles(model.outputs(), "output", call.expects, "--expect", complaints.call)) {
    std::string reason;
    std::optional<Array> array =
        ReadAs(model.outputs()[file.port].type.type, call.cast, file.file, &reason);
    if (!array) {
      complaints.input.Add(fmt::format("{}: {}", file.file, reason));
    } else if (array->type.type != model.outputs()[file.port].type.type) {
      complaints.input.Add(fmt::format(
          "{}: is {}; output \"{}\" is {}{}", file.file, ToString(array->type),
          model.outputs()[file.port].display_name, ToString(model.outputs()[file.port].type),
          CastAdvice(array->type.type, model.outputs()[file.port].type.type)));
    } else {
      list.push_back({file.port, file.file, std::move(*array)});
    }
  }
  return list;
}

// JSON knows no infinity.
Json Number(double value) { return std::isfinite(value) ? Json(value) : Json("inf"); }

Json Describe(const std::string& name, const Comparison& comparison) {
  Json json = {{"output", name},
               {"equal", comparison.mismatch_count == 0},
               {"elements", comparison.count},
               {"mismatches", comparison.mismatch_count},
               {"largest_difference", Number(comparison.largest_difference)}};
  if (comparison.first) {
    json["first"] = {{"index", comparison.first->index},
                     {"is", comparison.first->is},
                     {"must", comparison.first->must}};
    json["largest_at"] = comparison.largest_index;
  }
  return json;
}

void PrintLine(const std::string& name, const Comparison& comparison) {
  if (!comparison.first) {
    AnswerOne(fmt::format("{}: equal, {} elements, largest difference {:.3g}", name,
                          Grouped(comparison.count), comparison.largest_difference),
              Tint::kGood);
    return;
  }
  AnswerOne(
      fmt::format("{}: {} of {} elements differ; first at {}: is {}, must be {}; largest "
                  "difference {:.3g} at {}",
                  name, Grouped(comparison.mismatch_count), Grouped(comparison.count),
                  ToString(comparison.first->index), comparison.first->is, comparison.first->must,
                  comparison.largest_difference, ToString(comparison.largest_index)),
      Tint::kFault);
}

// True when every output agrees.
bool CompareOutputs(const CompareCall& call, const LoadedModel& model, Session& session,
                    const std::vector<Expected>& expected) {
  bool equal = true;
  Json list = Json::array();
  for (const Expected& expect : expected) {
    const Array& is = session.outputs()[expect.port];
    const std::string& name = model.outputs()[expect.port].display_name;
    if (is.type != expect.array.type) {
      equal = false;
      const std::string is_text = ToString(is.type), must_text = ToString(expect.array.type);
      list.push_back({{"output", name}, {"equal", false}, {"is", is_text}, {"must", must_text}});
      if (!call.json) Answer("{}: is {}; {} expects {}", name, is_text, expect.file, must_text);
      continue;
    }
    const Comparison comparison = Compare(is, expect.array, call.tolerance);
    equal = equal && comparison.mismatch_count == 0;
    list.push_back(Describe(name, comparison));
    if (!call.json) PrintLine(name, comparison);
  }
  const flatbuffers::String* made_by = model.root().generator();
  const bool has_f16 = made_by != nullptr && made_by->str().ends_with(emit::kF16Weights);
  if (!equal && has_f16) {
    Say("note: {}: weights were f16 in the IR{}", model.file(), kF16Advice);
  }
  if (call.json) {
    Print({{"equal", equal}, {"f16_weights", has_f16}, {"outputs", std::move(list)}});
  }
  return equal;
}

Exit CompareModel(const CompareCall& call) {
  Complaints complaints;
  const std::unique_ptr<LoadedModel> model = LoadedModel::Load(call.model, complaints.input);
  if (model == nullptr || !model->Open(complaints.input)) return Report(complaints);
  Session session(*model);
  session.ReadInputs(call, complaints);
  const std::vector<Expected> expected = ReadExpected(call, *model, complaints);
  if (!complaints.ok()) return Report(complaints);
  session.Run(call.repeat, complaints.input);
  if (!complaints.ok()) return Report(complaints);
  return CompareOutputs(call, *model, session, expected) ? Exit::kDone : Exit::kInput;
}

}  // namespace

void AddCompare(CommandLine& line, Exit* exit) {
  Command command =
      line.AddCommand("compare", "Run a model and compare its outputs with expected ones");
  auto call = std::make_shared<CompareCall>();
  AddSessionOptions(command, *call);
  command
      .Add("--expect", call->expects,
           "An expected output, as y=y.npy or 0=y.npy; one for each output to compare")
      .Text("NAME=FILE.npy REQUIRED")
      .Required()
      .OneValueEach();
  command.Add("--rtol", call->tolerance.relative, "Relative tolerance of floats")
      .Apply(Tolerable())
      .Type("NUMBER")
      .ShowDefault();
  command.Add("--atol", call->tolerance.absolute, "Absolute tolerance of floats")
      .Apply(Tolerable())
      .Type("NUMBER")
      .ShowDefault();
  command.AddFlag("--json", call->json, "Print JSON");
  command.Footer(kCompareFooter);
  command.OnCall([call, exit] { *exit = CompareModel(*call); });
}

}  // namespace weft::cli
