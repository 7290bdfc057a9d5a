#include <algorithm>
#include <array>

#include "gateway/dialect/reply.h"
#include "gateway/json/json_members.h"

namespace skimfill {
namespace {

// What a reply in one piece has and a stream lacks, or has in another form. `most`: a number up to which it
// asks for nothing more than a stream gives.
struct Wish {
  std::string_view name;
  double most = 0;
};
constexpr std::array kUnstreamed = {
    Wish{"logprobs"},
    Wish{"stop"},  // streams lose what they hold back for it when the tokens end
    Wish{"stop_sequences"},
    Wish{"top_logprobs"},
    Wish{"n_probs"},
    Wish{"prompt_logprobs"},
    Wish{"n", 1},
    Wish{"n_cmpl", 1},
    Wish{"best_of", 1},
    Wish{"use_beam_search"},
    Wish{"response_fields"},
    Wish{"verbose"},
    Wish{"return_tokens"},  // streams leave out those that end inside a character
    Wish{"return_token_ids"},
    Wish{"return_hidden_states"},
    Wish{"reasoning_format"},        // one of its values acts in streams only
    Wish{"continue_final_message"},  // streams leave out what is continued
    Wish{"background"},              // answered before there is anything to stream
};

bool asks(const JsonView& value, double most) {
  switch (value.kind()) {
    case JsonKind::null:
      return false;
    case JsonKind::boolean:
      return value.as_bool();
    case JsonKind::number:
      return value.as_number() > most;
    default:
      return true;
  }
}

// llama-server sends the text that an assistant's last message begins with its first progress, and the role
// once more than clients expect.
bool continues_an_answer(const std::vector<JsonMember>& body) {
  const std::optional<JsonView> messages = find_member(body, "messages");
  if (!messages) return false;
  const std::vector<JsonView> list = messages->elements();
  return !list.empty() && string_of(list.back().members(), "role") == "assistant";
}

}  // namespace

bool is_streamable(Dialect dialect, const JsonView& body) {
  const std::vector<JsonMember> members = body.members();
  if (dialect == Dialect::completion) {
    const std::optional<JsonView> prompt = find_member(members, "prompt");
    if (prompt && prompt->is(JsonKind::array)) return false;
  }
  return std::none_of(kUnstreamed.begin(), kUnstreamed.end(), [&](const Wish& wish) {
    const std::optional<JsonView> value = find_member(members, wish.name);
    return value && asks(*value, wish.most);
  });
}

std::string as_stream_request(Dialect dialect, std::string_view body) {
  const JsonView view = JsonView::of(body);
  JsonEdits edits(body);
  JsonMembers wishes{{"stream", "true"}, {"return_progress", "true"}};
  if (dialect == Dialect::chat || dialect == Dialect::completion) {
    const std::optional<JsonView> options = view.find("stream_options");
    if (options && options->is(JsonKind::object)) {
      edits.set_members(*options, {{"include_usage", "true"}});
    } else {
      put_member(wishes, "stream_options", R"({"include_usage":true})");
    }
  }
  edits.set_members(view, wishes);
  return edits.apply();
}

std::string with_progress_request(std::string_view body) {
  const JsonView view = JsonView::of(body);
  JsonEdits edits(body);
  if (!continues_an_answer(view.members())) edits.set_members(view, {{"return_progress", "true"}});
  return edits.apply();
}

}  // namespace skimfill
