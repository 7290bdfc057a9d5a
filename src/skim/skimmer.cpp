#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/turnstile.h"
#include "model/model_file.h"
#include "signal/attention.h"
#include "signal/lexical.h"
#include "signal/llama/llama_engine.h"
#include "skim/body_text.h"
#include "skim/conversation.h"
#include "skim/fuse.h"
#include "skim/rewrite.h"
#include "skim/select.h"
#include "skimfill/skimfill.h"

namespace skimfill {
namespace {

std::size_t to_size(std::int64_t n) { return static_cast<std::size_t>(n); }

Result<void> check_ratio(double keep_ratio) {
  if (keep_ratio > 0 && keep_ratio <= 1) return {};  // false for NaN too
  return Error{Status::invalid, "keep_ratio must be above 0 and at most 1"};
}

Result<void> check_budget(const std::optional<std::int64_t>& budget_tokens) {
  if (!budget_tokens || *budget_tokens > 0) return {};
  return Error{Status::invalid, "budget must be a number of tokens above 0"};
}

Result<void> check(const SkimmerOptions& options) {
  if (options.drafter.empty()) return Error{Status::invalid, "no drafter given"};
  if (options.segment_tokens < 64 || options.segment_tokens > 8192) {
    return Error{Status::invalid, "the segment must be 64 to 8192 tokens long"};
  }
  if (options.batch_segments < 1 || options.batch_segments > 64) {
    return Error{Status::invalid, "1 to 64 segments can be read side by side"};
  }
  if (options.threads < 0 || options.threads > 1024)
    return Error{Status::invalid, "threads must be 0 to 1024"};
  if (options.threshold_tokens < 0) return Error{Status::invalid, "the threshold must not be negative"};
  if (Result<void> ratio = check_ratio(options.keep_ratio); !ratio) return ratio;
  return check_budget(options.budget_tokens);
}

std::int64_t budget_for(std::int64_t n_token, double keep_ratio, std::optional<std::int64_t> budget_tokens) {
  const auto by_ratio = static_cast<std::int64_t>(std::floor(keep_ratio * static_cast<double>(n_token)));
  return std::min(by_ratio, budget_tokens.value_or(by_ratio));
}

// What is kept of each unit, and the text that it makes.
struct Selection {
  std::vector<bool> kept;                // [n_unit] over all pieces
  std::vector<std::string> piece_texts;  // [n_piece]
  std::int64_t n_token = 0;              // of the piece texts
};

// The text of every piece, for kept[i] over the units of all pieces.
std::vector<std::string> write_pieces(const BodyText& body, const std::vector<bool>& kept,
                                      std::string_view mark) {
  std::vector<std::string> texts;
  auto first = kept.begin();
  for (const BodyText::Piece& piece : body.pieces()) {
    const auto last = first + static_cast<std::ptrdiff_t>(piece.units.size());
    texts.push_back(write_kept(piece.text, piece.units, {first, last}, mark));
    first = last;
  }
  return texts;
}

// Selects within the budget as counted again after rewriting: joined text may take a few tokens more or
// fewer.
Selection select(const BodyText& body, std::span<const float> unit_scores, std::int64_t budget_tokens,
                 std::string_view mark, const Tokenizer& tokenizer) {
  std::vector<Candidate> candidates;
  std::int64_t piece_index = 0;
  for (const BodyText::Piece& piece : body.pieces()) {
    for (const TextUnit& unit : piece.units) {
      candidates.push_back(
          {.range = piece_index, .n_token = unit.n_token(), .score = unit_scores[candidates.size()]});
    }
    ++piece_index;
  }
  const std::int64_t mark_tokens = tokenizer.count(std::string(mark) + "\n");
  Selection selection;
  for (std::int64_t aim = budget_tokens; aim > 0;) {
    selection.kept = select_units(candidates, aim, mark_tokens);
    selection.piece_texts = write_pieces(body, selection.kept, mark);
    selection.n_token = 0;
    for (const std::string& text : selection.piece_texts) selection.n_token += tokenizer.count(text);
    if (selection.n_token <= budget_tokens) return selection;
    aim -= selection.n_token - budget_tokens;
  }
  selection.kept.assign(candidates.size(), false);
  return selection;
}

// Tokens of what lies outside the body, whose own are known. The ranges are in the order of the passages.
std::int64_t count_outside(std::span<const Passage> passages, std::span<const BodyRange> body,
                           const Tokenizer& tokenizer) {
  std::int64_t n_token = 0;
  auto range = body.begin();
  for (std::size_t p = 0; p < passages.size(); ++p) {
    const std::string_view text = passages[p].text;
    std::size_t begin = 0;
    for (; range != body.end() && to_size(range->passage) == p; ++range) {
      n_token += tokenizer.count(text.substr(begin, to_size(range->begin) - begin));
      begin = to_size(range->end);
    }
    n_token += tokenizer.count(text.substr(begin));
  }
  return n_token;
}

}  // namespace

struct Skimmer::Impl {
  SkimmerOptions options;
  ModelFile file;
  std::unique_ptr<AttentionEngine> engine;
  mutable Turnstile turnstile;  // one job at a time on the engine

