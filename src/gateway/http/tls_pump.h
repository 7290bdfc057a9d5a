// TLS at the door: a connection is decrypted into one end of a pair of local sockets, so that behind it
// everything is a plain stream.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "gateway/http/asio.h"
#include "skimfill/result.h"

namespace skimfill {

// TLS 1.2 and later. Error: Status::invalid, which names the file.
Result<std::shared_ptr<asio::ssl::context>> load_certificate(const std::string& key_file,
                                                             const std::string& cert_file);

// Shakes hands, hands over the plain end, and carries bytes, closings and half-closings both ways until both
// sides are done. Holds no more than a buffer each way: a side that does not read stops the other.
awaitable<void> pump_tls(StreamSocket outer, std::shared_ptr<asio::ssl::context> context,
                         std::function<void(StreamSocket)> on_connection);

}  // namespace skimfill
