// One answer's events put together, a dialect each.
#pragma once

#include <memory>
#include <string>

#include "gateway/dialect/reply.h"
#include "gateway/json/json_members.h"

namespace skimfill {

class Assembly {
 public:
  virtual ~Assembly() = default;
  // `data` is an object, of any event but errors and progress.
  virtual void add(const JsonView& data) = 0;
  virtual std::string reply() const = 0;
};

std::unique_ptr<Assembly> make_choices_assembly();   // chat and completion
std::unique_ptr<Assembly> make_message_assembly();   // messages
std::unique_ptr<Assembly> make_response_assembly();  // responses

// A text that comes in pieces, each a JSON string. They are joined as they are escaped, none is decoded.
class JoinedText {
 public:
  void add(const JsonView& piece) { inner_ += piece.bytes().substr(1, piece.bytes().size() - 2); }
  std::string json() const { return '"' + inner_ + '"'; }

 private:
  std::string inner_;
};

}  // namespace skimfill
