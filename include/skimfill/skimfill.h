// skimfill as a library: skim a long prompt with a small model and keep the text that its question needs.
//
//   auto skimmer = skimfill::Skimmer::load({.drafter = "SmolLM2-135M-Instruct.Q4_1.gguf"});
//   skimfill::Passage file{.role = skimfill::Role::user, .text = text};
//   auto result = skimmer->skim({.passages = {&file, 1}, .question = "Who may modify the work?"});
//   for (const skimfill::Span& span : result->spans) ...
//
// All offsets are bytes into the caller's own text, whatever its encoding. Times are wall clock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "skimfill/result.h"

namespace skimfill {

// Who said a text. System and assistant texts are never touched.
enum class Role { system, user, assistant, tool };

// One text of a prompt. A chat message with several text parts has several, in order.
struct Passage {
  Role role = Role::user;
  std::string_view text;     // any bytes; need not be valid UTF-8
  std::int64_t message = 0;  // index of the message that it belongs to, for the reader of the result
};

enum class Mode {
  off,        // every prompt goes through whole
  automatic,  // skim when the prompt is long enough for it to pay
  always,     // skim whenever there is something to leave out
};

// What a long step is doing, for a progress bar. `done` runs from 0 to 1 within one stage.
struct Progress {
  enum class Stage { load, score } stage;
  double done = 0;
};
using ProgressCallback = std::function<void(const Progress&)>;

struct SkimmerOptions {
  std::string drafter;  // path of the GGUF of a small causal model
  std::string device;   // a ggml device name ("CPU", "CUDA0", "Vulkan0"); empty: the first GPU, else CPU
  int threads = 0;      // CPU threads; 0: one per hardware thread
  std::int64_t segment_tokens = 1024;  // the body is read in segments of at most this many tokens, [64, 8192]
  std::int64_t batch_segments = 4;     // segments read side by side, [1, 64]
  std::int64_t threshold_tokens = 4096;  // Mode::automatic skims bodies of at least this many tokens
  double keep_ratio = 0.1;  // (0, 1]: share of the body's tokens to keep where a request says nothing
  std::optional<std::int64_t> budget_tokens;  // hard limit on kept tokens, in addition to keep_ratio
  std::string mark = "[...]";                 // stands where text was left out; may be empty
};

struct SkimRequest {
  std::span<const Passage> passages;
  std::string_view question;  // empty: found in the last user passage; SkimResult::question tells it
  Mode mode = Mode::always;
  std::optional<double> keep_ratio;           // (0, 1]; 1 keeps everything, byte for byte
  std::optional<std::int64_t> budget_tokens;  // > 0; where both are given the smaller one holds
};

enum class Decision { whole, skimmed };

// A piece of a skimmed passage, [begin, end) in bytes of the passage's text.
struct Span {
  std::int64_t passage = 0;  // index into SkimRequest::passages
  std::int64_t message = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  float score = 0;  // fused and standardised: 0 is the prompt's average, higher is more wanted
};

// A line or sentence that could be kept or left out; together they cover every skimmed passage.
struct Unit : Span {
  bool kept = false;
};

struct SkimTimings {
  double queue_ms = 0;  // waiting for another job of the same Skimmer
  double tokenize_ms = 0;
  double score_ms = 0;   // reading the body and the probes with the drafter, and the lexical signal
  double select_ms = 0;  // fusing, selecting, rewriting
  double total_ms = 0;   // from the call to its return
};

struct SkimResult {
  Decision decision = Decision::whole;
  std::string reason;              // one sentence, for a person: why it was skimmed or went through whole
  std::int64_t tokens = 0;         // tokens of the text that may be skimmed (the drafter's tokens)
  std::int64_t kept_tokens = 0;    // of the text sent in its place, marks included; never above the budget
  std::int64_t prompt_tokens = 0;  // tokens of all passages (the drafter's tokens)
  std::vector<Span> spans;         // what was kept of the skimmed passages, in order; empty when whole
  std::vector<Unit> units;         // every unit with its score, in order; empty when whole
  std::vector<std::string> texts;  // the text to send for each passage; empty when whole
  std::string question;            // the text used as the question
  std::string path;                // how the scores were made: engine, segments, depth
  std::string device;              // where they were made
  SkimTimings timings;
};

// A loaded drafter with everything that a skim needs. Thread-safe: one scoring job runs at a time, others
// wait their turn and have the wait counted; tokenizing and refusing never wait.
class Skimmer {
 public:
  // Errors: Status::invalid for options out of range; Status::unsupported for a file that is not a model
  // whose attention can be read, or a device that is not there; Status::unavailable when it does not fit in
  // memory.
  static Result<Skimmer> load(const SkimmerOptions& options, const ProgressCallback& progress = {},
                              std::stop_token stop = {});

  // Errors: Status::invalid for a request out of range; Status::cancelled when `stop` fired. Scores without
  // signal are no error: the result is whole, with the reason.
  Result<SkimResult> skim(const SkimRequest& request, std::stop_token stop = {},
                          const ProgressCallback& progress = {}) const;

  // Counts text in the drafter's tokens.
  std::int64_t count_tokens(std::string_view text) const;

  // One line for a log: drafter, device, path, memory.
  std::string description() const;
  const SkimmerOptions& options() const;

  Skimmer(Skimmer&&) noexcept;
  Skimmer& operator=(Skimmer&&) noexcept;
  ~Skimmer();

 private:
  struct Impl;
  explicit Skimmer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace skimfill
