#include "gateway/request/route.h"

#include <algorithm>

#include "gateway/dialect/check.h"
#include "gateway/dialect/llama_server.h"
#include "gateway/dialect/reply.h"
#include "gateway/http/async.h"
#include "gateway/json/json_members.h"
#include "gateway/request/generation.h"
#include "gateway/request/pages.h"
#include "gateway/request/proxy.h"

namespace skimfill {
namespace {

// Bodies up to this size are read where they are: sooner done than handed over.
constexpr std::size_t kQuickBytes = 256 << 10;

bool is_true(const std::vector<JsonMember>& members, std::string_view name) {
  const std::optional<JsonView> value = find_member(members, name);
  return value && value->as_bool();
}

// Where models go by name, only those that were named are skimmed for, unless the request itself says so.
Mode mode_for(const TextRequest& request, const Context& context, bool is_router) {
  if (request.fields.mode) return *request.fields.mode;
  const std::vector<std::string>& models = context.options.prefill_models;
  if (models.empty()) return is_router ? Mode::off : context.options.mode;
  const bool is_named = std::find(models.begin(), models.end(), request.model) != models.end();
  return is_named ? context.options.mode : Mode::off;
}

// Checks what every JSON body must be, and reads what concerns us. On any thread.
Result<TextRequest> read_body(std::string body, const Task& task, const Context& context, bool is_router) {
  const BodyLimits limits{.max_depth = context.options.max_json_depth};
  if (looks_like_json(body) && is_deeper_than(body, limits.max_depth)) {
    return Error{Status::invalid,
                 "the body nests deeper than " + std::to_string(limits.max_depth) + " levels"};
  }
  TextRequest reading;
  reading.dialect = task.dialect;
  // An upload of a file for transcription is no JSON.
  if (task.kind != Task::Kind::other && (task.kind != Task::Kind::compute || looks_like_json(body))) {
    if (Result<void> formed = check_json(body, limits.max_depth); !formed) return formed.error();
    if (Result<void> checked = check_body(task, JsonView::of(body), limits); !checked) return checked.error();
  }
  if (task.kind == Task::Kind::generate) {
    Result<SkimFields> fields = read_skim_fields(JsonView::of(body));
    if (!fields) return fields.error();
    reading.fields = std::move(*fields);
    body = without_member(std::move(body), kSkimMember);
    const JsonView view = JsonView::of(body);
    const std::vector<JsonMember> members = view.members();
    reading.streams = is_true(members, "stream");
    reading.wants_progress = is_true(members, "return_progress");
    reading.may_stream = !context.options.child_is_verbose && is_streamable(task.dialect, view);
    reading.model = string_of(members, "model").value_or("");
    reading.mode = mode_for(reading, context, is_router);
  }
  if (context.target.is_child && task.dialect != Dialect::other)
    body = for_llama_server(task.dialect, std::move(body));
  reading.body = std::move(body);
  if (reading.mode == Mode::off) return reading;
  if (!context.skim.run) {
    return Error{
        Status::unsupported,
        "skim.mode: no drafter is loaded; start the server with --prefill-drafter, or leave the skim off"};
  }
  reading.prompt = read_prompt(task.dialect, JsonView::of(reading.body));
  return reading;
}

awaitable<void> refuse(Exchange& exchange, const Task& task, const Failure& failure) {
  const std::string body = error_body(task.dialect, failure.status, failure.message, failure.type);
  co_await exchange.reply(failure.head(), body);
}

// The web page shows by itself that a model is loading.
bool is_web_page(const Exchange& exchange) {
  std::string_view path = exchange.request.target();
  path = path.substr(0, path.find('?'));
  return exchange.request.method() == http::verb::get &&
         (path == "/" || path.substr(path.rfind('/')).find('.') != path.npos);
}

}  // namespace

awaitable<void> handle(Exchange& exchange, Context& context) {
  Task task;
  if (!exchange.request.target().starts_with('/') && exchange.request.target() != "*") {
    co_return co_await refuse(exchange, task, bad_request("the request's target is not a path"));
  }
  if (co_await answer_page(exchange, context)) co_return;
  const bool posts = exchange.request.method() == http::verb::post;
  if (posts) task = task_of(exchange.request.target());
  if (context.draining) {
    exchange.close_afterwards();
    co_return co_await refuse(exchange, task, unavailable("the server is stopping"));
  }
  if (!context.target.ready && !is_web_page(exchange)) {
    co_return co_await refuse(exchange, task, unavailable("Loading model"));
  }

  std::string body = std::move(exchange.request.body());
  const bool is_quick = body.size() <= kQuickBytes;
  const bool is_router = context.target.is_router;
  auto read = [&](std::stop_token) { return read_body(std::move(body), task, context, is_router); };
  Result<TextRequest> reading = is_quick ? read({}) : Error{};
  if (!is_quick) reading = co_await on_pool(context.workers, read);
  if (!reading) co_return co_await refuse(exchange, task, failure_of(reading.error()));

  if (task.kind != Task::Kind::generate && task.kind != Task::Kind::compute) {
    co_return co_await pass_through(exchange, context.target.endpoint, reading->body);
  }
  std::optional<Admission::Visit> visit = context.target.places.enter();
  if (!visit) {
    context.metrics.count_request(task.dialect, Metrics::Outcome::sent_away);
    co_return co_await refuse(exchange, task, house_full());
  }
  if (task.kind == Task::Kind::compute) {
    co_await visit->take_place();
    co_return co_await pass_through(exchange, context.target.endpoint, reading->body);
  }
  Generation generation(exchange, context, std::move(*reading), std::move(*visit),
                        co_await asio::this_coro::executor);
  co_await generation.run();
}

}  // namespace skimfill
