// One request on its way through the skim: skim, send what was kept, put the account into the reply.
#pragma once

#include <exception>
#include <string>

#include "gateway/dialect/account.h"
#include "gateway/dialect/prompt.h"
#include "gateway/dialect/skim_fields.h"
#include "gateway/request/skim_route.h"
#include "gateway/target/token_count.h"

namespace skimfill {

class SkimmedRequest {
 public:
  SkimmedRequest(Exchange& exchange, const SkimRoute& route, Dialect dialect, std::string body, Prompt prompt,
                 SkimFields fields, Mode mode, asio::any_io_executor executor);

  awaitable<void> run();

 private:
  awaitable<void> work();
  awaitable<void> keep_present();
  awaitable<Result<void>> skim();
  awaitable<void> send_and_reply();
  awaitable<void> reply_events(Upstream& upstream);
  awaitable<void> reply_json(Upstream& upstream);
  awaitable<void> reply_refusal(Upstream& upstream);
  awaitable<std::string> amended(std::string json);
  void log_outcome() const;

  Exchange& exchange_;
  const SkimRoute& route_;
  const Dialect dialect_;
  const std::string body_;
  const Prompt prompt_;
  const SkimFields fields_;
  Mode mode_;
  RequestHead head_;  // as it goes to the target
  TokenCount count_;
  SkimResult skimmed_;
  Account account_;
  bool streaming_ = false;  // the reply has begun as an event stream
  bool retry_ = false;      // the whole prompt did not fit: skim it after all
};

}  // namespace skimfill
