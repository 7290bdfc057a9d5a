#include "gateway/http/tls_pump.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "core/log.h"
#include "gateway/http/async.h"

namespace skimfill {
namespace {

using namespace asio::experimental::awaitable_operators;

using TlsStream = asio::ssl::stream<StreamSocket>;
using LocalSocket = asio::local::stream_protocol::socket;

constexpr std::chrono::seconds kHandshakeLimit{10};
constexpr std::chrono::seconds kGoodbyeLimit{1};
// How long a slow client may take for what the server had written when it closed.
constexpr std::chrono::seconds kLastBytesLimit{60};
constexpr std::size_t kBufferBytes = 16 << 10;

awaitable<error_code> shake_hands(TlsStream& tls) {
  const auto [failure] = co_await tls.async_handshake(TlsStream::server, kNothrow);
  co_return failure;
}

template <class From, class To>
awaitable<error_code> copy(From& from, To& to) {
  std::array<char, kBufferBytes> buffer;
  for (;;) {
    const auto [ended, size] = co_await from.async_read_some(asio::buffer(buffer), kNothrow);
    if (ended) co_return error_code();
    const auto [failure, written] = co_await asio::async_write(to, asio::buffer(buffer, size), kNothrow);
    if (failure) co_return failure;
  }
}

// Two directions of one connection; each ends by itself.
class Pump {
 public:
  Pump(TlsStream& tls, LocalSocket& inner)
      : tls_(tls), inner_(inner), goodbye_(inner.get_executor(), asio::steady_timer::time_point::max()) {}

  awaitable<void> run() { co_await ((carry_in() && carry_out()) || last_bytes_late()); }

 private:
  awaitable<void> carry_in();
  awaitable<void> carry_out();
  awaitable<void> server_gone();
  awaitable<void> last_bytes_late();

  TlsStream& tls_;
  LocalSocket& inner_;
  asio::steady_timer goodbye_;  // how long the client may still take to say its own; past when it has
};

awaitable<void> Pump::carry_in() {
  static_cast<void>(co_await copy(tls_, inner_));
  error_code ignored;
  inner_.shutdown(LocalSocket::shutdown_send, ignored);
  goodbye_.expires_at(asio::steady_timer::time_point::min());
}

// Ends carry_in too. A server that has sent its last byte may still read, so that its client sees them.
awaitable<void> Pump::carry_out() {
  // Named, because GCC 12 miscompiles a co_await that an if negates.
  const error_code failure = co_await copy(inner_, tls_);
  if (!failure) {
    if (goodbye_.expiry() == asio::steady_timer::time_point::max()) goodbye_.expires_after(kGoodbyeLimit);
    co_await (tls_.async_shutdown(kNothrow) || goodbye_.async_wait(kNothrow));
    co_await server_gone();
  }
  error_code ignored;
  tls_.next_layer().close(ignored);
}

// Until the server has closed its end, not only its half of it.
awaitable<void> Pump::server_gone() { co_await inner_.async_wait(LocalSocket::wait_error, kNothrow); }

awaitable<void> Pump::last_bytes_late() {
  co_await server_gone();
  co_await sleep_for(kLastBytesLimit);
}

int no_passphrase(char*, int, int, void*) { return 0; }

}  // namespace

Result<std::shared_ptr<asio::ssl::context>> load_certificate(const std::string& key_file,
                                                             const std::string& cert_file) {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  SSL_CTX* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  // OpenSSL would ask for it on the terminal.
  SSL_CTX_set_default_passwd_cb(native, no_passphrase);
  error_code failure;
  context->use_certificate_chain_file(cert_file, failure);
  if (failure) {
    return Error{Status::invalid, "--ssl-cert-file '" + cert_file +
                                      "': no certificate in PEM form can be read: " + failure.message()};
  }
  context->use_private_key_file(key_file, asio::ssl::context::pem, failure);
  // A key of another kind than the certificate's is taken until it is asked for.
  if (!failure && SSL_CTX_check_private_key(native) == 1) return context;
  ::ERR_clear_error();
  return Error{Status::invalid,
               "--ssl-key-file '" + key_file +
                   "': no private key in PEM form without a passphrase that belongs to --ssl-cert-file '" +
                   cert_file + "'" + (failure ? ": " + failure.message() : "")};
}

awaitable<void> pump_tls(StreamSocket outer, std::shared_ptr<asio::ssl::context> context,
                         std::function<void(StreamSocket)> on_connection) {
  const auto executor = co_await asio::this_coro::executor;
  error_code failure;
  outer.set_option(asio::ip::tcp::no_delay(true), failure);
  TlsStream tls(std::move(outer), *context);
  if (const error_code stranger = co_await within(kHandshakeLimit, shake_hands(tls))) {
    log::debug("a client did not speak TLS: {}", stranger.message());
    co_return;
  }
  LocalSocket inner(executor);
  LocalSocket server_end(executor);
  asio::local::connect_pair(inner, server_end, failure);
  if (failure) {
    log::warn("a TLS connection could not be served: {}", failure.message());
    co_return;
  }
  on_connection(std::move(server_end));
  Pump pump(tls, inner);
  co_await pump.run();
}

}  // namespace skimfill
