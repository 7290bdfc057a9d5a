// The target's answer on its way to the client: as a stream or as one object, with the account put in.
#pragma once

#include <optional>
#include <string>

#include "gateway/dialect/account.h"
#include "gateway/dialect/reply.h"
#include "gateway/http/failure.h"
#include "gateway/http/http_server.h"
#include "gateway/http/upstream.h"
#include "gateway/target/token_count.h"

namespace skimfill {

class ReplyWriter {
 public:
  struct Form {
    Dialect dialect = Dialect::other;
    std::string model;      // as the client names it
    bool streams = false;   // the client wants events
    bool accounts = false;  // times, counts and `skim` are put in
    bool progress = false;  // the client wants to know of queue, skim and prefill
  };

  // How a try to answer ended. Where it is not `done`, nothing of an answer has gone to the client.
  enum class End {
    done,
    too_long,  // the prompt does not fit the target's context: `refusal()` says so
    crowded,   // the target ran out of cache for all its requests together: alone it may fit
  };

  ReplyWriter(Exchange& exchange, Form form, Account& account, TokenCount& count)
      : exchange_(exchange), form_(form), account_(account), count_(count) {}

  // Reads `upstream`'s reply, whose head is there, to its end.
  awaitable<End> write(Upstream& upstream);
  // Sends the target's refusal of a prompt that is too long, after End::too_long.
  awaitable<void> write_refusal();

  // Tells the client: with a status while nothing was sent, else as an error event. The connection closes
  // after it.
  awaitable<void> fail(const Failure& failure);

  // Headers of our own, before the target has answered.
  awaitable<void> begin_stream();
  bool streaming() const { return streaming_; }
  awaitable<void> comment();
  awaitable<void> tell_progress(std::string_view stage, double ms);

  // 200 after a complete answer.
  unsigned status() const { return status_; }

 private:
  awaitable<End> write_events(Upstream& upstream);
  awaitable<void> write_event(Upstream& upstream, ReplyEvent event);
  awaitable<void> write_assembled(Upstream& upstream);
  awaitable<void> write_object(Upstream& upstream);
  awaitable<End> read_refusal(Upstream& upstream);
  awaitable<void> complete_account();

  Exchange& exchange_;
  const Form form_;
  Account& account_;
  TokenCount& count_;
  std::optional<ReplyAssembler> assembler_;  // the client wants one object and the target streams
  std::optional<ReplyHead> refusal_head_;
  std::string refusal_;
  bool streaming_ = false;
  bool answering_ = false;  // a part of the answer has gone out
  unsigned status_ = 0;
};

}  // namespace skimfill
