#include "model/llama_model.h"

#include <llama.h>
#include <spdlog/fmt/fmt.h>

#include <array>
#include <vector>

#include "model/llama_runtime.h"

namespace skimfill {
namespace {

bool is_gpu(ggml_backend_dev_t device) {
  const enum ggml_backend_dev_type type = ggml_backend_dev_type(device);
  return type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU;
}

// Devices that can hold a model; accelerators like BLAS only help the CPU.
std::vector<ggml_backend_dev_t> model_devices() {
  std::vector<ggml_backend_dev_t> devices;
  for (std::size_t i = 0; i < ggml_backend_dev_count(); ++i) {
    const ggml_backend_dev_t device = ggml_backend_dev_get(i);
    if (is_gpu(device) || ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_CPU)
      devices.push_back(device);
  }
  return devices;
}

Result<ggml_backend_dev_t> find_device(const std::string& name) {
  const std::vector<ggml_backend_dev_t> devices = model_devices();
  if (name.empty()) {
    for (const enum ggml_backend_dev_type type :
         {GGML_BACKEND_DEVICE_TYPE_GPU, GGML_BACKEND_DEVICE_TYPE_IGPU, GGML_BACKEND_DEVICE_TYPE_CPU}) {
      for (const ggml_backend_dev_t device : devices) {
        if (ggml_backend_dev_type(device) == type) return device;
      }
    }
  }
  std::vector<std::string> names;
  for (const ggml_backend_dev_t device : devices) {
    names.emplace_back(ggml_backend_dev_name(device));
    if (names.back() == name) return device;
  }
  return Error{Status::unsupported,
               fmt::format("no device '{}' here; there are: {}", name, fmt::join(names, ", "))};
}

bool on_progress(float done, void* user_data) {
  const LoadOptions& options = *static_cast<const LoadOptions*>(user_data);
  if (options.progress) options.progress(done);
  return !options.stop.stop_requested();
}

}  // namespace

void LlamaModelDeleter::operator()(llama_model* model) const { llama_model_free(model); }

Result<LoadedModel> load_llama_model(const ModelFile& file, const LoadOptions& options) {
  const Error cancelled{Status::cancelled, fmt::format("loading '{}' was cancelled", file.path.string())};
  if (options.stop.stop_requested()) return cancelled;

  init_llama();
  const Result<ggml_backend_dev_t> device = find_device(options.device);
  if (!device) return device.error();

  LoadedModel loaded;
  loaded.on_gpu = is_gpu(*device);
  loaded.device =
      fmt::format("{} ({})", ggml_backend_dev_name(*device), ggml_backend_dev_description(*device));

  // An empty list keeps libllama from using any GPU.
  std::array<ggml_backend_dev_t, 2> devices = {loaded.on_gpu ? *device : nullptr, nullptr};
  llama_model_params params = llama_model_default_params();
  params.devices = devices.data();
  params.n_gpu_layers = loaded.on_gpu ? -1 : 0;  // -1: all
  params.vocab_only = options.vocab_only;
  params.progress_callback = on_progress;
  params.progress_callback_user_data = const_cast<LoadOptions*>(&options);

  const LlamaLogCapture log;
  loaded.model.reset(llama_model_load_from_file(file.path.c_str(), params));
  if (options.stop.stop_requested()) return cancelled;
  if (loaded.model == nullptr) {
    return Error{log.out_of_memory() ? Status::unavailable : Status::unsupported,
                 fmt::format("'{}' on {}: {}", file.path.string(), loaded.device, log.first_error())};
  }
  return loaded;
}

}  // namespace skimfill
