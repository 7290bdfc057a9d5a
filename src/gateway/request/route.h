// What happens to one request: refused, answered here, passed through, or on its way as a generation.
#pragma once

#include "gateway/http/http_server.h"
#include "gateway/request/context.h"

namespace skimfill {

awaitable<void> handle(Exchange& exchange, Context& context);

}  // namespace skimfill
