// One request for text on its way: skim, wait for a place, send what was kept, put the account into the
// reply.
#pragma once

#include <optional>
#include <string>

#include "gateway/dialect/account.h"
#include "gateway/dialect/prompt.h"
#include "gateway/dialect/skim_fields.h"
#include "gateway/request/context.h"
#include "gateway/request/reply_writer.h"
#include "gateway/target/token_count.h"

namespace skimfill {

// A request's body, read.
struct TextRequest {
  Dialect dialect = Dialect::other;
  std::string body;  // as it goes on: without our own field
  SkimFields fields;
  std::string model;  // as the client names it
  Mode mode = Mode::off;
  Prompt prompt;                // its passages only where the mode is not off
  bool streams = false;         // the client wants events
  bool may_stream = false;      // the target may send events whatever the client wants
  bool wants_progress = false;  // of prefill, by llama-server's own field
};

class Generation {
 public:
  // All must outlive run().
  Generation(Exchange& exchange, Context& context, TextRequest reading, Admission::Visit visit,
             asio::any_io_executor executor);

  awaitable<void> run();

 private:
  awaitable<void> work();
  awaitable<void> keep_present();
  awaitable<std::optional<Failure>> skim();
  awaitable<ReplyWriter::End> ask_target(bool alone);
  std::string body_to_send() const;
  void count_outcome() const;

  Exchange& exchange_;
  Context& context_;
  const TextRequest reading_;
  Mode mode_;
  Admission::Visit visit_;
  RequestHead head_;  // as it goes to the target
  TokenCount count_;
  SkimResult skimmed_;
  Account account_;
  ReplyWriter writer_;
};

}  // namespace skimfill
