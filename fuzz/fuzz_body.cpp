// Any bytes as a request's body: refused, or read and spliced so that what we did not touch is what the
// client sent.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gateway/dialect/check.h"
#include "gateway/dialect/llama_server.h"
#include "gateway/dialect/prompt.h"
#include "gateway/dialect/reply.h"
#include "gateway/dialect/skim_fields.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void splice(skimfill::Dialect dialect, const std::string& body, const skimfill::BodyLimits& limits) {
  using skimfill::JsonView;
  const skimfill::Prompt prompt = skimfill::read_prompt(dialect, JsonView::of(body));
  require(skimfill::with_texts(body, prompt, prompt.texts) == body);
  // Each text in reverse: another length once it is written as JSON, and back again.
  std::vector<std::string> halves = prompt.texts;
  for (std::string& text : halves) text = "\"kept\" \\ " + std::string(text.size() / 2, '\n');
  const std::string skimmed = skimfill::with_texts(body, prompt, halves);
  require(skimfill::check_json(skimmed, limits.max_depth).ok());
  const skimfill::Prompt again = skimfill::read_prompt(dialect, JsonView::of(skimmed));
  require(again.texts == halves);
  require(skimfill::check_json(skimfill::for_llama_server(dialect, skimmed), limits.max_depth).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skimfill;
  const BodyLimits limits{.max_depth = 64, .max_messages = 1000};
  const std::string body(reinterpret_cast<const char*>(data), size);
  if (is_deeper_than(body, limits.max_depth) || !check_json(body, limits.max_depth)) return 0;
  const JsonView view = JsonView::of(body);
  (void)read_skim_fields(view);
  const std::string without = without_member(body, kSkimMember);
  require(check_json(without, limits.max_depth).ok());
  require(!JsonView::of(without).find(kSkimMember));
  for (const Dialect dialect : {Dialect::chat, Dialect::completion, Dialect::messages, Dialect::responses}) {
    if (!check_body({dialect, Task::Kind::generate}, view, limits)) continue;
    splice(dialect, body, limits);
    if (is_streamable(dialect, view))
      require(check_json(as_stream_request(dialect, body), limits.max_depth + 1).ok());
    require(check_json(with_progress_request(body), limits.max_depth).ok());
  }
  return 0;
}
