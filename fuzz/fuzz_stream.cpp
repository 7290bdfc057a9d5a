// Any bytes as a target's event stream: the pieces that they come in do not matter, what we do not amend goes
// on as it came (two dialects mend gaps of the target's), and an answer put together from it is JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/dialect/reply.h"

namespace {

using namespace skimfill;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Outcome {
  std::vector<std::string> events;
  bool complete = false;
};

Outcome read(Dialect dialect, std::string_view stream, std::size_t piece_bytes) {
  ReplyReader reader(dialect);
  Outcome outcome;
  const auto take = [&] {
    while (auto event = reader.next()) {
      // A start that the target forgot is made up, with an id that is never the same.
      const bool is_start = event->part == ReplyEvent::Part::start;
      outcome.events.push_back(is_start ? "start" : std::move(event->bytes));
    }
  };
  for (std::size_t at = 0; at < stream.size(); at += piece_bytes) {
    reader.feed(stream.substr(at, piece_bytes));
    take();
  }
  reader.finish();
  take();
  outcome.complete = reader.complete();
  return outcome;
}

void amend_and_assemble(Dialect dialect, std::string_view stream) {
  Account account;
  account.streamed = true;
  account.skimmed = true;
  account.skim_json = "{}";
  account.end_ms = 5;
  ReplyReader reader(dialect);
  reader.feed(stream);
  reader.finish();
  ReplyAssembler assembler(dialect);
  while (auto event = reader.next()) {
    if (event->part == ReplyEvent::Part::start)
      event->bytes = amend_start(dialect, std::move(event->bytes), account);
    if (event->part == ReplyEvent::Part::last)
      event->bytes = amend_last(dialect, std::move(event->bytes), account);
    assembler.add(*event);
  }
  if (const auto failure = assembler.failure()) {
    require(failure->status >= 400);
  } else if (reader.complete()) {
    require(check_json(assembler.reply()).ok());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  constexpr Dialect kDialects[] = {Dialect::chat, Dialect::completion, Dialect::messages, Dialect::responses};
  const Dialect dialect = kDialects[data[0] % 4];
  const std::size_t piece_bytes = 1 + data[1] % 32;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Outcome whole = read(dialect, stream, stream.size() + 1);
  const Outcome pieces = read(dialect, stream, piece_bytes);
  require(whole.events == pieces.events);
  require(whole.complete == pieces.complete);
  if (dialect == Dialect::chat || dialect == Dialect::completion) {
    for (std::string_view event : whole.events) {
      while (event.ends_with('\n') || event.ends_with('\r')) event.remove_suffix(1);
      require(stream.find(event) != stream.npos);
    }
  }
  amend_and_assemble(dialect, stream);
  return 0;
}
