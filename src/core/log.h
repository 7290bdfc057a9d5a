// The program's log: one line an event, to stderr, through spdlog. Never prompts, replies or keys.
#pragma once

#include <spdlog/spdlog.h>

namespace skimfill::log {

using spdlog::debug;
using spdlog::error;
using spdlog::info;
using spdlog::warn;

}  // namespace skimfill::log
