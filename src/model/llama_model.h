// Loads a checked model file with libllama onto one named device.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "model/model_file.h"
#include "skimfill/result.h"

struct llama_model;

namespace skimfill {

struct LlamaModelDeleter {
  void operator()(llama_model* model) const;
};
using LlamaModelPtr = std::unique_ptr<llama_model, LlamaModelDeleter>;

struct LoadOptions {
  std::string device = {};                    // ggml device name; empty: the first GPU, else CPU
  bool vocab_only = false;                    // the tokenizer alone, without weights
  std::function<void(double)> progress = {};  // 0..1
  std::stop_token stop = {};
};

struct LoadedModel {
  LlamaModelPtr model;
  std::string device;  // "CPU (AMD EPYC …)", "CUDA0 (NVIDIA H200)": ggml's name and description
  bool on_gpu = false;
};

// Errors: Status::unsupported (no such device, with the list of those present; an architecture that libllama
// does not know), Status::unavailable (does not fit), Status::cancelled. libllama's own log goes to our log
// at debug level, its last error line into the message.
Result<LoadedModel> load_llama_model(const ModelFile& file, const LoadOptions& options);

}  // namespace skimfill
