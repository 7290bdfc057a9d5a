// The forms of API that clients speak, told by a request's path.
#pragma once

#include <cstdint>
#include <string_view>

namespace skimfill {

enum class Dialect {
  other,       // passed through
  chat,        // OpenAI's chat completions: {"messages": [...]}
  completion,  // OpenAI's completions and llama-server's own: {"prompt": "..."}
  messages,    // Anthropic's messages: {"system": ..., "messages": [...]}
  responses,   // OpenAI's responses: {"instructions": ..., "input": ...}
};

// What a POST to a path asks for. A prefix before the known path does not matter.
struct Task {
  enum class Kind {
    other,     // an answer that costs little: passed through
    generate,  // text in one of the dialects: the prompt may be skimmed
    count,     // what a prompt of the dialect comes to, in tokens or as text: never skimmed
    compute,   // takes a slot of the target for something else: embeddings, reranking, infill, transcription
  };
  Dialect dialect = Dialect::other;  // `other` for the kinds other and compute
  Kind kind = Kind::other;
};

// `path` is the request's target; a query behind it is ignored.
Task task_of(std::string_view path);

// "chat", "completion", "messages", "responses", "other": for metrics and logs.
std::string_view name_of(Dialect dialect);

}  // namespace skimfill
