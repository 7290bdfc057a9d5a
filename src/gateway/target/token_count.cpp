#include "gateway/target/token_count.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <string>

namespace skimfill {
namespace {

using asio::experimental::awaitable_operators::operator||;

// A reply lists all tokens of a prompt where the target has no shorter answer.
constexpr std::size_t kMostBytes = 64 << 20;
constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::seconds kLimit{60};  // a target that does not count must not keep others from asking

std::string counting_path(Dialect dialect, std::string_view path) {
  if (dialect == Dialect::messages) return std::string(path) + "/count_tokens";
  if (dialect != Dialect::completion) return std::string(path) + "/input_tokens";
  path = path.substr(0, path.rfind('/'));
  if (path.ends_with("/v1")) path.remove_suffix(3);
  return std::string(path) + "/tokenize";
}

std::optional<std::int64_t> read_count(std::string_view json) {
  if (!check_json(json)) return std::nullopt;
  const std::vector<JsonMember> members = JsonView::of(json).members();
  if (const auto count = find_member(members, "input_tokens")) return count->as_integer();
  const std::optional<JsonView> tokens = find_member(members, "tokens");
  if (!tokens || !tokens->is(JsonKind::array)) return std::nullopt;
  return static_cast<std::int64_t>(tokens->elements().size());
}

}  // namespace

TokenCount::TokenCount(asio::any_io_executor executor)
    : upstream_(executor),
      ending_(executor, asio::steady_timer::time_point::max()),
      finished_(executor, asio::steady_timer::time_point::max()) {}

awaitable<void> TokenCount::ask(Target& target, const RequestHead& request, Dialect dialect,
                                std::string_view body, const Prompt& prompt) {
  const auto count = [&]() -> awaitable<void> {
    std::optional<Admission::Visit> visit = target.counting.enter();
    if (!visit) co_return;
    co_await visit->take_place();
    tokens_ = co_await request_count(target.endpoint, request, dialect, body, prompt);
  };
  if (!closed_) {
    ending_.expires_after(kLimit);
    co_await (count() || ending_.async_wait(kNothrow));
  }
  done_ = true;
  finished_.cancel();
}

awaitable<std::optional<std::int64_t>> TokenCount::request_count(const Endpoint& endpoint,
                                                                 const RequestHead& request, Dialect dialect,
                                                                 std::string_view body,
                                                                 const Prompt& prompt) {
  RequestHead head = request;
  head.target(counting_path(dialect, std::string(request.target().substr(0, request.target().find('?')))));
  std::string content;
  if (dialect == Dialect::completion) {
    // As the completion itself is tokenized there.
    content =
        "{\"content\":" + quote_json(prompt.texts.front()) + ",\"add_special\":true,\"parse_special\":true}";
    body = content;
  }
  const Result<void> sent = co_await upstream_.send(endpoint, head, body);
  if (!sent) co_return std::nullopt;
  const Result<void> answered = co_await upstream_.read_head();
  if (!answered || upstream_.status() != 200) co_return std::nullopt;
  const Result<std::string> json = co_await upstream_.read_rest(kMostBytes);
  if (!json) co_return std::nullopt;
  co_return read_count(*json);
}

awaitable<std::optional<std::int64_t>> TokenCount::get() {
  if (!done_) {
    finished_.expires_after(kPatience);
    co_await finished_.async_wait(kNothrow);
    done_ = true;  // a reply that asks twice waits once
  }
  co_return tokens_;
}

void TokenCount::close() {
  closed_ = true;
  ending_.cancel();
}

}  // namespace skimfill
