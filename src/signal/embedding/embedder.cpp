#include "signal/embedding/embedder.h"

#include <llama.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/log.h"
#include "model/llama_model.h"
#include "signal/embedding/embedding_context.h"
#include "signal/embedding/vector_cache.h"

namespace skimfill {
namespace {

// A text is cut to so many bytes for each token that counts before it is tokenized: nearly all words are
// shorter, and the cost of a text without an end stays bounded.
constexpr std::int64_t kMaxTokenBytes = 64;

// The control tokens that a vocabulary puts around a text, by its own flags.
struct Frame {
  std::vector<Token> before;
  std::vector<Token> after;

  std::int64_t size() const { return static_cast<std::int64_t>(before.size() + after.size()); }
};

Frame frame_of(const llama_vocab* vocab) {
  const auto add = [&](bool wanted, Token token, std::vector<Token>& side) {
    if (wanted && token >= 0 && token < llama_vocab_n_tokens(vocab)) side.push_back(token);
  };
  // libllama's rule for add_special, without its assertions: WordPiece always has [CLS] and [SEP], whatever
  // the flags.
  const bool is_word_piece = llama_vocab_type(vocab) == LLAMA_VOCAB_TYPE_WPM;
  Frame frame;
  add(is_word_piece || llama_vocab_get_add_bos(vocab), llama_vocab_bos(vocab), frame.before);
  if (is_word_piece) {
    add(true, llama_vocab_sep(vocab), frame.after);
  } else {
    add(llama_vocab_get_add_eos(vocab), llama_vocab_eos(vocab), frame.after);
  }
  return frame;
}

// To length 1; all zeros, and false, where that cannot be.
bool normalise(std::vector<float>& vector) {
  const double squares = std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0);
  const bool has_direction = std::isfinite(squares) && squares > 0;
  const double scale = has_direction ? 1 / std::sqrt(squares) : 0;
  for (float& value : vector) value = has_direction ? static_cast<float>(value * scale) : 0.0F;
  return has_direction;
}

float cosine(std::span<const float> a, std::span<const float> b) {
  return std::clamp(std::inner_product(a.begin(), a.end(), b.begin(), 0.0F), -1.0F, 1.0F);
}

class LlamaEmbedder final : public Embedder {
 public:
  LlamaEmbedder(std::string name, LoadedModel loaded, EmbeddingContext context,
                const EmbedderOptions& options)
      : name_(std::move(name)),
        loaded_(std::move(loaded)),
        context_(std::move(context)),
        tokenizer_(llama_model_get_vocab(loaded_.model.get())),
        frame_(frame_of(llama_model_get_vocab(loaded_.model.get()))),
        max_text_tokens_(options.max_text_tokens),
        cache_(options.cache_bytes) {}

  // Whether there is room for a text, and whether the weights give vectors at all.
  Result<void> try_out(const std::stop_token& stop) {
    if (max_text_tokens_ <= frame_.size()) {
      return Error{Status::unsupported, fmt::format("texts of {} tokens leave no room between its {} control "
                                                    "tokens",
                                                    max_text_tokens_, frame_.size())};
    }
    bool has_vector = false;
    const std::string_view words = "a few words";
    auto done = run({&words, 1}, {.stop = stop, .progress = {}}, [&](std::size_t, const auto& vector) {
      has_vector = std::any_of(vector.begin(), vector.end(), [](float value) { return value != 0; });
    });
    if (!done) return done;
    if (has_vector) return {};
    return Error{Status::unsupported, "gives no finite vector for a few words: choose another embedder"};
  }

  Result<std::vector<float>> similarities(std::string_view question, std::span<const std::string_view> texts,
                                          const ReadControl& control) override {
    std::vector<float> result(texts.size(), 0.0F);
    if (texts.empty()) return result;
    Result<std::vector<float>> question_vector = vector_of(question, control.stop);
    if (!question_vector) return question_vector.error();

    std::vector<std::string_view> new_texts;
    std::unordered_map<std::string_view, std::size_t> numbers;  // of the texts in new_texts
    std::vector<std::pair<std::size_t, std::size_t>> waiting;   // place in `texts`, number in new_texts
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string_view text = cut(texts[i]);
      if (const std::span<const float> kept = cache_.find(text); !kept.empty()) {
        result[i] = cosine(*question_vector, kept);
        continue;
      }
      const auto [place, is_new] = numbers.emplace(text, new_texts.size());
      if (is_new) new_texts.push_back(text);
      waiting.emplace_back(i, place->second);
    }

    std::vector<float> similarity(new_texts.size(), 0.0F);
    auto done = run(new_texts, control, [&](std::size_t i, const std::vector<float>& vector) {
      similarity[i] = cosine(*question_vector, vector);
      cache_.put(new_texts[i], vector);
    });
    if (!done) return done.error();
    for (const auto& [i, number] : waiting) result[i] = similarity[number];
    return result;
  }