  Result<SkimResult> skim(const SkimRequest& request, const std::stop_token& stop,
                          const ProgressCallback& progress) const;
  Result<Signals> score(const BodyText& body, std::string_view question, const std::stop_token& stop,
                        const ProgressCallback& progress, SkimTimings& timings) const;
  void fill_in(SkimResult& result, std::span<const Passage> passages, const BodyText& body,
               std::span<const float> unit_scores, const Selection& selection) const;

  Probe probe(std::string_view question) const {
    const Tokenizer& tokenizer = engine->tokenizer();
    Probe probe{.tokens = tokenizer.tokenize("\n\n").tokens};
    probe.n_lead = static_cast<std::int64_t>(probe.tokens.size());
    const std::vector<Token> tokens = tokenizer.tokenize(question).tokens;
    probe.tokens.insert(probe.tokens.end(), tokens.begin(), tokens.end());
    return probe;
  }
};

Result<Signals> Skimmer::Impl::score(const BodyText& body, std::string_view question,
                                     const std::stop_token& stop, const ProgressCallback& progress,
                                     SkimTimings& timings) const {
  Stopwatch watch;
  const std::optional<Turnstile::Turn> turn = turnstile.enter(stop);
  timings.queue_ms = watch.lap_ms();
  if (!turn) return Error{Status::cancelled, "the skim was cancelled while it waited"};

  const std::vector<Probe> probes{probe(question), probe(kNeutralQuestion)};
  ReadControl control{.stop = stop, .progress = {}};
  if (progress)
    control.progress = [&](double done) { progress({.stage = Progress::Stage::score, .done = done}); };
  Result<ProbeAttention> read = engine->read(body.segments(options.segment_tokens), probes, control);
  if (!read) return read.error();
  Signals signals{.question = {}, .neutral = {}, .lexical = {}, .n_not_finite = read->n_not_finite};
  signals.question = body.chunk_means(read->attention[0]);
  signals.neutral = body.chunk_means(read->attention[1]);
  std::vector<std::string_view> texts;
  for (const BodyText::Chunk& chunk : body.chunks()) texts.push_back(chunk.text);
  signals.lexical = bm25(question, texts);
  timings.score_ms = watch.lap_ms();
  return signals;
}

void Skimmer::Impl::fill_in(SkimResult& result, std::span<const Passage> passages, const BodyText& body,
                            std::span<const float> unit_scores, const Selection& selection) const {
  result.decision = Decision::skimmed;
  result.kept_tokens = selection.n_token;
  for (const Passage& passage : passages) result.texts.emplace_back(passage.text);

  // Several pieces of one passage: replace from the last one on, so that earlier offsets stay valid.
  for (std::size_t p = body.pieces().size(); p-- > 0;) {
    const BodyRange& range = body.pieces()[p].range;
    result.texts[to_size(range.passage)].replace(to_size(range.begin), to_size(range.end - range.begin),
                                                 selection.piece_texts[p]);
  }

  std::size_t i = 0;
  for (const BodyText::Piece& piece : body.pieces()) {
    for (const TextUnit& range : piece.units) {
      Unit unit;
      unit.passage = piece.range.passage;
      unit.message = passages[to_size(unit.passage)].message;
      unit.begin = piece.range.begin + range.begin;
      unit.end = piece.range.begin + range.end;
      unit.score = unit_scores[i];
      unit.kept = selection.kept[i++];
      result.units.push_back(unit);
      if (!unit.kept) continue;
      Span* last = result.spans.empty() ? nullptr : &result.spans.back();
      if (last != nullptr && last->passage == unit.passage && last->end == unit.begin) {
        last->end = unit.end;
        last->score = std::max(last->score, unit.score);
      } else {
        result.spans.push_back(unit);
      }
    }
  }
}

Result<SkimResult> Skimmer::Impl::skim(const SkimRequest& request, const std::stop_token& stop,
                                       const ProgressCallback& progress) const {
  const Stopwatch total;
  Stopwatch watch;
  SkimResult result;
  result.device = engine->device();
  result.path = engine->path();
  const auto whole = [&](std::string reason) {
    result.decision = Decision::whole;
    result.reason = std::move(reason);
    result.kept_tokens = result.tokens;
    result.timings.total_ms = total.elapsed_ms();
    return result;
  };

  const double keep_ratio = request.keep_ratio.value_or(options.keep_ratio);
  if (Result<void> checked = check_ratio(keep_ratio); !checked) return checked.error();
  if (Result<void> checked = check_budget(request.budget_tokens); !checked) return checked.error();
  if (request.mode == Mode::off) return whole("skimming is off");

  const Conversation conversation = read_conversation(request.passages, request.question);
  result.question = conversation.question;
  const BodyText body(request.passages, conversation.body, engine->tokenizer());
  result.tokens = body.n_token();
  result.prompt_tokens =
      body.n_token() + count_outside(request.passages, conversation.body, engine->tokenizer());
  result.timings.tokenize_ms = watch.lap_ms();

  std::optional<std::int64_t> hard_budget = options.budget_tokens;
  if (request.budget_tokens) hard_budget = request.budget_tokens;
  const std::int64_t budget = budget_for(body.n_token(), keep_ratio, hard_budget);
  if (body.n_token() == 0) return whole("no text that may be skimmed");
  if (conversation.question.empty()) return whole("no question was found to skim for");
  if (budget >= body.n_token()) return whole("everything fits the budget");
  if (request.mode == Mode::automatic && body.n_token() < options.threshold_tokens) {
    return whole("shorter than the threshold of " + std::to_string(options.threshold_tokens) + " tokens");
  }

  Result<Signals> signals = score(body, conversation.question, stop, progress, result.timings);
  if (!signals) return signals.error();
  watch.lap_ms();
  Result<std::vector<float>> scores = fuse(*signals, kDefaultPreset);
  if (!scores) return whole(scores.error().message);
  const std::vector<float> unit_scores = body.unit_scores(*scores);
  const Selection selection = select(body, unit_scores, budget, options.mark, engine->tokenizer());
  if (std::find(selection.kept.begin(), selection.kept.end(), true) == selection.kept.end()) {
    return whole("a budget of " + std::to_string(budget) + " tokens is too small to keep anything");
  }
  fill_in(result, request.passages, body, unit_scores, selection);
  result.reason = "kept " + std::to_string(result.kept_tokens) + " of " + std::to_string(result.tokens) +
                  " tokens within a budget of " + std::to_string(budget);
  result.timings.select_ms = watch.lap_ms();
  result.timings.total_ms = total.elapsed_ms();
  return result;
}

Result<Skimmer> Skimmer::load(const SkimmerOptions& options, const ProgressCallback& progress,
                              std::stop_token stop) {
  if (Result<void> checked = check(options); !checked) return checked.error();
  Result<ModelFile> file = inspect_model(options.drafter);
  if (!file) return Error{file.error().status, "drafter " + file.error().message};
  LlamaEngineOptions engine_options{.device = options.device,
                                    .threads = options.threads,
                                    .segment_tokens = options.segment_tokens,
                                    .batch_segments = options.batch_segments,
                                    .load = {.stop = std::move(stop), .progress = {}}};
  if (progress) {
    engine_options.load.progress = [&](double done) {
      progress({.stage = Progress::Stage::load, .done = done});
    };
  }
  Result<std::unique_ptr<AttentionEngine>> engine = load_llama_engine(*file, engine_options);
  if (!engine) return Error{engine.error().status, "drafter " + engine.error().message};
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  impl->file = std::move(*file);
  impl->engine = std::move(*engine);
  return Skimmer(std::move(impl));
}

Result<SkimResult> Skimmer::skim(const SkimRequest& request, std::stop_token stop,
                                 const ProgressCallback& progress) const {
  return impl_->skim(request, stop, progress);
}

std::int64_t Skimmer::count_tokens(std::string_view text) const {
  return impl_->engine->tokenizer().count(text);
}
const SkimmerOptions& Skimmer::options() const { return impl_->options; }
std::string Skimmer::description() const {
  return impl_->file.name + " on " + impl_->engine->device() + ", " + impl_->engine->path();
}

Skimmer::Skimmer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Skimmer::Skimmer(Skimmer&&) noexcept = default;
Skimmer& Skimmer::operator=(Skimmer&&) noexcept = default;
Skimmer::~Skimmer() = default;

}  // namespace skimfill
