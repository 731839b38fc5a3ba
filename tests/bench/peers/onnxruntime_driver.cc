// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime through its C interface: one thread, all optimisations, preallocated outputs.
// onnxruntime_driver MODEL.onnx FOLDER MILLISECONDS
#include <onnxruntime_c_api.h>

#include "tests/bench/peers/timing.h"

namespace {

const OrtApi* api = nullptr;

void Check(OrtStatus* status) {
  if (status != nullptr) peers::Stop(api->GetErrorMessage(status));
}

struct Ports {
  std::vector<const char*> names;
  std::vector<OrtValue*> values;
  std::vector<peers::Array> arrays;
};

std::vector<int64_t> ShapeOf(OrtTypeInfo* type) {
  const OrtTensorTypeAndShapeInfo* info = nullptr;
  Check(api->CastTypeInfoToTensorInfo(type, &info));
  size_t rank = 0;
  Check(api->GetDimensionsCount(info, &rank));
  std::vector<int64_t> shape(rank);
  Check(api->GetDimensions(info, shape.data(), rank));
  return shape;
}

Ports PortsOf(OrtSession* session, bool is_input) {
  Ports ports;
  OrtAllocator* allocator = nullptr;
  Check(api->GetAllocatorWithDefaultOptions(&allocator));
  OrtMemoryInfo* memory = nullptr;
  Check(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  size_t count = 0;
  Check(is_input ? api->SessionGetInputCount(session, &count)
                 : api->SessionGetOutputCount(session, &count));
  ports.arrays.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    OrtTypeInfo* type = nullptr;
    Check(is_input ? api->SessionGetInputName(session, i, allocator, &name)
                   : api->SessionGetOutputName(session, i, allocator, &name));
    Check(is_input ? api->SessionGetInputTypeInfo(session, i, &type)
                   : api->SessionGetOutputTypeInfo(session, i, &type));
    const std::vector<int64_t> shape = ShapeOf(type);
    size_t elements = 1;
    for (const int64_t dim : shape) elements *= static_cast<size_t>(dim);
    ports.arrays.emplace_back(elements);
    OrtValue* value = nullptr;
    Check(api->CreateTensorWithDataAsOrtValue(memory, ports.arrays.back().data(), elements * 4,
                                              shape.data(), shape.size(),
                                              ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
    ports.names.push_back(name);
    ports.values.push_back(value);
  }
  return ports;
}

OrtSession* Open(const char* model) {
  OrtEnv* environment = nullptr;
  Check(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "peers", &environment));
  OrtSessionOptions* options = nullptr;
  Check(api->CreateSessionOptions(&options));
  Check(api->SetIntraOpNumThreads(options, 1));
  Check(api->SetInterOpNumThreads(options, 1));
  Check(api->SetSessionExecutionMode(options, ORT_SEQUENTIAL));
  Check(api->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_ALL));
  OrtSession* session = nullptr;
  Check(api->CreateSession(environment, model, options, &session));
  return session;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  if (api == nullptr) peers::Stop("the library is older than its header");
  OrtSession* session = Open(arguments[1]);
  Ports in = PortsOf(session, true), out = PortsOf(session, false);
  const std::string folder = arguments[2];
  const std::vector<peers::Array> inputs = peers::Inputs(folder);
  const auto fill = [&] {
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::memcpy(in.arrays[i].data(), inputs[i].data(), inputs[i].size() * sizeof(float));
    }
  };
  const auto run = [&] {
    Check(api->Run(session, nullptr, in.names.data(), in.values.data(), in.values.size(),
                   out.names.data(), out.values.size(), out.values.data()));
  };
  fill();
  run();
  peers::WriteOutput(folder + "/onnxruntime.f32", out.arrays[0].data(), out.arrays[0].size());
  peers::Report("ONNX Runtime", OrtGetApiBase()->GetVersionString(), std::atoi(arguments[3]), fill,
                run);
}
