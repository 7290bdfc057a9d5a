#include "gateway/request/pages.h"

#include <string>

#include "core/build_info.h"
#include "gateway/json/json_members.h"

namespace skimfill {
namespace {

// Well under what makes a health check give up.
constexpr std::chrono::milliseconds kPatience{60};

awaitable<void> reply_metrics(Exchange& exchange, Context& context) {
  Target& target = context.target;
  const auto page = co_await target.metrics_page.get(kPatience);
  ReplyHead head;
  head.result(http::status::ok);
  if (page && page->head.result_int() == 200) {
    target.metrics.update(page->body);
    head = page->head;
  }
  head.set(http::field::content_type, "text/plain; version=0.0.4");
  std::string text = context.metrics.text({.inside = target.places.inside(),
                                           .placed = target.places.placed(),
                                           .places = target.places.parallel(),
                                           .ready = target.ready && !context.draining});
  text += target.metrics.text();
  co_await exchange.reply(std::move(head), text);
}

std::string_view mode_name(Mode mode) {
  switch (mode) {
    case Mode::off:
      return "off";
    case Mode::automatic:
      return "auto";
    case Mode::always:
      break;
  }
  return "always";
}

std::string own_props(const Context& context) {
  const ServeOptions& options = context.options;
  return json_object({{"version", quote_json(kVersion)},
                      {"mode", quote_json(mode_name(options.mode))},
                      {"skimmer", context.skim.run ? quote_json(context.skim.description) : "null"},
                      {"parallel", std::to_string(context.target.places.parallel())},
                      {"max_queue", std::to_string(options.max_queue)},
                      {"max_body_bytes", std::to_string(options.limits.max_body_bytes)},
                      {"max_json_depth", std::to_string(options.max_json_depth)}});
}

awaitable<void> reply_props(Exchange& exchange, Context& context) {
  const auto page = co_await context.target.props_page.get(kPatience);
  const std::string own = own_props(context);
  std::string body = json_object({{"skimfill", own}});
  if (page && page->head.result_int() == 200 && check_json(page->body) &&
      JsonView::of(page->body).is(JsonKind::object)) {
    JsonEdits edits(page->body);
    edits.set_members(JsonView::of(page->body), {{"skimfill", own}});
    body = edits.apply();
  }
  co_await exchange.reply_json(200, body);
}

}  // namespace

awaitable<bool> answer_page(Exchange& exchange, Context& context) {
  const Target& target = context.target;
  if (exchange.request.method() != http::verb::get) co_return false;
  const std::string_view path = exchange.request.target();
  if (path == "/metrics") {
    co_await reply_metrics(exchange, context);
    co_return true;
  }
  if (!target.ready || context.draining) co_return false;
  if (target.is_child && (path == "/health" || path == "/v1/health")) {
    co_await exchange.reply_json(200, R"({"status":"ok"})");
    co_return true;
  }
  if (target.is_router) co_return false;
  if (path == "/props") {
    co_await reply_props(exchange, context);
    co_return true;
  }
  // Of a cluster's models each key may see others, so there the answer is the target's own every time.
  if (target.is_child && (path == "/v1/models" || path == "/models")) {
    const auto page = co_await context.target.models_page.get(kPatience);
    if (!page) co_return false;
    co_await exchange.reply(page->head, page->body);
    co_return true;
  }
  co_return false;
}

}  // namespace skimfill
