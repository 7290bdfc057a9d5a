#include "gateway/target/token_count.h"

#include <algorithm>
#include <string>

namespace skimfill {
namespace {

// A reply lists all tokens of a prompt where the target has no shorter answer.
constexpr std::size_t kMostBytes = 64 << 20;
constexpr std::chrono::seconds kPatience{5};

std::string tokenize_path(std::string_view completion_path) {
  completion_path = completion_path.substr(0, completion_path.rfind('/'));
  if (completion_path.ends_with("/v1")) completion_path.remove_suffix(3);
  return std::string(completion_path) + "/tokenize";
}

std::optional<std::int64_t> read_count(std::string_view json, Dialect dialect) {
  if (!check_json(json)) return std::nullopt;
  const JsonView reply = JsonView::of(json);
  if (dialect == Dialect::chat) {
    const std::optional<JsonView> tokens = reply.find("input_tokens");
    return tokens ? tokens->as_integer() : std::nullopt;
  }
  const std::optional<JsonView> tokens = reply.find("tokens");
  if (!tokens || !tokens->is(JsonKind::array)) return std::nullopt;
  return static_cast<std::int64_t>(tokens->elements().size());
}

}  // namespace

TokenCount::TokenCount(asio::any_io_executor executor)
    : upstream_(executor), finished_(executor, asio::steady_timer::time_point::max()) {}

awaitable<void> TokenCount::ask(const Endpoint& target, const RequestHead& request, Dialect dialect,
                                std::string_view body, const Prompt& prompt) {
  tokens_ = co_await request_count(target, request, dialect, body, prompt);
  done_ = true;
  finished_.cancel();
}

awaitable<std::optional<std::int64_t>> TokenCount::request_count(const Endpoint& target,
                                                                 const RequestHead& request, Dialect dialect,
                                                                 std::string_view body,
                                                                 const Prompt& prompt) {
  const std::string path(request.target().substr(0, request.target().find('?')));
  RequestHead head = request;
  std::string content;
  if (dialect == Dialect::chat) {
    head.target(path + "/input_tokens");
  } else {
    head.target(tokenize_path(path));
    // As the completion itself is tokenized there.
    content =
        "{\"content\":" + quote_json(prompt.texts.front()) + ",\"add_special\":true,\"parse_special\":true}";
    body = content;
  }
  const Result<void> sent = co_await upstream_.send(target, head, body);
  if (!sent) co_return std::nullopt;
  const Result<void> answered = co_await upstream_.read_head();
  if (!answered || upstream_.status() != 200) co_return std::nullopt;
  const Result<std::string> json = co_await upstream_.read_rest(kMostBytes);
  if (!json) co_return std::nullopt;
  co_return read_count(*json, dialect);
}

awaitable<std::optional<std::int64_t>> TokenCount::get() {
  if (!done_) {
    finished_.expires_after(kPatience);
    co_await finished_.async_wait(kNothrow);
  }
  co_return tokens_;
}

}  // namespace skimfill
