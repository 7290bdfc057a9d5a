#include <chrono>

#include "gateway/dialect/reply_assembly.h"

namespace skimfill {
namespace {

class ResponseAssembly : public Assembly {
 public:
  void add(const JsonView& data) override {
    const std::optional<JsonView> response = data.find("response");
    if (response && response->is(JsonKind::object)) response_ = response->bytes();
  }

  // The last event has the whole reply, but for what llama-server leaves out of it in streams.
  std::string reply() const override {
    const JsonView response = JsonView::of(response_);
    const std::vector<JsonMember> members = response.members();
    JsonEdits edits(response_);
    const std::optional<JsonView> output = find_member(members, "output");
    for (const JsonView& item : output ? output->elements() : std::vector<JsonView>()) {
      if (item.is(JsonKind::object) && !item.find("status")) {
        edits.set_members(item, {{"status", "\"completed\""}});
      }
    }
    if (!find_member(members, "completed_at") && string_of(members, "status") == "completed") {
      const auto now = std::chrono::system_clock::now().time_since_epoch();
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
      edits.set_members(response, {{"completed_at", std::to_string(seconds)}});
    }
    return edits.apply();
  }

 private:
  std::string response_ = "{}";
};

}  // namespace

std::unique_ptr<Assembly> make_response_assembly() { return std::make_unique<ResponseAssembly>(); }

}  // namespace skimfill
