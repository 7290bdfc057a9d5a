#include "gateway/http/listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cerrno>
#include <functional>
#include <list>

#include "core/log.h"
#include "gateway/http/async.h"
#include "gateway/http/tls_pump.h"

namespace skimfill {
namespace {

using asio::ip::tcp;
using Local = asio::local::stream_protocol;

constexpr std::chrono::milliseconds kFlushLimit{1500};

bool is_socket_path(const std::string& host) { return host.ends_with(".sock"); }

Error taken(const std::string& place, const std::string& why) {
  return {Status::unavailable, "cannot listen on " + place + ": " + why};
}

// Removes a socket that nobody listens on any more; a server that was killed leaves one behind.
Result<void> remove_stale(const std::string& path, asio::io_context& io) {
  struct stat file {};
  if (::lstat(path.c_str(), &file) != 0) return {};
  if (!S_ISSOCK(file.st_mode)) return taken(path, "a file of this name exists and is no socket");
  Local::socket probe(io);
  error_code failure;
  probe.connect(Local::endpoint(path), failure);
  if (!failure) return taken(path, "another server listens there");
  if (failure != asio::error::connection_refused) return taken(path, failure.message());
  ::unlink(path.c_str());
  return {};
}

struct UnixDoor {
  Local::acceptor acceptor;
  std::string path;
  dev_t device = 0;  // of our socket file: another server may have put its own in its place
  ino_t inode = 0;
};

class BoundListener final : public Listener {
 public:
  BoundListener(asio::any_io_executor executor, const ListenOptions& options)
      : executor_(std::move(executor)),
        options_(options),
        port_(options.port),
        closed_(executor_, asio::steady_timer::time_point::max()) {}
  ~BoundListener() override { close(); }

  Result<void> bind();

  awaitable<void> accept(std::function<void(StreamSocket)> on_connection) override;
  void close() override;
  awaitable<void> flush() override;
  std::uint16_t port() const override { return tcp_.empty() ? 0 : port_; }
  std::vector<std::string> urls() const override { return urls_; }

 private:
  Result<void> bind_tcp(const std::string& host, bool v6_only);
  Result<void> bind_unix(const std::string& path);
  error_code bind_address(const tcp::endpoint& address, bool v6_only);

  template <class Acceptor>
  awaitable<void> accept_from(Acceptor& acceptor, std::function<void(StreamSocket)> on_socket);

