// What every use of a libllama context needs: its owner, its batch, its number of threads.
#pragma once

#include <llama.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>

#include "model/tokenizer.h"

namespace skimfill {

struct LlamaContextDeleter {
  void operator()(llama_context* context) const { llama_free(context); }
};
using LlamaContextPtr = std::unique_ptr<llama_context, LlamaContextDeleter>;

// `threads`, or one per hardware thread where it is 0.
inline int thread_count(int threads) {
  return threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// A llama_batch that is refilled for every decode.
class LlamaBatch {
 public:
  explicit LlamaBatch(std::int64_t capacity)
      : batch_(llama_batch_init(static_cast<std::int32_t>(capacity), 0, 1)) {}
  ~LlamaBatch() { llama_batch_free(batch_); }
  LlamaBatch(const LlamaBatch&) = delete;
  LlamaBatch& operator=(const LlamaBatch&) = delete;

  void clear() { batch_.n_tokens = 0; }
  void add(Token token, std::int64_t position, std::int64_t sequence, bool is_output = false) {
    const std::int32_t i = batch_.n_tokens++;
    batch_.token[i] = token;
    batch_.pos[i] = static_cast<llama_pos>(position);
    batch_.n_seq_id[i] = 1;
    batch_.seq_id[i][0] = static_cast<llama_seq_id>(sequence);
    batch_.logits[i] = is_output ? 1 : 0;
  }
  const llama_batch& get() const { return batch_; }

 private:
  llama_batch batch_;
};

}  // namespace skimfill
