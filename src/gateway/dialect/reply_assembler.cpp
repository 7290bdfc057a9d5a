#include "gateway/dialect/reply_assembly.h"
#include "gateway/dialect/reply_error.h"

namespace skimfill {
namespace {

std::unique_ptr<Assembly> make_assembly(Dialect dialect) {
  if (dialect == Dialect::messages) return make_message_assembly();
  return dialect == Dialect::responses ? make_response_assembly() : make_choices_assembly();
}

}  // namespace

ReplyAssembler::ReplyAssembler(Dialect dialect) : dialect_(dialect), assembly_(make_assembly(dialect)) {}

ReplyAssembler::~ReplyAssembler() = default;
ReplyAssembler::ReplyAssembler(ReplyAssembler&&) noexcept = default;
ReplyAssembler& ReplyAssembler::operator=(ReplyAssembler&&) noexcept = default;

void ReplyAssembler::add(const ReplyEvent& event) {
  const std::optional<ByteRange> range = sse_object(event.bytes);
  if (!range || event.part == ReplyEvent::Part::progress) return;
  const std::string_view data = std::string_view(event.bytes).substr(range->begin, range->end - range->begin);
  if (event.part == ReplyEvent::Part::error) {
    failure_ = failure_of(dialect_, data);
  } else {
    assembly_->add(JsonView::of(data));
  }
}

std::string ReplyAssembler::reply() const { return assembly_->reply(); }

}  // namespace skimfill
