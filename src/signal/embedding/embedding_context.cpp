#include "signal/embedding/embedding_context.h"

#include <llama.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "model/llama_runtime.h"
#include "signal/llama/llama_context.h"

namespace skimfill {
namespace {

// Tokens of one batch that several texts share. Each token's attention is laid out against all of the batch,
// other texts masked, so a larger one costs more per token, and a smaller one multiplies smaller matrices: on
// two CPU cores 128, 256 and 512 gave 5,100, 6,100 and 5,700 tokens a second (MiniLM, texts of 32 tokens).
constexpr std::int64_t kCpuBatchTokens = 256;
constexpr std::int64_t kGpuBatchTokens = 2048;

std::int64_t max_sequences(bool on_gpu) {
  return std::min<std::int64_t>(on_gpu ? 256 : 64, static_cast<std::int64_t>(llama_max_parallel_sequences()));
}

// libllama aborts on a number that it does not know, so the file's is read before there is a context.
Result<enum llama_pooling_type> pooling_of(const llama_model* model) {
  std::array<char, 64> value = {};
  const auto read = [&](const std::string& key) {
    return llama_model_meta_val_str(model, key.c_str(), value.data(), value.size()) >= 0;
  };
  if (!read("general.architecture") || !read(std::string(value.data()) + ".pooling_type")) {
    return LLAMA_POOLING_TYPE_NONE;
  }
  const std::string number = value.data();
  for (const enum llama_pooling_type known :
       {LLAMA_POOLING_TYPE_NONE, LLAMA_POOLING_TYPE_MEAN, LLAMA_POOLING_TYPE_CLS, LLAMA_POOLING_TYPE_LAST}) {
    if (number == std::to_string(known)) return known;
  }
  if (number == std::to_string(LLAMA_POOLING_TYPE_RANK)) {
    return Error{Status::unsupported, "a reranker scores pairs of texts and gives no vectors of them"};
  }
  return Error{Status::unsupported, "its pooling type " + number + " is not known"};
}

bool on_abort(void* stop) { return static_cast<std::stop_token*>(stop)->stop_requested(); }

}  // namespace

struct EmbeddingContext::Impl {
  EmbeddingContextOptions options;
  std::int64_t batch_tokens = 0;     // filled so far with several texts
  std::int64_t capacity_tokens = 0;  // a single text may be longer
  std::int64_t n_seq_max = 0;
  std::int64_t n_embd = 0;
  bool names_pooling = true;
  std::stop_token stop;  // of the batch under way
  LlamaContextPtr context;
  std::unique_ptr<LlamaBatch> batch;

  Result<void> open(llama_model* model, enum llama_pooling_type pooling) {
    llama_context_params params = llama_context_default_params();
    // A text must lie in one ubatch whole: encoders attend in both directions, and pooling sees one ubatch.
    params.n_ctx = params.n_batch = params.n_ubatch = static_cast<std::uint32_t>(capacity_tokens);
    params.n_seq_max = static_cast<std::uint32_t>(n_seq_max);
    // One stream for all, or sequences of different lengths are split over several ubatches.
    params.kv_unified = true;
    params.swa_full = true;
    params.n_threads = params.n_threads_batch = thread_count(options.threads);
    params.embeddings = true;
    params.pooling_type = pooling;
    params.abort_callback = &on_abort;
    params.abort_callback_data = &stop;
    const LlamaLogCapture log;
    context.reset(llama_init_from_model(model, params));
    if (context) return {};
    return Error{Status::unavailable,
                 "no context for the embedder with " + std::to_string(capacity_tokens) +
                     " cells: " + (log.first_error().empty() ? "out of memory?" : log.first_error())};
  }
};

Result<EmbeddingContext> EmbeddingContext::create(llama_model* model,
                                                  const EmbeddingContextOptions& options) {
  if (llama_model_has_encoder(model) && llama_model_has_decoder(model)) {
    return Error{Status::unsupported, "an encoder with a decoder gives no vectors of texts"};
  }
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  impl->batch_tokens = options.on_gpu ? kGpuBatchTokens : kCpuBatchTokens;
  impl->capacity_tokens = std::max(impl->batch_tokens, options.max_text_tokens);
  impl->n_seq_max = max_sequences(options.on_gpu);
  impl->n_embd = llama_model_n_embd_out(model);
  const Result<enum llama_pooling_type> pooling = pooling_of(model);
  if (!pooling) return pooling.error();
  impl->names_pooling = *pooling != LLAMA_POOLING_TYPE_NONE;
  auto opened = impl->open(model, impl->names_pooling ? *pooling : LLAMA_POOLING_TYPE_MEAN);
  if (!opened) return opened.error();
  impl->batch = std::make_unique<LlamaBatch>(impl->capacity_tokens);
  return EmbeddingContext(std::move(impl));
}

std::int64_t EmbeddingContext::n_fitting(std::span<const std::vector<Token>> sequences) const {
  std::int64_t n_token = 0;
  std::int64_t n_sequence = 0;
  for (const std::vector<Token>& sequence : sequences) {
    n_token += static_cast<std::int64_t>(sequence.size());
    const bool is_full = n_token > impl_->batch_tokens || n_sequence == impl_->n_seq_max;
    if (n_sequence > 0 && is_full) break;
    ++n_sequence;
  }
  return n_sequence;
}

Result<void> EmbeddingContext::run(std::span<const std::vector<Token>> sequences, const std::stop_token& stop,
                                   const Visitor& visitor) {
  Impl& impl = *impl_;
  assert(!sequences.empty() && n_fitting(sequences) == static_cast<std::int64_t>(sequences.size()));
  impl.batch->clear();
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    assert(!sequences[s].empty());
    std::int64_t position = 0;
    for (const Token token : sequences[s]) {
      impl.batch->add(token, position++, static_cast<std::int64_t>(s), /*is_output=*/true);
    }
  }

  llama_context* context = impl.context.get();
  const llama_memory_t memory = llama_get_memory(context);
  if (memory != nullptr) llama_memory_clear(memory, false);
  impl.stop = stop;
  const int rc = memory != nullptr ? llama_decode(context, impl.batch->get())
                                   : llama_encode(context, impl.batch->get());  // encoders have no memory
  if (rc == 0) llama_synchronize(context);
  impl.stop = {};
  if (stop.stop_requested()) return Error{Status::cancelled, "the skim was cancelled"};
  if (rc != 0) {
    return Error{Status::unavailable, "the embedder failed to read a batch (libllama returned " +
                                          std::to_string(rc) + "): is the device out of memory?"};
  }
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const float* vector = llama_get_embeddings_seq(context, static_cast<llama_seq_id>(s));
    if (vector == nullptr) return Error{Status::internal, "the embedder gave no vector for a text"};
    visitor(s, {vector, static_cast<std::size_t>(impl.n_embd)});
  }
  return {};
}

std::int64_t EmbeddingContext::n_embd() const { return impl_->n_embd; }

std::string EmbeddingContext::pooling() const {
  if (!impl_->names_pooling) return "mean pooling (the model names none)";
  switch (llama_pooling_type(impl_->context.get())) {
    case LLAMA_POOLING_TYPE_MEAN:
      return "mean pooling";
    case LLAMA_POOLING_TYPE_CLS:
      return "pooling by its first token";
    default:
      return "pooling by its last token";
  }
}

EmbeddingContext::EmbeddingContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
EmbeddingContext::EmbeddingContext(EmbeddingContext&&) noexcept = default;
EmbeddingContext& EmbeddingContext::operator=(EmbeddingContext&&) noexcept = default;
EmbeddingContext::~EmbeddingContext() = default;

}  // namespace skimfill
