// The attention engine that runs on libllama: any architecture that it knows, on any device that it drives.
#pragma once

#include <memory>
#include <string>

#include "model/model_file.h"
#include "signal/attention.h"

namespace skimfill {

struct LlamaEngineOptions {
  std::string device;  // ggml device name; empty: the first GPU, else CPU
  int threads = 0;     // 0: one per hardware thread
  std::int64_t segment_tokens = 1024;
  std::int64_t batch_segments = 4;  // read side by side
  ReadControl load;                 // progress of the load, and its stop token
};

// Loads the drafter and tries it on a few tokens. Errors: those of load_llama_model and ProbeContext::create,
// and Status::unsupported for a model that is not causal or none of whose layers shows attention.
Result<std::unique_ptr<AttentionEngine>> load_llama_engine(const ModelFile& file,
                                                           const LlamaEngineOptions& options);

}  // namespace skimfill
