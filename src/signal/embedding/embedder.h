// The embedding signal: how near each text's meaning is to the question's, as an embedding model sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_file.h"
#include "signal/attention.h"
#include "skimfill/result.h"

namespace skimfill {

// Turns texts into vectors with any embedding model that libllama runs. Not thread-safe: one job at a time.
class Embedder {
 public:
  virtual ~Embedder() = default;

  // Cosine of each text with the question, [n_text] f32 in [-1, 1]; 0 for a text without a vector (no tokens,
  // or a vector that is not finite). Texts of any bytes; a long one counts by its first tokens. Vectors are
  // kept, so that only texts that are new since earlier calls are run.
  // Errors: Status::cancelled when the stop token fired, Status::unavailable when the device ran out of
  // memory.
  virtual Result<std::vector<float>> similarities(std::string_view question,
                                                  std::span<const std::string_view> texts,
                                                  const ReadControl& control) = 0;

  virtual std::string path() const = 0;    // "all-MiniLM-L6-v2, 384 dimensions, mean pooling"
  virtual std::string device() const = 0;  // "CPU (AMD EPYC)"
};

struct EmbedderOptions {
  std::string device = {};              // ggml device name; empty: the first GPU, else CPU
  int threads = 0;                      // 0: one per hardware thread
  std::int64_t cache_bytes = 64 << 20;  // for the vectors of earlier texts; 0: none are kept
  std::int64_t max_text_tokens = 512;   // longer texts are cut; the model's context where that is shorter
  ReadControl load = {};                // progress of the load, and its stop token
};

// Loads the model and tries it on a few words. Errors: those of load_llama_model, Status::unavailable where
// its context does not fit, Status::unsupported for a model that gives no vectors of texts: rerankers,
// encoders with a decoder, and those whose weights yield no finite number.
Result<std::unique_ptr<Embedder>> load_embedder(const ModelFile& file, const EmbedderOptions& options);

}  // namespace skimfill
