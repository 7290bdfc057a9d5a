// Runs token sequences side by side in one libllama context and gives one vector for each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "model/tokenizer.h"
#include "skimfill/result.h"

struct llama_model;

namespace skimfill {

struct EmbeddingContextOptions {
  std::int64_t max_text_tokens = 512;
  int threads = 0;  // 0: one per hardware thread
  bool on_gpu = false;
};

class EmbeddingContext {
 public:
  // `model` must outlive the context. Errors: Status::unsupported for a reranker or an encoder with a
  // decoder, Status::unavailable when the memory does not suffice.
  static Result<EmbeddingContext> create(llama_model* model, const EmbeddingContextOptions& options);

  // How many of these sequences, from the first on, go into one batch; at least one.
  std::int64_t n_fitting(std::span<const std::vector<Token>> sequences) const;

  // One batch, at most n_fitting() sequences of 1 to max_text_tokens tokens. The visitor gets each sequence's
  // index and its vector, [n_embd] f32, not normalised. Errors: Status::cancelled, Status::unavailable.
  using Visitor = std::function<void(std::size_t index, std::span<const float> vector)>;
  Result<void> run(std::span<const std::vector<Token>> sequences, const std::stop_token& stop,
                   const Visitor& visitor);

  std::int64_t n_embd() const;
  std::string pooling() const;  // "mean pooling"

  EmbeddingContext(EmbeddingContext&&) noexcept;
  EmbeddingContext& operator=(EmbeddingContext&&) noexcept;
  ~EmbeddingContext();

 private:
  struct Impl;
  explicit EmbeddingContext(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace skimfill
