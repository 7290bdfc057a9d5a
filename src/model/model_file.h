// A model file whose every bound and type was checked before libllama sees it.
//
// ggml's reader accepts some files that end the process later: typed getters abort on a wrong type or a
// missing key, and with no_alloc tensor data may lie outside the file. Everything that is read later is
// checked here once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "skimfill/result.h"

namespace skimfill {

struct ModelFile {
  std::filesystem::path path;
  std::string architecture;     // general.architecture
  std::string name;             // general.name, or the file's stem
  std::int64_t size_bytes = 0;  // of all shards
  std::int64_t n_tensor = 0;
  std::int64_t n_layer = 0;      // <arch>.block_count
  std::int64_t n_ctx_train = 0;  // <arch>.context_length
  std::int64_t n_embd = 0;       // <arch>.embedding_length
  std::int64_t n_head = 0;  // <arch>.attention.head_count (the maximum where it is an array); 0: no attention
  std::int64_t n_head_kv = 0;  // likewise; equals n_head where the key is absent
  std::int64_t n_vocab = 0;    // tokenizer.ggml.tokens
};

// Errors: Status::invalid, one line naming file, field and reason; within a second and without large
// allocations.
Result<ModelFile> inspect_model(const std::filesystem::path& path);

}  // namespace skimfill
