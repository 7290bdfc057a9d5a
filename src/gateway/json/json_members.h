// Members of objects by name and kind, and small objects of our own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/json/json_edit.h"

namespace skimfill {

// Of an object; empty for anything else.
std::vector<JsonMember> members_of(const std::optional<JsonView>& value);

// Of the list that a member is; empty for anything else.
std::vector<JsonView> elements_of(const std::vector<JsonMember>& members, std::string_view name);

// Nothing where the member is missing or of another kind.
std::optional<double> number_of(const std::vector<JsonMember>& members, std::string_view name);
std::optional<std::int64_t> integer_of(const std::vector<JsonMember>& members, std::string_view name);
std::optional<std::string> string_of(const std::vector<JsonMember>& members, std::string_view name);

// True where the member is there and not null.
bool has_value(const std::vector<JsonMember>& members, std::string_view name);

using JsonMembers = std::vector<std::pair<std::string, std::string>>;  // names, and values as JSON

std::string json_object(const JsonMembers& members);
std::string json_array(const std::vector<std::string>& elements);
std::string json_number(double value);  // to three decimals

// {"error":{"code":…,"message":…,"type":…}}, the shape that OpenAI's clients and llama-server's know.
std::string openai_error(unsigned status, std::string_view message, std::string_view type);

// Sets a member. Null replaces nothing.
void put_member(JsonMembers& members, std::string_view name, std::string_view json);

}  // namespace skimfill
