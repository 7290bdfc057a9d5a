// The pages about the server itself. They come at once, however busy the target is.
#pragma once

#include "gateway/http/http_server.h"
#include "gateway/request/context.h"

namespace skimfill {

// Answers GET /health, /metrics, /props and /v1/models where the gateway has its own part in them. False:
// nothing was sent, the request is for the target.
awaitable<bool> answer_page(Exchange& exchange, Context& context);

}  // namespace skimfill
