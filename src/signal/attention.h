// The attention signal: how much a question attends back to each token of a body of text.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "model/tokenizer.h"
#include "skimfill/result.h"

namespace skimfill {

// The text that may be skimmed, cut into segments that are read on their own. Segment i is
// tokens[cu_seqlens[i], cu_seqlens[i + 1]), never empty.
struct Body {
  std::span<const Token> tokens;
  std::vector<std::int64_t> cu_seqlens;  // [n_segment + 1], first 0, last tokens.size()

  std::int64_t n_segment() const { return static_cast<std::int64_t>(cu_seqlens.size()) - 1; }
  std::span<const Token> segment(std::int64_t i) const {
    const auto index = static_cast<std::size_t>(i);
    return tokens.subspan(static_cast<std::size_t>(cu_seqlens[index]),
                          static_cast<std::size_t>(cu_seqlens[index + 1] - cu_seqlens[index]));
  }
};

// A short sequence that reads each segment as if it followed it. The body never sees a probe, and no probe
// another.
struct Probe {
  std::vector<Token> tokens;
  std::int64_t n_lead = 0;  // leading tokens that set the question off from the text; their rows do not count
};

// Longer probes are cut to their last tokens: what a question asks for stands at its end more often than not.
inline constexpr std::int64_t kMaxProbeTokens = 128;

struct ProbeAttention {
  // [n_probe][n_token] f32. Softmax over the segment, average-pooled over kPoolWidth tokens, the maximum over
  // the layers and heads that were read, the mean over the probe's tokens after its lead (SpecPrefill, arXiv
  // 2502.02789, section 3), times the number of keys: 1 is the share that a token gets when attention is
  // spread evenly.
  std::vector<std::vector<float>> attention;
  std::int64_t n_layer_read = 0;  // layers that gave a signal
  std::int64_t n_not_finite = 0;  // probe rows with a value that is not finite; such rows are left out
};

struct ReadControl {
  std::stop_token stop;
  std::function<void(double)> progress;  // 0..1, from the calling thread
};

// Reads a body with a small causal model and tells how much each probe attends to each of its tokens.
// Cost is linear in the body's length. Not thread-safe: one engine serves one job at a time.
class AttentionEngine {
 public:
  virtual ~AttentionEngine() = default;

  // Errors: Status::cancelled when the stop token fired, Status::unavailable when the device ran out of
  // memory.
  virtual Result<ProbeAttention> read(const Body& body, std::span<const Probe> probes,
                                      const ReadControl& control) = 0;

  virtual std::int64_t max_segment_tokens() const = 0;
  virtual const Tokenizer& tokenizer() const = 0;
  virtual std::string path()
      const = 0;  // "llama engine: dense within 1,024-token segments, layers 0-19 of 30"
  virtual std::string device() const = 0;  // "CPU (AMD EPYC)"
};

}  // namespace skimfill