  std::string path() const override {
    return fmt::format("{}, {} dimensions, {}", name_, context_.n_embd(), context_.pooling());
  }
  std::string device() const override { return loaded_.device; }

 private:
  using VectorVisitor = std::function<void(std::size_t index, const std::vector<float>& vector)>;

  std::string_view cut(std::string_view text) const {
    return text.substr(0, static_cast<std::size_t>(max_text_tokens_ * kMaxTokenBytes));
  }

  // Empty where the text and its frame have no tokens.
  std::vector<Token> tokens_of(std::string_view text) const {
    std::vector<Token> tokens = frame_.before;
    const std::vector<Token> words = tokenizer_.tokenize(cut(text)).tokens;
    const auto n_word = std::min<std::ptrdiff_t>(std::ssize(words), max_text_tokens_ - frame_.size());
    tokens.insert(tokens.end(), words.begin(), words.begin() + n_word);
    tokens.insert(tokens.end(), frame_.after.begin(), frame_.after.end());
    return tokens;
  }

  Result<std::vector<float>> vector_of(std::string_view text, const std::stop_token& stop) {
    const std::string_view key = cut(text);
    if (const std::span<const float> kept = cache_.find(key); !kept.empty()) {
      return std::vector<float>(kept.begin(), kept.end());
    }
    std::vector<float> result(static_cast<std::size_t>(context_.n_embd()), 0.0F);
    auto done = run({&key, 1}, {.stop = stop, .progress = {}},
                    [&](std::size_t, const std::vector<float>& vector) { result = vector; });
    if (!done) return done.error();
    cache_.put(key, result);
    return result;
  }

  // The normalised vectors of texts, in any order; none for a text without tokens.
  Result<void> run(std::span<const std::string_view> texts, const ReadControl& control,
                   const VectorVisitor& visitor) {
    const Error cancelled{Status::cancelled, "the skim was cancelled"};
    std::vector<std::vector<Token>> sequences(texts.size());
    std::size_t n_token = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (control.stop.stop_requested()) return cancelled;
      sequences[i] = tokens_of(texts[i]);
      n_token += sequences[i].size();
    }
    // Longest first: what is left over in a batch is never more than the next text's length.
    std::vector<std::size_t> order(texts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return sequences[a].size() > sequences[b].size(); });
    while (!order.empty() && sequences[order.back()].empty()) order.pop_back();
    std::vector<std::vector<Token>> sorted;
    sorted.reserve(order.size());
    for (const std::size_t i : order) sorted.push_back(std::move(sequences[i]));

    std::size_t n_token_done = 0;
    std::int64_t n_without_vector = 0;
    std::vector<float> unit;
    for (std::size_t first = 0; first < sorted.size();) {
      if (control.stop.stop_requested()) return cancelled;
      const std::span<const std::vector<Token>> rest = std::span(sorted).subspan(first);
      const auto batch = rest.first(static_cast<std::size_t>(context_.n_fitting(rest)));
      auto done = context_.run(batch, control.stop, [&](std::size_t i, std::span<const float> vector) {
        unit.assign(vector.begin(), vector.end());
        if (!normalise(unit)) ++n_without_vector;
        visitor(order[first + i], unit);
      });
      if (!done) return done;
      first += batch.size();
      for (const std::vector<Token>& sequence : batch) n_token_done += sequence.size();
      if (control.progress)
        control.progress(static_cast<double>(n_token_done) / static_cast<double>(n_token));
    }
    if (n_without_vector > 0) log::warn("the embedder gave no finite vector for {} texts", n_without_vector);
    return {};
  }

  std::string name_;
  LoadedModel loaded_;
  EmbeddingContext context_;
  Tokenizer tokenizer_;
  Frame frame_;
  std::int64_t max_text_tokens_;
  VectorCache cache_;
};

}  // namespace

Result<std::unique_ptr<Embedder>> load_embedder(const ModelFile& file, const EmbedderOptions& options) {
  const auto named = [&](const Error& error) {
    return Error{error.status, fmt::format("{}: {}", file.path.string(), error.message)};
  };
  Result<LoadedModel> loaded = load_llama_model(
      file, {.device = options.device, .progress = options.load.progress, .stop = options.load.stop});
  if (!loaded) return loaded.error();

  EmbedderOptions fitted = options;
  fitted.max_text_tokens = std::min(options.max_text_tokens, file.n_ctx_train);
  Result<EmbeddingContext> context = EmbeddingContext::create(
      loaded->model.get(),
      {.max_text_tokens = fitted.max_text_tokens, .threads = options.threads, .on_gpu = loaded->on_gpu});
  if (!context) return named(context.error());
  auto embedder = std::make_unique<LlamaEmbedder>(file.name, std::move(*loaded), std::move(*context), fitted);
  if (auto tried = embedder->try_out(options.load.stop); !tried) return named(tried.error());
  return std::unique_ptr<Embedder>(std::move(embedder));
}

}  // namespace skimfill
