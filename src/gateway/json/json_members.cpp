#include "gateway/json/json_members.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace skimfill {

std::vector<JsonMember> members_of(const std::optional<JsonView>& value) {
  return value ? value->members() : std::vector<JsonMember>();
}

std::vector<JsonView> elements_of(const std::vector<JsonMember>& members, std::string_view name) {
  const std::optional<JsonView> list = find_member(members, name);
  return list ? list->elements() : std::vector<JsonView>();
}

std::optional<double> number_of(const std::vector<JsonMember>& members, std::string_view name) {
  const std::optional<JsonView> value = find_member(members, name);
  if (!value || !value->is(JsonKind::number)) return std::nullopt;
  return value->as_number();
}

std::optional<std::int64_t> integer_of(const std::vector<JsonMember>& members, std::string_view name) {
  const std::optional<JsonView> value = find_member(members, name);
  return value ? value->as_integer() : std::nullopt;
}

std::optional<std::string> string_of(const std::vector<JsonMember>& members, std::string_view name) {
  const std::optional<JsonView> value = find_member(members, name);
  if (!value || !value->is(JsonKind::string)) return std::nullopt;
  return value->as_string();
}

bool has_value(const std::vector<JsonMember>& members, std::string_view name) {
  const std::optional<JsonView> value = find_member(members, name);
  return value && !value->is(JsonKind::null);
}

std::string json_object(const JsonMembers& members) {
  std::string json = "{";
  for (const auto& [name, value] : members) {
    if (json.size() > 1) json += ',';
    json += quote_json(name) + ':' + value;
  }
  return json + '}';
}

std::string json_array(const std::vector<std::string>& elements) {
  std::string json = "[";
  for (const std::string& element : elements) {
    if (json.size() > 1) json += ',';
    json += element;
  }
  return json + ']';
}

std::string json_number(double value) {
  std::array<char, 32> text;
  const double micro = std::round(value * 1000) / 1000;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), micro + 0.0).ptr};
}

std::string openai_error(unsigned status, std::string_view message, std::string_view type) {
  return json_object({{"error", json_object({{"code", std::to_string(status)},
                                             {"message", quote_json(message)},
                                             {"type", quote_json(type)}})}});
}

void put_member(JsonMembers& members, std::string_view name, std::string_view json) {
  const auto old =
      std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.first == name; });
  if (old == members.end()) {
    members.emplace_back(name, json);
  } else if (json != "null") {
    old->second = json;
  }
}

}  // namespace skimfill