  asio::any_io_executor executor_;
  ListenOptions options_;
  std::uint16_t port_;
  asio::steady_timer closed_;  // cancelled by close()
  std::shared_ptr<asio::ssl::context> tls_;
  std::list<tcp::acceptor> tcp_;
  std::list<UnixDoor> unix_;
  std::vector<std::string> urls_;
  int pumps_ = 0;
};

error_code BoundListener::bind_address(const tcp::endpoint& address, bool v6_only) {
  tcp::acceptor acceptor(executor_);
  error_code failure;
  acceptor.open(address.protocol(), failure);
  if (!failure) acceptor.set_option(tcp::acceptor::reuse_address(true), failure);
  if (!failure && options_.reuse_port) {
    const int on = 1;
    if (::setsockopt(acceptor.native_handle(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) {
      failure.assign(errno, boost::system::system_category());
    }
  }
  if (!failure && address.protocol() == tcp::v6()) acceptor.set_option(asio::ip::v6_only(v6_only), failure);
  if (!failure) acceptor.bind(address, failure);
  if (!failure) acceptor.listen(asio::socket_base::max_listen_connections, failure);
  if (failure) return failure;
  port_ = acceptor.local_endpoint().port();
  tcp_.push_back(std::move(acceptor));
  return {};
}

Result<void> BoundListener::bind_tcp(const std::string& host, bool v6_only) {
  error_code failure;
  tcp::resolver resolver(executor_);
  const auto addresses = resolver.resolve(host, std::to_string(port_), tcp::resolver::passive, failure);
  if (failure) return Error{Status::invalid, "--host '" + host + "' has no address: " + failure.message()};
  for (const auto& address : addresses) {
    failure = bind_address(address.endpoint(), v6_only);
    if (failure) continue;
    const bool is_v6 = host.find(':') != std::string::npos;
    urls_.push_back(std::string(tls_ ? "https://" : "http://") + (is_v6 ? "[" + host + "]" : host) + ":" +
                    std::to_string(port_));
    return {};
  }
  return taken(host + ":" + std::to_string(port_), failure.message() + "; choose another with --port");
}

Result<void> BoundListener::bind_unix(const std::string& path) {
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return Error{Status::invalid, "--host '" + path + "': the path of a socket may have " +
                                      std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " bytes"};
  }
  asio::io_context probing;
  if (Result<void> free = remove_stale(path, probing); !free) return free;
  Local::acceptor acceptor(executor_);
  error_code failure;
  acceptor.open(Local(), failure);
  if (!failure) acceptor.bind(Local::endpoint(path), failure);
  if (!failure) acceptor.listen(asio::socket_base::max_listen_connections, failure);
  if (failure) return taken(path, failure.message());
  struct stat file {};
  ::lstat(path.c_str(), &file);
  unix_.push_back({std::move(acceptor), path, file.st_dev, file.st_ino});
  urls_.push_back("unix:" + path);
  return {};
}

Result<void> BoundListener::bind() {
  if (options_.tls_key_file.empty() != options_.tls_cert_file.empty()) {
    return Error{Status::invalid, "--ssl-key-file and --ssl-cert-file are for each other: give both or none"};
  }
  if (!options_.tls_key_file.empty()) {
    auto loaded = load_certificate(options_.tls_key_file, options_.tls_cert_file);
    if (!loaded) return loaded.error();
    tls_ = std::move(*loaded);
  }
  // Beside others, [::] must not take 0.0.0.0 too.
  const bool v6_only =
      std::count_if(options_.hosts.begin(), options_.hosts.end(), std::not_fn(is_socket_path)) > 1;
  for (const std::string& host : options_.hosts) {
    Result<void> bound = is_socket_path(host) ? bind_unix(host) : bind_tcp(host, v6_only);
    if (!bound) return bound;
  }
  return {};
}

template <class Acceptor>
awaitable<void> BoundListener::accept_from(Acceptor& acceptor, std::function<void(StreamSocket)> on_socket) {
  for (;;) {
    auto [failure, socket] = co_await acceptor.async_accept(kNothrow);
    if (!acceptor.is_open()) co_return;
    if (failure) {
      // Out of file descriptors, or the client was gone already: those that we have go on.
      log::warn("a connection could not be accepted: {}", failure.message());
      co_await sleep_for(std::chrono::milliseconds(100));
      continue;
    }
    on_socket(std::move(socket));
  }
}

awaitable<void> BoundListener::accept(std::function<void(StreamSocket)> on_connection) {
  const auto on_socket = [this, on_connection](StreamSocket socket) {
    if (!tls_) return on_connection(std::move(socket));
    ++pumps_;
    asio::co_spawn(executor_, pump_tls(std::move(socket), tls_, on_connection),
                   [this](std::exception_ptr) { --pumps_; });
  };
  for (auto& acceptor : tcp_) asio::co_spawn(executor_, accept_from(acceptor, on_socket), asio::detached);
  for (UnixDoor& door : unix_) {
    asio::co_spawn(executor_, accept_from(door.acceptor, on_socket), asio::detached);
  }
  co_await closed_.async_wait(kNothrow);
}

void BoundListener::close() {
  error_code ignored;
  for (tcp::acceptor& acceptor : tcp_) acceptor.close(ignored);
  for (UnixDoor& door : unix_) {
    if (!door.acceptor.is_open()) continue;
    door.acceptor.close(ignored);
    struct stat file {};
    const bool is_ours =
        ::lstat(door.path.c_str(), &file) == 0 && file.st_dev == door.device && file.st_ino == door.inode;
    if (is_ours) ::unlink(door.path.c_str());
  }
  closed_.cancel();
}

awaitable<void> BoundListener::flush() {
  const auto all_done = [this]() -> awaitable<error_code> {
    while (pumps_ > 0) co_await sleep_for(std::chrono::milliseconds(5));
    co_return error_code();
  };
  static_cast<void>(co_await within(kFlushLimit, all_done()));
}

}  // namespace

Result<std::unique_ptr<Listener>> Listener::open(const asio::any_io_executor& executor,
                                                 const ListenOptions& options) {
  auto listener = std::make_unique<BoundListener>(executor, options);
  if (Result<void> bound = listener->bind(); !bound) return bound.error();
  return std::unique_ptr<Listener>(std::move(listener));
}

}  // namespace skimfill
