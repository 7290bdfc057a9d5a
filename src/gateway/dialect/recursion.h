// What a target reads by calling itself once a level. llama.cpp's readers of grammars and schemas have no
// bound of their own: the process dies of a deep one, and every answer under way with it.
#pragma once

#include <string_view>

#include "gateway/json/json_edit.h"
#include "skimfill/result.h"

namespace skimfill {

// Errors: Status::invalid naming `place`.

// A GBNF grammar. Each bracket is a level, and so is each rule that begins with another.
Result<void> check_grammar(std::string_view grammar, std::string_view place);

// A JSON schema, or what holds one. References can chain all of its definitions into one another.
Result<void> check_schema(const JsonView& schema, std::string_view place);

}  // namespace skimfill
