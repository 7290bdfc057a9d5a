#include "gateway/request/skim_route.h"

#include "gateway/dialect/skim_fields.h"
#include "gateway/http/async.h"
#include "gateway/request/proxy.h"
#include "gateway/request/skimmed_request.h"

namespace skimfill {
namespace {

// Bodies up to this size are read where they are: sooner done than handed over.
constexpr std::size_t kQuickBytes = 256 << 10;

struct Reading {
  std::string body;  // as it goes on: without our own field
  SkimFields fields;
  Mode mode = Mode::off;
  Prompt prompt;  // read unless the mode is off
};

// Checks what every JSON body must be, and reads what concerns us.
Result<Reading> read_body(std::string body, Dialect dialect, const SkimRoute& route) {
  const int max_depth = route.options.max_json_depth;
  if (looks_like_json(body) && is_deeper_than(body, max_depth)) {
    return Error{Status::invalid, "the body nests deeper than " + std::to_string(max_depth) + " levels"};
  }
  Reading reading;
  if (dialect != Dialect::other) {
    if (Result<void> well_formed = check_json(body, max_depth); !well_formed) return well_formed.error();
    Result<SkimFields> fields = read_skim_fields(JsonView::of(body));
    if (!fields) return fields.error();
    reading.fields = std::move(*fields);
    reading.mode = reading.fields.mode.value_or(route.options.mode);
    body = without_member(std::move(body), kSkimMember);
  }
  reading.body = std::move(body);
  if (reading.mode == Mode::off) return reading;
  if (!route.skim) {
    return Error{
        Status::unsupported,
        "skim.mode: no drafter is loaded; start the server with --prefill-drafter, or leave the skim off"};
  }
  Result<Prompt> prompt = read_prompt(dialect, JsonView::of(reading.body));
  if (!prompt) return prompt.error();
  reading.prompt = std::move(*prompt);
  return reading;
}

}  // namespace

awaitable<void> handle(Exchange& exchange, const SkimRoute& route) {
  const std::string_view target = exchange.request.target();
  if (!target.starts_with('/') && target != "*") {
    co_return co_await exchange.reply_error(400, "the request's target is not a path",
                                            "invalid_request_error");
  }
  const bool posts = exchange.request.method() == http::verb::post;
  const Task task = posts ? task_of(target) : Task{};
  const Dialect dialect = task.kind == Task::Kind::generate ? task.dialect : Dialect::other;
  std::string body = std::move(exchange.request.body());
  const bool is_quick = body.size() <= kQuickBytes;
  auto read = [&](std::stop_token) { return read_body(std::move(body), dialect, route); };
  Result<Reading> reading = is_quick ? read({}) : Error{};
  if (!is_quick) reading = co_await on_pool(route.workers, read);
  if (!reading) co_return co_await exchange.reply_error(reading.error());
  if (reading->mode == Mode::off) co_return co_await pass_through(exchange, route.target, reading->body);
  SkimmedRequest request(exchange, route, dialect, std::move(reading->body), std::move(reading->prompt),
                         std::move(reading->fields), reading->mode, co_await asio::this_coro::executor);
  co_await request.run();
}

}  // namespace skimfill
