// The keys of a GGUF file, each read with its presence and type checked: ggml's typed getters abort the
// process on a missing key or a wrong type.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/gguf_file.h"
#include "skimfill/result.h"

namespace skimfill {

// Reads go on after a fault, so that callers need no branch per key; the first fault is the one that is
// reported.
class Metadata {
 public:
  explicit Metadata(const GgufFile& file) : file_(file) {}

  // An absent key is no fault.
  bool has(const std::string& key) const;

  // T: std::uint16_t, std::uint32_t, std::int32_t, float, std::string. Nothing where the key is absent (no
  // fault) or of another type (a fault).
  template <class T>
  std::optional<T> get(const std::string& key);

  // As get(), and absence is a fault.
  template <class T>
  std::optional<T> require(const std::string& key);

  // A value per layer: one number for all, or an array of n_layer. Empty where the key is absent or at fault.
  std::vector<std::int64_t> per_layer(const std::string& key, std::int64_t n_layer);

  // Number of elements of an array whose elements have one of these ggml types, as in gguf_type. Nothing
  // where the key is absent (no fault) or of another type (a fault).
  std::optional<std::int64_t> array_size(const std::string& key, std::initializer_list<int> types);
  // The elements of an array of strings; none where the key is absent (no fault) or of another type (a
  // fault).
  std::vector<std::string_view> strings(const std::string& key);

  // Every key with this prefix and suffix.
  std::vector<std::string> keys(std::string_view prefix, std::string_view suffix) const;

  void fault(std::string_view field, std::string_view reason);
  const std::optional<Error>& first_fault() const { return first_fault_; }

 private:
  const GgufFile& file_;
  std::optional<Error> first_fault_;
};

}  // namespace skimfill
