#include "signal/llama/llama_engine.h"

#include <llama.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>
#include <utility>

#include "model/llama_model.h"
#include "signal/llama/probe_context.h"
#include "signal/row_reducer.h"

namespace skimfill {
namespace {

// Two thirds of the depth: later layers add nothing to a contrast of two questions, the first quarter alone
// only matches words (measured on SmolLM2: layers 0-18 of 30 keep all of the recall).
std::int64_t exit_layer(std::int64_t n_layer) { return std::max<std::int64_t>(0, (2 * n_layer + 2) / 3 - 1); }

std::size_t to_size(std::int64_t n) { return static_cast<std::size_t>(n); }

class LlamaEngine final : public AttentionEngine {
 public:
  LlamaEngine(LoadedModel loaded, ProbeContext context, const LlamaEngineOptions& options)
      : loaded_(std::move(loaded)),
        context_(std::move(context)),
        options_(options),
        tokenizer_(llama_model_get_vocab(loaded_.model.get())) {
    const llama_vocab* vocab = llama_model_get_vocab(loaded_.model.get());
    if (llama_vocab_get_add_bos(vocab)) prefix_.push_back(llama_vocab_bos(vocab));
  }

  // Finds out which layers show attention; the deepest of them ends every later graph.
  Result<void> try_out() {
    std::set<std::int64_t> layers;
    std::vector<Token> segment = prefix_;
    segment.resize(prefix_.size() + 8, 0);
    if (auto read = context_.read_segments({&segment, 1}, options_.load.stop); !read) return read;
    const RowVisitor note_layer = [&](const ProbeRows& rows) { layers.insert(rows.layer); };
    const std::vector<Token> probe(4, 0);
    if (auto read = context_.read_probe(probe, options_.load.stop, note_layer); !read) return read;
    if (layers.empty()) {
      return Error{Status::unsupported, "no layer up to " + std::to_string(context_.last_layer()) +
                                            " shows attention: choose another drafter"};
    }
    context_.set_last_layer(*layers.rbegin());
    n_attention_layer_ = static_cast<std::int64_t>(layers.size());
    return {};
  }

  Result<ProbeAttention> read(const Body& body, std::span<const Probe> probes,
                              const ReadControl& control) override {
    ProbeAttention result;
    result.attention.assign(probes.size(), std::vector<float>(body.tokens.size(), 0.0F));
    std::int64_t n_token_done = 0;
    const auto on_progress = [&](std::int64_t n_token) {
      n_token_done += n_token;
      const auto n_total =
          static_cast<double>(body.tokens.size() + prefix_.size() * to_size(body.n_segment()));
      if (control.progress) control.progress(static_cast<double>(n_token_done) / n_total);
    };

    for (std::int64_t first = 0; first < body.n_segment(); first += options_.batch_segments) {
      // Longest first: the sequences that still have tokens left are then always a run of the first ones.
      std::vector<std::int64_t> order(to_size(std::min(options_.batch_segments, body.n_segment() - first)));
      std::iota(order.begin(), order.end(), first);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return body.segment(a).size() > body.segment(b).size();
      });
      std::vector<std::vector<Token>> segments;
      for (const std::int64_t i : order) {
        segments.push_back(prefix_);
        segments.back().insert(segments.back().end(), body.segment(i).begin(), body.segment(i).end());
      }
      if (auto done = context_.read_segments(segments, control.stop, on_progress); !done) return done.error();
      for (std::size_t p = 0; p < probes.size(); ++p) {
        auto done = read_probe(body, order, probes[p], control.stop, result.attention[p], result);
        if (!done) return done.error();
      }
    }
    return result;
  }

  std::int64_t max_segment_tokens() const override { return options_.segment_tokens; }
  const Tokenizer& tokenizer() const override { return tokenizer_; }
  std::string device() const override { return loaded_.device; }
  std::string path() const override {
    return "llama engine: dense within segments of " + std::to_string(options_.segment_tokens) +
           " tokens, flash attention off, " + std::to_string(n_attention_layer_) +
           " attention layers up to " + std::to_string(context_.last_layer() + 1) + " of " +
           std::to_string(llama_model_n_layer(loaded_.model.get()));
  }

