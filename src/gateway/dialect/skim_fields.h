// The `skim` object of a request body: what this one client wants of the skim.
//
//   "skim": {"mode": "off"|"auto"|"always", "keep_ratio": 0.1, "budget": 2000, "question": "…",
//            "spans": true, "progress": true}
//
// It is ours alone and never reaches the target. Null, for the object or a field, means the server's setting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/json/json_edit.h"
#include "skimfill/result.h"
#include "skimfill/skimfill.h"

namespace skimfill {

inline constexpr std::string_view kSkimMember = "skim";

struct SkimFields {
  std::optional<Mode> mode;
  std::optional<double> keep_ratio;
  std::optional<std::int64_t> budget_tokens;
  std::string question;
  bool spans = false;     // list what was kept
  bool progress = false;  // tell a stream's client of queue, skim and prefill
};

// Error: Status::invalid, naming the field and what it takes. Unknown fields are errors too: a misspelt wish
// would otherwise be ignored in silence.
Result<SkimFields> read_skim_fields(const JsonView& body);

}  // namespace skimfill
