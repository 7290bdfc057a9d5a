// Reads rows of attention out of a libllama context, through its public API only.
//
// The context runs without flash attention, so that the softmax of each layer ("kq_soft_max") exists as a
// tensor and the eval callback can look at it. Segments are parallel sequences with a KV stream each; a probe
// is decoded after every segment and its cells are removed again. Nothing beyond `last_layer` is computed:
// the callback ends the graph.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>

#include "model/tokenizer.h"
#include "skimfill/result.h"

struct llama_model;

namespace skimfill {

// The softmax of one layer for one probe over all sequences, [n_seq, n_head, n_probe, n_kv] f32 with n_kv
// fastest. Cells of a sequence are in order of its positions: its first tokens are its segment.
struct ProbeRows {
  std::int64_t layer = 0;
  std::int64_t n_kv = 0;
  std::int64_t n_probe = 0;
  std::int64_t n_head = 0;
  std::int64_t n_seq = 0;
  const float* data = nullptr;

  std::span<const float> row(std::int64_t seq, std::int64_t head, std::int64_t probe_token) const {
    return {data + ((seq * n_head + head) * n_probe + probe_token) * n_kv, static_cast<std::size_t>(n_kv)};
  }
};
using RowVisitor = std::function<void(const ProbeRows&)>;

struct ProbeContextOptions {
  std::int64_t max_segment_tokens = 1024;  // with the tokens that go before every segment
  std::int64_t max_probe_tokens = 128;
  std::int64_t max_sequences = 4;
  std::int64_t last_layer = 0;  // the last layer that is computed, and then only its attention
  int threads = 0;              // 0: one per hardware thread
  bool on_gpu = false;
  bool wide_cache = false;  // keys and values as f32 instead of f16
};

class ProbeContext {
 public:
  // `model` must outlive the context. Errors: Status::unavailable when the memory does not suffice.
  static Result<ProbeContext> create(llama_model* model, const ProbeContextOptions& options);

  // Clears the memory and reads segments as sequences 0, 1, …; progress counts tokens.
  // Errors: Status::cancelled, Status::unavailable.
  Result<void> read_segments(std::span<const std::vector<Token>> segments, const std::stop_token& stop,
                             const std::function<void(std::int64_t)>& progress = {});

  // Decodes the probe after every segment, shows its rows layer by layer, and removes its cells.
  Result<void> read_probe(std::span<const Token> probe, const std::stop_token& stop,
                          const RowVisitor& visitor);

  std::int64_t last_layer() const;
  void set_last_layer(std::int64_t layer);

  ProbeContext(ProbeContext&&) noexcept;
  ProbeContext& operator=(ProbeContext&&) noexcept;
  ~ProbeContext();

 private:
  struct Impl;
  explicit ProbeContext(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace skimfill
