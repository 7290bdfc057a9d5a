#include "model/model_file.h"

#include <llama.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/gguf_file.h"
#include "model/metadata.h"
#include "model/vocabulary.h"

namespace skimfill {
namespace {

// Limits that libllama asserts: past them it ends the process (LLAMA_MAX_LAYERS, LLAMA_MAX_EXPERTS).
constexpr std::int64_t kMaxLayers = 512;
constexpr std::int64_t kMaxExperts = 1024;

using Shape = std::array<std::int64_t, 4>;

// The tensors of all shards by name.
class TensorIndex {
 public:
  Result<void> add(const GgufFile& file) {
    for (std::int64_t i = 0; i < file.n_tensor(); ++i) {
      Shape shape;
      std::copy_n(file.tensor_shape(i).begin(), shape.size(), shape.begin());
      if (const auto [place, is_new] = shapes_.emplace(file.tensor_name(i), shape); !is_new) {
        return file_fault(file.path(), fmt::format("tensor {}", place->first),
                          "is in an earlier shard already");
      }
    }
    return {};
  }

  const Shape* find(const std::string& name) const {
    const auto place = shapes_.find(name);
    return place == shapes_.end() ? nullptr : &place->second;
  }

  // Attention's tensors are named blk.N.attn_q…, or attn_qkv where they are one.
  bool has_attention() const {
    return std::any_of(shapes_.begin(), shapes_.end(),
                       [](const auto& entry) { return entry.first.find(".attn_q") != std::string::npos; });
  }

  std::int64_t size() const { return static_cast<std::int64_t>(shapes_.size()); }

