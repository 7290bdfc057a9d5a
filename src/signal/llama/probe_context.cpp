#include "signal/llama/probe_context.h"

#include <ggml-backend.h>
#include <llama.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "signal/llama/llama_context.h"

namespace skimfill {
namespace {

// libllama's names of a layer's attention logits and of their softmax.
constexpr std::string_view kLogits = "kq-";
constexpr std::string_view kSoftmax = "kq_soft_max-";

// Tokens of one llama_decode. The logits of a whole batch against its keys are one tensor per layer, which is
// what limits the batch: 512 rows of 1,280 keys and 16 heads are 42 MB.
constexpr std::int64_t kCpuBatchTokens = 512;
constexpr std::int64_t kGpuBatchTokens = 2048;

std::optional<std::int64_t> layer_of(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::int64_t layer = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return layer;
}

}  // namespace

struct ProbeContext::Impl {
  ProbeContextOptions options;
  LlamaContextPtr context;
  std::int64_t batch_tokens = 0;
  std::unique_ptr<LlamaBatch> batch;
  std::vector<std::int64_t> lengths;  // [n_seq] tokens of each segment in memory
  // A recurrent state cannot lose its last tokens again: there a probe runs on a copy of the sequence.
  bool probes_on_copies = false;

  // State of the decode under way, read and written by the callbacks.
  const RowVisitor* visitor = nullptr;  // null while the body is read
  std::stop_token stop;
  bool ended = false;
  std::vector<float> rows;

  std::int64_t n_seq() const { return static_cast<std::int64_t>(lengths.size()); }
  std::int64_t probe_sequence(std::int64_t seq) const {
    return probes_on_copies ? options.max_sequences + seq : seq;
  }

  static bool on_eval(ggml_tensor* tensor, bool ask, void* self) {
    auto& impl = *static_cast<Impl*>(self);
    return ask ? impl.wants(tensor) : impl.take(tensor);
  }
  static bool on_abort(void* self) {
    const auto& impl = *static_cast<Impl*>(self);
    return impl.stop.stop_requested();
  }

  // Once the graph has ended, the first node of every later split is asked for, so that take() ends that
  // split too.
  bool wants(const ggml_tensor* tensor) const {
    if (ended || stop.stop_requested()) return true;
    const auto layer = layer_of(tensor->name, visitor == nullptr ? kLogits : kSoftmax);
    return layer && (visitor != nullptr || *layer >= options.last_layer);
  }

  // Returns false to end the graph here.
  bool take(ggml_tensor* tensor) {
    if (ended || stop.stop_requested()) {
      ended = true;
      return false;
    }
    const auto layer = layer_of(tensor->name, visitor == nullptr ? kLogits : kSoftmax);
    if (!layer) return true;
    if (visitor != nullptr && *layer <= options.last_layer) show(tensor, *layer);
    ended = *layer >= options.last_layer;
    return !ended;
  }

  void show(ggml_tensor* tensor, std::int64_t layer) {
    assert(tensor->type == GGML_TYPE_F32 && ggml_is_contiguous(tensor));
    const float* data = nullptr;
    if (ggml_backend_buffer_is_host(tensor->buffer)) {
      data = static_cast<const float*>(tensor->data);
    } else {
      rows.resize(static_cast<std::size_t>(ggml_nelements(tensor)));
      ggml_backend_tensor_get(tensor, rows.data(), 0, ggml_nbytes(tensor));
      data = rows.data();
    }
    (*visitor)({.layer = layer,
                .n_kv = tensor->ne[0],
                .n_probe = tensor->ne[1],
                .n_head = tensor->ne[2],
                .n_seq = tensor->ne[3],
                .data = data});
  }

