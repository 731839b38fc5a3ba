// SPDX-License-Identifier: Apache-2.0
// OpenVINO through its C interface: one thread, one stream, f32 arithmetic, which is not the
// default on processors with bf16 multiplication. openvino_driver MODEL.xml FOLDER MILLISECONDS
#include <openvino/c/openvino.h>

#include "tests/bench/peers/timing.h"

namespace {

void Check(ov_status_e status) {
  if (status != OK) peers::Stop(ov_get_error_info(status));
}

ov_infer_request_t* Open(const char* path) {
  ov_core_t* core = nullptr;
  Check(ov_core_create(&core));
  ov_model_t* model = nullptr;
  Check(ov_core_read_model(core, path, nullptr, &model));
  ov_compiled_model_t* compiled = nullptr;
  Check(ov_core_compile_model(core, model, "CPU", 10, &compiled, "INFERENCE_NUM_THREADS", "1",
                              "NUM_STREAMS", "1", "INFERENCE_PRECISION_HINT", "f32",
                              "PERFORMANCE_HINT", "LATENCY", "ENABLE_CPU_PINNING", "NO"));
  ov_infer_request_t* request = nullptr;
  Check(ov_compiled_model_create_infer_request(compiled, &request));
  return request;
}

float* DataOf(const ov_tensor_t* tensor) {
  void* data = nullptr;
  Check(ov_tensor_data(tensor, &data));
  return static_cast<float*>(data);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  ov_infer_request_t* request = Open(arguments[1]);
  const std::string folder = arguments[2];
  const std::vector<peers::Array> inputs = peers::Inputs(folder);
  std::vector<float*> positions;
  for (size_t i = 0; i < inputs.size(); ++i) {
    ov_tensor_t* tensor = nullptr;
    Check(ov_infer_request_get_input_tensor_by_index(request, i, &tensor));
    positions.push_back(DataOf(tensor));
  }
  const auto fill = [&] {
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::memcpy(positions[i], inputs[i].data(), inputs[i].size() * sizeof(float));
    }
  };
  const auto run = [&] { Check(ov_infer_request_infer(request)); };
  fill();
  run();
  ov_tensor_t* output = nullptr;
  Check(ov_infer_request_get_output_tensor_by_index(request, 0, &output));
  size_t elements = 0;
  Check(ov_tensor_get_size(output, &elements));
  peers::WriteOutput(folder + "/openvino.f32", DataOf(output), elements);
  ov_version_t version;
  Check(ov_get_openvino_version(&version));
  const std::string build = version.buildNumber;
  peers::Report("OpenVINO", build.substr(0, build.find('-')), std::atoi(arguments[3]), fill, run);
}
