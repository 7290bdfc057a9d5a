// The target's answer as an event stream: read event by event, amended where the account belongs, and either
// sent on as it is or put together into the one object that an unstreamed request gets. One result, two
// writers: both agree field for field. No socket here: bytes in, bytes out.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/dialect/account.h"
#include "gateway/dialect/dialect.h"
#include "gateway/dialect/sse.h"

namespace skimfill {

// One event of the target's stream, as it came, with the blank line that ends it. An error's has the
// dialect's own form.
struct ReplyEvent {
  enum class Part {
    plain,     // goes on as it is: text, comments, unknown events
    progress,  // llama-server's prompt_progress and nothing else of value: for those who asked for it
    start,     // carries the prompt's counts (Anthropic's message_start): amend_start()
    last,      // carries usage and times: amend_last()
    end,       // the mark behind the last one ([DONE], message_stop)
    error,     // the target's own error: nothing follows
  };
  Part part = Part::plain;
  bool has_text = false;  // generated text, reasoning or a tool call is in it
  std::string bytes;
};

// Cuts a stream into events and tells what each is. Which event is the last one with JSON shows in some
// dialects only when the next one arrives, so such events are held back until then.
//
// Where llama-server's first token is half a character, its messages lack the message_start that clients
// insist on; and it opens a content block again where its last event has more of it. The one is added, the
// other left out.
class ReplyReader {
 public:
  // `model`: what the client calls it, for a message_start that is added.
  explicit ReplyReader(Dialect dialect, std::string model = {})
      : dialect_(dialect), model_(std::move(model)) {}

  void feed(std::string_view piece);  // what arrived, in pieces of any size
  void finish();                      // the target has ended its stream

  // The next event that is known; nothing until more is fed.
  std::optional<ReplyEvent> next();

  // Whether the answer is complete: its last event or an error was seen. Asked after finish() and the last
  // next().
  bool complete() const { return complete_; }

 private:
  void take(std::string bytes);
  void take_chunk(ReplyEvent event, const std::vector<JsonMember>& members);
  void take_message_event(ReplyEvent event, const std::vector<JsonMember>& members);
  void take_response_event(ReplyEvent event, const std::vector<JsonMember>& members);
  void take_error(ReplyEvent event, std::string_view data);
  void let_go(ReplyEvent::Part part);

  const Dialect dialect_;
  const std::string model_;
  SseSplitter splitter_;
  std::deque<ReplyEvent> ready_;
  std::optional<ReplyEvent> held_;  // may be the last one with JSON
  bool finished_ = false;
  bool started_ = false;          // seen: a chunk, message_start or response.in_progress
  bool ending_ = false;           // chat and completion: a choice is finished
  std::int64_t last_block_ = -1;  // messages: the content block that was opened last
  bool complete_ = false;
};

// The event with what the client sent as its counts, and with times and `skim`. The start's counts are noted
// in the account.
std::string amend_start(Dialect dialect, std::string event, Account& account);
std::string amend_last(Dialect dialect, std::string event, const Account& account);

class Assembly;

// Puts the events of one answer together into the object that an unstreamed request gets.
class ReplyAssembler {
 public:
  explicit ReplyAssembler(Dialect dialect);
  ~ReplyAssembler();
  ReplyAssembler(ReplyAssembler&&) noexcept;
  ReplyAssembler& operator=(ReplyAssembler&&) noexcept;
  void add(const ReplyEvent& event);  // each one, amended where it was

  // The reply's JSON. Only after a complete answer without an error.
  std::string reply() const;
  // The target's error event as a status and a body, where there was one.
  struct Failure {
    unsigned status;
    std::string body;
  };
  std::optional<Failure> failure() const { return failure_; }

 private:
  Dialect dialect_;
  std::unique_ptr<Assembly> assembly_;
  std::optional<Failure> failure_;
};

// Whether an unstreamed request's answer can be put together from a stream. Not where it asks for what a
// stream does not carry (logprobs, several answers or prompts, response_fields, __verbose), or for what it
// carries in another form.
bool is_streamable(Dialect dialect, const JsonView& body);
// The body that asks for a stream in place of one object, with usage and with progress of the prefill, as
// llama-server understands it.
std::string as_stream_request(Dialect dialect, std::string_view body);
// The body of a request that is streamed anyway, with progress of the prefill asked for.
std::string with_progress_request(std::string_view body);

// Errors in the dialect's own form. An event is whole, with its blank line; `error_json` is an object, an
// error in any form. Chat and completion: {"error": {"code", "message", "type"}}. Messages: {"type": "error",
// "error":
// {"type", "message"}}, with Anthropic's types; the event is named "error", which makes its client raise.
// Responses: as chat, and the event as OpenAI documents it, {"type": "error", "code", "message", "param"},
// with the `error` member that makes its client raise.
std::string error_body(Dialect dialect, unsigned status, std::string_view message, std::string_view type);
std::string error_event(Dialect dialect, std::string_view error_json);

// An event that tells a client that asked for it what is going on. `stage`: "queued", "skimmed". The member
// `skim_progress` {"stage", "ms"} stands in what clients who do not know it step over: a chunk without
// choices, a ping, an event of an unknown type. (OpenAI's client.responses.stream() wants response.created
// first.)
std::string progress_event(Dialect dialect, std::string_view stage, double done_ms);

}  // namespace skimfill