 private:
  std::unordered_map<std::string, Shape> shapes_;
};

// Adds the tensors and sizes of the shards after the first.
Result<void> add_shards(const GgufFile& first, Metadata& metadata, TensorIndex& tensors,
                        std::int64_t& size_bytes) {
  const int n_shard = metadata.get<std::uint16_t>("split.count").value_or(1);
  if (n_shard <= 1) return {};
  const int number = metadata.require<std::uint16_t>("split.no").value_or(0);
  const std::int64_t n_tensor = metadata.require<std::int32_t>("split.tensors.count").value_or(0);
  if (metadata.first_fault()) return *metadata.first_fault();
  if (number != 0) {
    return file_fault(first.path(), "split.no",
                      fmt::format("this is shard {} of {}: give the first one", number + 1, n_shard));
  }

  const std::string path = first.path().string();
  std::string buffer(path.size() + 64, '\0');
  if (llama_split_prefix(buffer.data(), buffer.size(), path.c_str(), 0, n_shard) <= 0) {
    return file_fault(first.path(), "split.count",
                      fmt::format("the first of {0} shards must be named …-00001-of-{0:05}.gguf", n_shard));
  }
  const std::string prefix = buffer.c_str();
  for (int i = 1; i < n_shard; ++i) {
    llama_split_path(buffer.data(), buffer.size(), prefix.c_str(), i, n_shard);
    const Result<GgufFile> shard = GgufFile::open(buffer.c_str());
    if (!shard) return shard.error();
    Metadata shard_metadata(*shard);
    const std::optional<std::uint16_t> shard_number = shard_metadata.require<std::uint16_t>("split.no");
    if (shard_metadata.first_fault()) return *shard_metadata.first_fault();
    if (*shard_number != i) {
      return file_fault(shard->path(), "split.no", fmt::format("is {}, expected {}", *shard_number, i));
    }
    if (Result<void> added = tensors.add(*shard); !added) return added;
    size_bytes += shard->size_bytes();
  }
  if (tensors.size() != n_tensor) {
    return file_fault(first.path(), "split.tensors.count",
                      fmt::format("is {}, but the shards have {} tensors", n_tensor, tensors.size()));
  }
  return {};
}

void check_heads(Metadata& metadata, const TensorIndex& tensors, ModelFile& model) {
  const std::string heads_key = model.architecture + ".attention.head_count";
  const std::string kv_heads_key = model.architecture + ".attention.head_count_kv";
  const std::vector<std::int64_t> heads = metadata.per_layer(heads_key, model.n_layer);
  std::vector<std::int64_t> kv_heads = metadata.per_layer(kv_heads_key, model.n_layer);
  if (kv_heads.empty()) kv_heads = heads;
  model.n_head = heads.empty() ? 0 : *std::max_element(heads.begin(), heads.end());
  model.n_head_kv = kv_heads.empty() ? 0 : *std::max_element(kv_heads.begin(), kv_heads.end());

  // Recurrent models have no heads, and their converters write 0 or leave the key out.
  if (!tensors.has_attention()) return;
  if (model.n_head == 0) {
    metadata.fault(heads_key, heads.empty() ? "is missing, but there are attention tensors"
                                            : "is 0, but there are attention tensors");
  }
  if (model.n_head > model.n_embd) {
    metadata.fault(heads_key,
                   fmt::format("is {}, more than the embedding length {}", model.n_head, model.n_embd));
  }
  if (model.n_head_kv == 0) metadata.fault(kv_heads_key, "is 0, but there are attention tensors");
  for (std::size_t i = 0; i < std::min(heads.size(), kv_heads.size()); ++i) {
    // A layer of a hybrid without KV heads is one without attention.
    if (kv_heads[i] == 0 || heads[i] == 0 || heads[i] % kv_heads[i] == 0) continue;
    metadata.fault(kv_heads_key, fmt::format("is {} where head_count is {} (layer {}): not a divisor",
                                             kv_heads[i], heads[i], i));
  }
}

void check_finite_positive(Metadata& metadata, const std::string& key) {
  const std::optional<float> value = metadata.get<float>(key);
  if (value && !(std::isfinite(*value) && *value > 0)) {
    metadata.fault(key, fmt::format("is {}, not a positive number", *value));
  }
}

void check_rope_and_norms(Metadata& metadata, const ModelFile& model) {
  const std::string& arch = model.architecture;
  for (const char* name : {".rope.freq_base", ".rope.freq_base_swa", ".attention.layer_norm_rms_epsilon",
                           ".attention.layer_norm_epsilon"}) {
    check_finite_positive(metadata, arch + name);
  }
  for (const char* name : {".rope.scaling.factor", ".rope.scale_linear"}) {
    const std::optional<float> value = metadata.get<float>(arch + name);
    if (value && !(std::isfinite(*value) && *value >= 0)) {  // libllama reads 0 as "none"
      metadata.fault(arch + name, fmt::format("is {}", *value));
    }
  }
  const std::string scaling_key = arch + ".rope.scaling.type";
  if (const std::optional<std::string> type = metadata.get<std::string>(scaling_key)) {
    constexpr std::array<std::string_view, 4> kKnown = {"none", "linear", "yarn", "longrope"};
    if (std::find(kKnown.begin(), kKnown.end(), *type) == kKnown.end()) {
      metadata.fault(scaling_key, fmt::format("'{}' is none of {}", *type, fmt::join(kKnown, ", ")));
    }
  }

  // The rope kernels assert both.
  const std::string rotated_key = arch + ".rope.dimension_count";
  const std::int64_t head_size = metadata.get<std::uint32_t>(arch + ".attention.key_length")
                                     .value_or(model.n_head > 0 ? model.n_embd / model.n_head : 0);
  if (const std::optional<std::uint32_t> rotated = metadata.get<std::uint32_t>(rotated_key);
      rotated && model.n_head > 0) {
    if (*rotated % 2 != 0 || *rotated > head_size) {
      metadata.fault(rotated_key,
                     fmt::format("is {}, not an even number up to the head size {}", *rotated, head_size));
    }
  }
}

// The relations that libllama asserts about experts.
void check_experts(Metadata& metadata, const ModelFile& model) {
  const std::string& arch = model.architecture;
  const std::string used_key = arch + ".expert_used_count";
  const std::int64_t n_expert = metadata.get<std::uint32_t>(arch + ".expert_count").value_or(0);
  const std::vector<std::int64_t> used = metadata.per_layer(used_key, model.n_layer);
  const std::int64_t max_used = used.empty() ? 0 : *std::max_element(used.begin(), used.end());
  const std::int64_t n_group = metadata.get<std::uint32_t>(arch + ".expert_group_count").value_or(0);
  const std::int64_t n_group_used =
      metadata.get<std::uint32_t>(arch + ".expert_group_used_count").value_or(0);
  if (n_expert > kMaxExperts) {
    metadata.fault(arch + ".expert_count", fmt::format("is {}, more than {}", n_expert, kMaxExperts));
  }
  if (max_used > n_expert || (n_expert > 0 && max_used == 0)) {
    metadata.fault(used_key, fmt::format("is {} of {} experts", max_used, n_expert));
  }
  if (n_group > 0 && (n_group >= n_expert || (n_group > 1 && n_expert % n_group != 0))) {
    metadata.fault(arch + ".expert_group_count", fmt::format("is {} for {} experts", n_group, n_expert));
  }
  if (n_group > 1 && (n_group_used == 0 || n_group_used >= n_group)) {
    metadata.fault(arch + ".expert_group_used_count",
                   fmt::format("is {} of {} groups", n_group_used, n_group));
  }
}

void check_embedding(Metadata& metadata, const TensorIndex& tensors, const ModelFile& model) {
  const Shape* embedding = tensors.find("token_embd.weight");
  if (embedding == nullptr) {
    metadata.fault("tensor token_embd.weight", "is missing");
    return;
  }
  const auto [n_column, n_row, depth, _] = *embedding;
  if (n_column != model.n_embd) {
    metadata.fault(model.architecture + ".embedding_length",
                   fmt::format("is {}, but token_embd.weight has {} columns", model.n_embd, n_column));
  }
  if (n_row != model.n_vocab || depth != 1) {
    metadata.fault("tokenizer.ggml.tokens", fmt::format("has {} tokens, but token_embd.weight has {} rows",
                                                        model.n_vocab, n_row * depth));
  }
}

std::int64_t require_count(Metadata& metadata, const std::string& key) {
  const std::optional<std::uint32_t> count = metadata.require<std::uint32_t>(key);
  if (count && *count == 0) metadata.fault(key, "is 0");
  return count.value_or(0);
}

}  // namespace

Result<ModelFile> inspect_model(const std::filesystem::path& path) {
  const Result<GgufFile> file = GgufFile::open(path);
  if (!file) return file.error();

  ModelFile model;
  model.path = path;
  model.size_bytes = file->size_bytes();
  Metadata metadata(*file);
  TensorIndex tensors;
  if (Result<void> added = tensors.add(*file); !added) return added.error();
  if (Result<void> added = add_shards(*file, metadata, tensors, model.size_bytes); !added)
    return added.error();
  model.n_tensor = tensors.size();

  model.architecture = metadata.require<std::string>("general.architecture").value_or("");
  if (metadata.first_fault()) return *metadata.first_fault();
  model.name = metadata.get<std::string>("general.name").value_or(path.stem().string());
  model.n_layer = require_count(metadata, model.architecture + ".block_count");
  model.n_ctx_train = require_count(metadata, model.architecture + ".context_length");
  model.n_embd = require_count(metadata, model.architecture + ".embedding_length");
  // A layer has tensors of its own; checked before anything is allocated per layer.
  if (model.n_layer > std::min(kMaxLayers, model.n_tensor)) {
    metadata.fault(model.architecture + ".block_count",
                   fmt::format("is {} in a file of {} tensors", model.n_layer, model.n_tensor));
  }
  if (metadata.first_fault()) return *metadata.first_fault();

  check_heads(metadata, tensors, model);
  check_rope_and_norms(metadata, model);
  check_experts(metadata, model);
  model.n_vocab = check_vocabulary(metadata);
  check_embedding(metadata, tensors, model);
  const std::string nextn_key = model.architecture + ".nextn_predict_layers";
  if (metadata.get<std::uint32_t>(nextn_key).value_or(0) > model.n_layer) {
    metadata.fault(nextn_key, fmt::format("is more than the {} layers", model.n_layer));
  }
  if (metadata.first_fault()) return *metadata.first_fault();
  return model;
}

}  // namespace skimfill
