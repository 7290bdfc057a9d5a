#include "gateway/dialect/dialect.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace skimfill {
namespace {

struct Route {
  std::string_view path;
  Task task;
};

// The first that a path ends with is the one: the chat's path ends like the completions'.
constexpr std::array<Route, 15> kRoutes = {{
    {"/chat/completions", {Dialect::chat, Task::Kind::generate}},
    {"/completions", {Dialect::completion, Task::Kind::generate}},
    {"/completion", {Dialect::completion, Task::Kind::generate}},
    {"/messages", {Dialect::messages, Task::Kind::generate}},
    {"/responses", {Dialect::responses, Task::Kind::generate}},
    {"/chat/completions/input_tokens", {Dialect::chat, Task::Kind::count}},
    {"/messages/count_tokens", {Dialect::messages, Task::Kind::count}},
    {"/responses/input_tokens", {Dialect::responses, Task::Kind::count}},
    {"/apply-template", {Dialect::chat, Task::Kind::count}},
    {"/infill", {Dialect::other, Task::Kind::compute}},
    {"/embedding", {Dialect::other, Task::Kind::compute}},
    {"/embeddings", {Dialect::other, Task::Kind::compute}},
    {"/rerank", {Dialect::other, Task::Kind::compute}},
    {"/reranking", {Dialect::other, Task::Kind::compute}},
    {"/audio/transcriptions", {Dialect::other, Task::Kind::compute}},
}};

// A target decodes a path before it looks for the route, so "/complet%69on" must not slip past us.
std::string without_escapes(std::string_view path) {
  std::string plain;
  for (std::size_t i = 0; i < path.size(); ++i) {
    unsigned char byte = 0;
    const char* digits = path.data() + i + 1;
    if (path[i] == '%' && i + 2 < path.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      plain += static_cast<char>(byte);
      i += 2;
    } else {
      plain += path[i];
    }
  }
  return plain;
}

}  // namespace

Task task_of(std::string_view path) {
  const std::string plain = without_escapes(path.substr(0, path.find('?')));
  const auto route =
      std::find_if(kRoutes.begin(), kRoutes.end(), [&](const Route& r) { return plain.ends_with(r.path); });
  return route == kRoutes.end() ? Task{} : route->task;
}

std::string_view name_of(Dialect dialect) {
  switch (dialect) {
    case Dialect::chat:
      return "chat";
    case Dialect::completion:
      return "completion";
    case Dialect::messages:
      return "messages";
    case Dialect::responses:
      return "responses";
    case Dialect::other:
      break;
  }
  return "other";
}

}  // namespace skimfill
