// `skimfill serve`: a llama-server that skims long prompts first.
#pragma once

#include <span>
#include <string>

namespace skimfill {

// `arguments`: what follows the word serve. Returns the exit code.
int run_serve(std::span<const std::string> arguments);

}  // namespace skimfill
