#include "model/metadata.h"

#include <gguf.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace skimfill {
namespace {

template <class T>
struct Getter;
template <>
struct Getter<std::uint16_t> {
  static constexpr gguf_type kType = GGUF_TYPE_UINT16;
  static std::uint16_t get(const gguf_context* context, std::int64_t id) {
    return gguf_get_val_u16(context, id);
  }
};
template <>
struct Getter<std::uint32_t> {
  static constexpr gguf_type kType = GGUF_TYPE_UINT32;
  static std::uint32_t get(const gguf_context* context, std::int64_t id) {
    return gguf_get_val_u32(context, id);
  }
};
template <>
struct Getter<std::int32_t> {
  static constexpr gguf_type kType = GGUF_TYPE_INT32;
  static std::int32_t get(const gguf_context* context, std::int64_t id) {
    return gguf_get_val_i32(context, id);
  }
};
template <>
struct Getter<float> {
  static constexpr gguf_type kType = GGUF_TYPE_FLOAT32;
  static float get(const gguf_context* context, std::int64_t id) { return gguf_get_val_f32(context, id); }
};
template <>
struct Getter<std::string> {
  static constexpr gguf_type kType = GGUF_TYPE_STRING;
  static std::string get(const gguf_context* context, std::int64_t id) {
    return gguf_get_val_str(context, id);
  }
};

}  // namespace

bool Metadata::has(const std::string& key) const { return gguf_find_key(file_.context(), key.c_str()) >= 0; }

template <class T>
std::optional<T> Metadata::get(const std::string& key) {
  const std::int64_t id = gguf_find_key(file_.context(), key.c_str());
  if (id < 0) return std::nullopt;
  const gguf_type type = gguf_get_kv_type(file_.context(), id);
  if (type != Getter<T>::kType) {
    fault(key, fmt::format("is of type {}, not {}", gguf_type_name(type), gguf_type_name(Getter<T>::kType)));
    return std::nullopt;
  }
  return Getter<T>::get(file_.context(), id);
}

template <class T>
std::optional<T> Metadata::require(const std::string& key) {
  if (!has(key)) fault(key, "is missing");
  return get<T>(key);
}

template std::optional<std::uint16_t> Metadata::get(const std::string&);
template std::optional<std::uint32_t> Metadata::get(const std::string&);
template std::optional<std::int32_t> Metadata::get(const std::string&);
template std::optional<float> Metadata::get(const std::string&);
template std::optional<std::string> Metadata::get(const std::string&);
template std::optional<std::uint16_t> Metadata::require(const std::string&);
template std::optional<std::uint32_t> Metadata::require(const std::string&);
template std::optional<std::int32_t> Metadata::require(const std::string&);
template std::optional<std::string> Metadata::require(const std::string&);

std::vector<std::int64_t> Metadata::per_layer(const std::string& key, std::int64_t n_layer) {
  const std::int64_t id = gguf_find_key(file_.context(), key.c_str());
  if (id < 0) return {};
  if (gguf_get_kv_type(file_.context(), id) != GGUF_TYPE_ARRAY) {
    const std::optional<std::uint32_t> value = get<std::uint32_t>(key);
    return value ? std::vector<std::int64_t>(static_cast<std::size_t>(n_layer), *value)
                 : std::vector<std::int64_t>();
  }
  const std::optional<std::int64_t> size = array_size(key, {GGUF_TYPE_UINT32, GGUF_TYPE_INT32});
  if (!size) return {};
  if (*size != n_layer) {
    fault(key, fmt::format("has {} values for {} layers", *size, n_layer));
    return {};
  }
  // Both types read as unsigned, as libllama does: a negative one is then too large.
  const auto* values = static_cast<const std::uint32_t*>(gguf_get_arr_data(file_.context(), id));
  return {values, values + n_layer};
}

std::optional<std::int64_t> Metadata::array_size(const std::string& key, std::initializer_list<int> types) {
  const std::int64_t id = gguf_find_key(file_.context(), key.c_str());
  if (id < 0) return std::nullopt;
  const gguf_type type = gguf_get_kv_type(file_.context(), id);
  if (type != GGUF_TYPE_ARRAY) {
    fault(key, fmt::format("is of type {}, not an array", gguf_type_name(type)));
    return std::nullopt;
  }
  const gguf_type element_type = gguf_get_arr_type(file_.context(), id);
  if (std::find(types.begin(), types.end(), static_cast<int>(element_type)) == types.end()) {
    fault(key, fmt::format("is an array of {}", gguf_type_name(element_type)));
    return std::nullopt;
  }
  return static_cast<std::int64_t>(gguf_get_arr_n(file_.context(), id));
}

std::vector<std::string_view> Metadata::strings(const std::string& key) {
  const std::int64_t size = array_size(key, {GGUF_TYPE_STRING}).value_or(0);
  const std::int64_t id = gguf_find_key(file_.context(), key.c_str());
  std::vector<std::string_view> values(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = gguf_get_arr_str(file_.context(), id, i);
  return values;
}

std::vector<std::string> Metadata::keys(std::string_view prefix, std::string_view suffix) const {
  std::vector<std::string> found;
  for (std::int64_t id = 0; id < gguf_get_n_kv(file_.context()); ++id) {
    const std::string_view key = gguf_get_key(file_.context(), id);
    if (key.starts_with(prefix) && key.ends_with(suffix)) found.emplace_back(key);
  }
  return found;
}

void Metadata::fault(std::string_view field, std::string_view reason) {
  if (!first_fault_) first_fault_ = file_fault(file_.path(), field, reason);
}

}  // namespace skimfill
