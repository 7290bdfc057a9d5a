// Forwards the target's event stream: each event unchanged as it comes, the account put into the last one.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "gateway/dialect/sse.h"
#include "gateway/http/http_server.h"
#include "gateway/http/upstream.h"

namespace skimfill {

// Makes the last event's JSON from what the target sent.
using Amend = std::function<awaitable<std::string>(std::string json)>;

class EventForwarder {
 public:
  // `on_text` is called once, when the first generated text has gone out.
  EventForwarder(Exchange& exchange, Amend amend, std::function<void()> on_text)
      : exchange_(exchange), amend_(std::move(amend)), on_text_(std::move(on_text)) {}

  // Takes what arrived; writes the events that are complete.
  awaitable<void> feed(std::string_view piece);

  // The target has ended its stream. False when it did so before the answer was complete.
  awaitable<bool> finish();

 private:
  awaitable<void> forward(std::string event);
  awaitable<void> release(bool is_last);

  Exchange& exchange_;
  const Amend amend_;
  const std::function<void()> on_text_;
  SseSplitter splitter_;
  std::string held_;  // an event that may be the last one with JSON; the next event tells
  bool text_seen_ = false;
  bool complete_ = false;  // the end was seen, or an error that the target reported
};

}  // namespace skimfill