  Result<void> decode(const std::stop_token& stop_token) {
    ended = false;
    stop = stop_token;
    const int rc = llama_decode(context.get(), batch->get());
    if (rc == 0) llama_synchronize(context.get());
    stop = {};
    if (stop_token.stop_requested()) return Error{Status::cancelled, "the skim was cancelled"};
    if (rc != 0) {
      return Error{Status::unavailable, "the drafter failed to read a batch (llama_decode returned " +
                                            std::to_string(rc) + "): is the device out of memory?"};
    }
    return {};
  }
};

Result<ProbeContext> ProbeContext::create(llama_model* model, const ProbeContextOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  impl->probes_on_copies = llama_model_is_recurrent(model) || llama_model_is_hybrid(model);
  const std::int64_t n_seq = impl->probes_on_copies ? 2 * options.max_sequences : options.max_sequences;
  // One decode is one ubatch, so that the callbacks see one graph from its first node to its end.
  impl->batch_tokens = std::max(options.on_gpu ? kGpuBatchTokens : kCpuBatchTokens,
                                options.max_sequences * options.max_probe_tokens);

  llama_context_params params = llama_context_default_params();
  params.n_ctx = static_cast<std::uint32_t>(n_seq * (options.max_segment_tokens + options.max_probe_tokens));
  params.n_batch = static_cast<std::uint32_t>(impl->batch_tokens);
  params.n_ubatch = params.n_batch;
  params.n_seq_max = static_cast<std::uint32_t>(n_seq);
  params.n_outputs_max = static_cast<std::uint32_t>(n_seq);
  params.n_threads = params.n_threads_batch = thread_count(options.threads);
  params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;  // with it the softmax never exists
  params.type_k = params.type_v = options.wide_cache ? GGML_TYPE_F32 : GGML_TYPE_F16;
  params.kv_unified = false;
  params.swa_full = true;  // cells in order for layers with a window too
  params.cb_eval = &Impl::on_eval;
  params.cb_eval_user_data = impl.get();
  params.abort_callback = &Impl::on_abort;
  params.abort_callback_data = impl.get();

  impl->context.reset(llama_init_from_model(model, params));
  if (!impl->context) {
    return Error{Status::unavailable, "no context for the drafter with " + std::to_string(params.n_ctx) +
                                          " cells: out of memory, or an architecture that cannot run without "
                                          "flash attention"};
  }
  impl->batch = std::make_unique<LlamaBatch>(impl->batch_tokens);
  return ProbeContext(std::move(impl));
}

Result<void> ProbeContext::read_segments(std::span<const std::vector<Token>> segments,
                                         const std::stop_token& stop,
                                         const std::function<void(std::int64_t)>& progress) {
  Impl& impl = *impl_;
  const auto n_segment = static_cast<std::int64_t>(segments.size());
  assert(n_segment > 0 && n_segment <= impl.options.max_sequences);
  llama_memory_clear(llama_get_memory(impl.context.get()), false);
  impl.lengths.clear();
  for (const std::vector<Token>& segment : segments) {
    assert(!segment.empty() && static_cast<std::int64_t>(segment.size()) <= impl.options.max_segment_tokens);
    impl.lengths.push_back(static_cast<std::int64_t>(segment.size()));
  }

  std::vector<std::int64_t> done(segments.size(), 0);
  std::int64_t first = 0;  // the batch holds a run of consecutive sequences that all have tokens left
  while (first < n_segment) {
    std::int64_t last = first;
    std::int64_t rest = impl.lengths[static_cast<std::size_t>(first)] - done[static_cast<std::size_t>(first)];
    if (rest == 0) {
      ++first;
      continue;
    }
    while (last + 1 < n_segment) {
      const auto next = static_cast<std::size_t>(last + 1);
      const std::int64_t next_rest = impl.lengths[next] - done[next];
      if (next_rest == 0) break;
      rest = std::min(rest, next_rest);
      ++last;
    }
    const std::int64_t n_run = last - first + 1;
    const std::int64_t step = std::min(rest, std::max<std::int64_t>(1, impl.batch_tokens / n_run));
    impl.batch->clear();
    for (std::int64_t s = first; s <= last; ++s) {
      std::int64_t& position = done[static_cast<std::size_t>(s)];
      for (std::int64_t i = 0; i < step; ++i, ++position) {
        impl.batch->add(segments[static_cast<std::size_t>(s)][static_cast<std::size_t>(position)], position,
                        s);
      }
    }
    impl.visitor = nullptr;
    if (Result<void> decoded = impl.decode(stop); !decoded) return decoded;
    if (progress) progress(step * n_run);
  }
  return {};
}

Result<void> ProbeContext::read_probe(std::span<const Token> probe, const std::stop_token& stop,
                                      const RowVisitor& visitor) {
  Impl& impl = *impl_;
  assert(!probe.empty() && static_cast<std::int64_t>(probe.size()) <= impl.options.max_probe_tokens);
  llama_memory_t memory = llama_get_memory(impl.context.get());
  impl.batch->clear();
  for (std::int64_t s = 0; s < impl.n_seq(); ++s) {
    const std::int64_t sequence = impl.probe_sequence(s);
    if (sequence != s) {
      llama_memory_seq_cp(memory, static_cast<llama_seq_id>(s), static_cast<llama_seq_id>(sequence), -1, -1);
    }
    std::int64_t position = impl.lengths[static_cast<std::size_t>(s)];
    for (const Token token : probe) impl.batch->add(token, position++, sequence);
  }

  impl.visitor = &visitor;
  Result<void> decoded = impl.decode(stop);
  impl.visitor = nullptr;
  if (!decoded) return decoded;

  for (std::int64_t s = 0; s < impl.n_seq(); ++s) {
    const std::int64_t sequence = impl.probe_sequence(s);
    const std::int64_t from = sequence == s ? impl.lengths[static_cast<std::size_t>(s)] : 0;
    if (!llama_memory_seq_rm(memory, static_cast<llama_seq_id>(sequence), static_cast<llama_pos>(from), -1)) {
      return Error{Status::internal, "the drafter's memory does not let go of a probe"};
    }
  }
  return {};
}

std::int64_t ProbeContext::last_layer() const { return impl_->options.last_layer; }
void ProbeContext::set_last_layer(std::int64_t layer) { impl_->options.last_layer = layer; }

ProbeContext::ProbeContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProbeContext::ProbeContext(ProbeContext&&) noexcept = default;
ProbeContext& ProbeContext::operator=(ProbeContext&&) noexcept = default;
ProbeContext::~ProbeContext() = default;

}  // namespace skimfill
