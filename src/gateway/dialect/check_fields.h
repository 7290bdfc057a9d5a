// The fields of a request that hold one value: what each takes, by one table for all of OpenAI's forms and
// one for Anthropic's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/dialect/dialect.h"
#include "gateway/json/json_edit.h"
#include "skimfill/result.h"

namespace skimfill {

// "`place`: expected `what`".
Error unexpected(std::string_view place, std::string_view what);

// `members` are the body's. Of a name that stands there twice, each value is checked.
Result<void> check_fields(Dialect dialect, const std::vector<JsonMember>& members);

}  // namespace skimfill
