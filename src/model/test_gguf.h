// Writes the bytes of small GGUF files for tests, true ones and lying ones.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skimfill::test_gguf {

// ggml's numbers for the types of values.
enum Type : std::uint32_t {
  kU8 = 0,
  kU16 = 2,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10
};

template <class T>
std::string bytes(T value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

inline std::string text(std::string_view value) {
  return bytes<std::uint64_t>(value.size()) + std::string(value);
}

template <class T>
std::string numbers(Type type, const std::vector<T>& values) {
  std::string out = bytes<std::uint32_t>(type) + bytes<std::uint64_t>(values.size());
  for (const T value : values) out += bytes(value);
  return out;
}

inline std::string texts(const std::vector<std::string>& values) {
  std::string out = bytes<std::uint32_t>(kString) + bytes<std::uint64_t>(values.size());
  for (const std::string& value : values) out += text(value);
  return out;
}

inline std::string header(std::uint64_t n_tensor, std::uint64_t n_key, std::uint32_t version = 3,
                          std::string_view magic = "GGUF") {
  return std::string(magic) + bytes(version) + bytes(n_tensor) + bytes(n_key);
}

inline std::string key(std::string_view name, std::uint32_t type, const std::string& payload) {
  return text(name) + bytes(type) + payload;
}

inline std::string tensor(std::string_view name, const std::vector<std::uint64_t>& shape, std::uint32_t type,
                          std::uint64_t offset) {
  std::string out = text(name) + bytes(static_cast<std::uint32_t>(shape.size()));
  for (const std::uint64_t n : shape) out += bytes(n);
  return out + bytes(type) + bytes(offset);
}

inline std::string padded(std::string out) {
  out.resize((out.size() + 31) / 32 * 32);
  return out;
}

// A whole file, its keys and tensors changed by name.
class Builder {
 public:
  Builder& set(std::string_view name, Type type, const std::string& payload) {
    erase(name);
    keys_.emplace_back(name, key(name, type, payload));
    return *this;
  }
  Builder& set_u16(std::string_view name, std::uint16_t value) { return set(name, kU16, bytes(value)); }
  Builder& set_u32(std::string_view name, std::uint32_t value) { return set(name, kU32, bytes(value)); }
  Builder& set_i32(std::string_view name, std::int32_t value) { return set(name, kI32, bytes(value)); }
  Builder& set_f32(std::string_view name, float value) { return set(name, kF32, bytes(value)); }
  Builder& set_string(std::string_view name, std::string_view value) {
    return set(name, kString, text(value));
  }
  Builder& set_strings(std::string_view name, const std::vector<std::string>& values) {
    return set(name, kArray, texts(values));
  }
  Builder& erase(std::string_view name) {
    std::erase_if(keys_, [&](const auto& entry) { return entry.first == name; });
    return *this;
  }

  // Elements are f32 zeros.
  Builder& set_tensor(std::string_view name, std::vector<std::uint64_t> shape) {
    erase_tensor(name);
    tensors_.emplace_back(name, std::move(shape));
    return *this;
  }
  Builder& erase_tensor(std::string_view name) {
    std::erase_if(tensors_, [&](const auto& entry) { return entry.first == name; });
    return *this;
  }

  std::string build() const {
    std::string out = header(tensors_.size(), keys_.size());
    for (const auto& [name, record] : keys_) out += record;
    std::uint64_t n_byte = 0;
    for (const auto& [name, shape] : tensors_) {
      out += tensor(name, shape, 0, n_byte);
      std::uint64_t size = sizeof(float);
      for (const std::uint64_t n : shape) size *= n;
      n_byte += (size + 31) / 32 * 32;
    }
    out = padded(std::move(out));
    return out + std::string(n_byte, '\0');
  }

 private:
  std::vector<std::pair<std::string, std::string>> keys_;
  std::vector<std::pair<std::string, std::vector<std::uint64_t>>> tensors_;
};

// A true llama of one layer, 4 heads over 2, and 4 tokens, that libllama loads.
inline Builder tiny_llama() {
  Builder file;
  file.set_string("general.architecture", "llama").set_string("general.name", "tiny");
  file.set_u32("llama.block_count", 1)
      .set_u32("llama.context_length", 64)
      .set_u32("llama.embedding_length", 32);
  file.set_u32("llama.feed_forward_length", 64).set_u32("llama.attention.head_count", 4);
  file.set_u32("llama.attention.head_count_kv", 2).set_f32("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  file.set_f32("llama.rope.freq_base", 10000).set_u32("llama.rope.dimension_count", 8);
  file.set_string("tokenizer.ggml.model", "gpt2").set_string("tokenizer.ggml.pre", "smollm");
  file.set_strings("tokenizer.ggml.tokens", {"<|end|>", "a", "b", "ab"});
  file.set("tokenizer.ggml.scores", kArray, numbers<float>(kF32, {0, 0, 0, 0}));
  file.set("tokenizer.ggml.token_type", kArray, numbers<std::int32_t>(kI32, {3, 1, 1, 1}));
  file.set_strings("tokenizer.ggml.merges", {"a b"});
  file.set_u32("tokenizer.ggml.bos_token_id", 0).set_u32("tokenizer.ggml.eos_token_id", 0);
  file.set_tensor("token_embd.weight", {32, 4}).set_tensor("output_norm.weight", {32});
  file.set_tensor("blk.0.attn_norm.weight", {32}).set_tensor("blk.0.attn_q.weight", {32, 32});
  file.set_tensor("blk.0.attn_k.weight", {32, 16}).set_tensor("blk.0.attn_v.weight", {32, 16});
  file.set_tensor("blk.0.attn_output.weight", {32, 32}).set_tensor("blk.0.ffn_norm.weight", {32});
  file.set_tensor("blk.0.ffn_gate.weight", {32, 64}).set_tensor("blk.0.ffn_up.weight", {32, 64});
  file.set_tensor("blk.0.ffn_down.weight", {64, 32});
  return file;
}

// A folder of its own for a test's files, removed with them.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "skimfill-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path write(const std::string& name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace skimfill::test_gguf
