// A page of the target, asked for by ourselves.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "gateway/http/asio.h"
#include "gateway/http/upstream.h"

namespace skimfill {

struct Page {
  ReplyHead head;
  std::string body;
};

// GET `path`. Nothing where the target does not answer within `limit`.
awaitable<std::optional<Page>> fetch_page(const Endpoint& endpoint, std::string path,
                                          std::chrono::milliseconds limit);

}  // namespace skimfill