 private:
  // Scores the segments `order` (as they lie in the context) for one probe into `attention`, [n_token].
  Result<void> read_probe(const Body& body, std::span<const std::int64_t> order, const Probe& probe,
                          const std::stop_token& stop, std::vector<float>& attention,
                          ProbeAttention& result) {
    std::span<const Token> tokens = probe.tokens;
    if (tokens.size() > to_size(kMaxProbeTokens)) tokens = tokens.last(to_size(kMaxProbeTokens));
    const auto n_prefix = static_cast<std::int64_t>(prefix_.size());
    const auto n_probe = static_cast<std::int64_t>(tokens.size());
    const std::int64_t n_lead = std::min(probe.n_lead, n_probe - 1);

    std::vector<RowReducer> reducers;
    std::vector<RowReducer>
        windowed;  // layers with a window that is shorter than the segment: only if all are
    for (const std::int64_t i : order) {
      reducers.emplace_back(n_probe - n_lead, static_cast<std::int64_t>(body.segment(i).size()));
      windowed.emplace_back(n_probe - n_lead, static_cast<std::int64_t>(body.segment(i).size()));
    }
    std::int64_t n_layer_read = 0;
    const RowVisitor visitor = [&](const ProbeRows& rows) {
      ++n_layer_read;
      for (std::size_t s = 0; s < order.size(); ++s) {
        const auto seq = static_cast<std::int64_t>(s);
        const std::size_t n_key = body.segment(order[s]).size();
        RowReducer& reducer = sees_first_key(rows, seq) ? reducers[s] : windowed[s];
        for (std::int64_t head = 0; head < rows.n_head; ++head) {
          for (std::int64_t q = n_lead; q < n_probe; ++q) {
            reducer.add(q - n_lead, rows.row(seq, head, q).subspan(to_size(n_prefix), n_key));
          }
        }
      }
    };
    if (auto done = context_.read_probe(tokens, stop, visitor); !done) return done;

    result.n_layer_read = n_layer_read;
    for (std::size_t s = 0; s < order.size(); ++s) {
      const RowReducer& reducer = reducers[s].n_row() > 0 ? reducers[s] : windowed[s];
      result.n_not_finite += reducer.n_not_finite();
      const std::vector<float> score = reducer.score();
      const auto n_visible = static_cast<float>(n_prefix + static_cast<std::int64_t>(score.size()) + n_probe);
      float* out = attention.data() + body.cu_seqlens[to_size(order[s])];
      std::transform(score.begin(), score.end(), out, [&](float share) { return share * n_visible; });
    }
    return {};
  }

  // False for a layer whose window does not reach back to the first key: the mask makes those shares exactly
  // zero.
  bool sees_first_key(const ProbeRows& rows, std::int64_t seq) const {
    if (llama_model_n_swa(loaded_.model.get()) <= 0) return true;
    for (std::int64_t head = 0; head < rows.n_head; ++head) {
      if (rows.row(seq, head, 0)[0] != 0.0F) return true;  // also for NaN, which the reducer counts
    }
    return false;
  }

  LoadedModel loaded_;
  ProbeContext context_;
  LlamaEngineOptions options_;
  Tokenizer tokenizer_;
  std::vector<Token> prefix_;  // before every segment: the token that the model expects first, if any
  std::int64_t n_attention_layer_ = 0;
};

}  // namespace

Result<std::unique_ptr<AttentionEngine>> load_llama_engine(const ModelFile& file,
                                                           const LlamaEngineOptions& options) {
  Result<LoadedModel> loaded = load_llama_model(
      file, {.device = options.device, .progress = options.load.progress, .stop = options.load.stop});
  if (!loaded) return loaded.error();
  llama_model* model = loaded->model.get();
  if (llama_model_has_encoder(model) || !llama_model_has_decoder(model)) {
    return Error{Status::unsupported, file.path.string() + ": not a causal decoder ('" + file.architecture +
                                          "'): a drafter must be a causal language model"};
  }
  Result<ProbeContext> context =
      ProbeContext::create(model, {.max_segment_tokens = options.segment_tokens + 1,
                                   .max_probe_tokens = kMaxProbeTokens,
                                   .max_sequences = options.batch_segments,
                                   .last_layer = exit_layer(llama_model_n_layer(model)),
                                   .threads = options.threads,
                                   .on_gpu = loaded->on_gpu});
  if (!context) return Error{context.error().status, file.path.string() + ": " + context.error().message};
  auto engine = std::make_unique<LlamaEngine>(std::move(*loaded), std::move(*context), options);
  if (auto tried = engine->try_out(); !tried) {
    return Error{tried.error().status, file.path.string() + ": " + tried.error().message};
  }
  return std::unique_ptr<AttentionEngine>(std::move(engine));
}

}  // namespace skimfill
