#include "model/vocabulary.h"

#include <gguf.h>
#include <spdlog/fmt/fmt.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimfill {
namespace {

constexpr const char* kTokens = "tokenizer.ggml.tokens";

// libllama asserts that no two tokens have the same text; it numbers empty ones.
void check_texts(Metadata& metadata, const std::vector<std::string_view>& texts) {
  std::unordered_map<std::string_view, std::size_t> seen;
  seen.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) continue;
    if (const auto [first, is_new] = seen.emplace(texts[i], i); !is_new) {
      metadata.fault(kTokens, fmt::format("token {} has the same text as token {}", i, first->second));
      return;
    }
  }
}

// A sentencepiece vocabulary spells what it does not know in bytes, and libllama throws where one is missing.
void check_byte_tokens(Metadata& metadata, const std::vector<std::string_view>& texts) {
  std::vector<bool> found(256);
  for (const std::string_view text : texts) {
    unsigned byte = 0;
    if (text.size() == 1) {
      found[static_cast<unsigned char>(text[0])] = true;
    } else if (text.size() == 6 && std::sscanf(text.data(), "<0x%02X>", &byte) == 1 &&
               text == fmt::format("<0x{:02X}>", byte)) {
      found[byte] = true;
    }
  }
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (found[byte]) continue;
    metadata.fault(kTokens, fmt::format("has no token <0x{:02X}>", byte));
    return;
  }
}

void check_length(Metadata& metadata, const char* key, std::initializer_list<int> types,
                  std::size_t n_token) {
  const std::optional<std::int64_t> size = metadata.array_size(key, types);
  if (size && *size != static_cast<std::int64_t>(n_token)) {
    metadata.fault(key, fmt::format("has {} values for {} tokens", *size, n_token));
  }
}

}  // namespace

std::int64_t check_vocabulary(Metadata& metadata) {
  const std::string model = metadata.require<std::string>("tokenizer.ggml.model").value_or("");
  const std::string pre = metadata.get<std::string>("tokenizer.ggml.pre").value_or("");
  if (model == "none" || model == "no_vocab")
    metadata.fault("tokenizer.ggml.model", "the file has no tokenizer");

  if (!metadata.has(kTokens)) metadata.fault(kTokens, "is missing");
  const std::vector<std::string_view> texts = metadata.strings(kTokens);
  if (texts.empty()) metadata.fault(kTokens, "is empty");
  check_texts(metadata, texts);
  if (model == "llama") check_byte_tokens(metadata, texts);
  check_length(metadata, "tokenizer.ggml.scores", {GGUF_TYPE_FLOAT32, GGUF_TYPE_INT32}, texts.size());
  check_length(metadata, "tokenizer.ggml.token_type", {GGUF_TYPE_INT32}, texts.size());

  const std::string merges = "tokenizer.ggml.merges";
  const bool needs_merges = (model == "gpt2" && pre != "kimi-k2") || model == "gemma4";
  if (needs_merges && !metadata.has(merges)) metadata.fault(merges, "is missing");
  metadata.array_size(merges, {GGUF_TYPE_STRING});

  for (const std::string& key : metadata.keys("tokenizer.ggml.", "_token_id")) {
    const std::optional<std::uint32_t> id = metadata.get<std::uint32_t>(key);
    if (id && *id >= texts.size()) {
      metadata.fault(key, fmt::format("is {}, but there are {} tokens", *id, texts.size()));
    }
  }
  return static_cast<std::int64_t>(texts.size());
}

}  // namespace skimfill
