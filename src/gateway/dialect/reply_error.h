// The target's error events, as what an unstreamed request gets.
#pragma once

#include <string_view>

#include "gateway/dialect/reply.h"

namespace skimfill {

// `error_json` is an object: an error in any form.
ReplyAssembler::Failure failure_of(Dialect dialect, std::string_view error_json);

}  // namespace skimfill
