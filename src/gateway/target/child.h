// The built-in target: a llama-server that we start as a child process on a private Unix socket, watch,
// restart and take down with us.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/http/upstream.h"
#include "skimfill/result.h"

namespace skimfill {

struct ChildOptions {
  std::string program;                     // path, or a name to be found on PATH
  std::vector<std::string> args;           // all but the address to listen on
  std::chrono::seconds start_limit{3600};  // a large model may load for many minutes

  // Each time that the model is loaded, with the number of its slots; none in router mode, which has none.
  std::function<void(std::optional<std::size_t> slots)> on_ready;
  std::function<void()> on_end;  // each time that the process has ended by itself
};

class Child {
 public:
  // Makes the folder of the socket, readable by this user alone. Error: Status::unavailable.
  static Result<std::unique_ptr<Child>> create(ChildOptions options);
  // Kills the process if it still runs, and removes socket and folder.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Starts the process and keeps it running until the coroutine is cancelled. Returns only when the process
  // ends before it was ever healthy: Status::invalid with its own error line when it refused its command line
  // or model.
  awaitable<Error> supervise();

  // Asks the process to end and waits; after a few seconds it is killed. Close all connections to it before:
  // it does not end while one is open. For when supervise() has been cancelled, or it would start anew.
  awaitable<void> stop();
  void kill();  // at once

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  Child(ChildOptions options, std::filesystem::path folder);

  Result<int> start();  // returns the read end of a pipe with its output
  bool has_exited();    // reaps
  std::string exit_reason() const;
  awaitable<bool> is_healthy();
  awaitable<std::optional<std::size_t>> ask_slots();
  awaitable<Error> run_once(bool& was_healthy);

  const ChildOptions options_;
  const std::filesystem::path folder_;
  Endpoint endpoint_;
  std::shared_ptr<std::string> error_line_;  // the first error line that this run of the process printed
  pid_t pid_ = -1;                           // -1: not running
  int exit_status_ = 0;
};

}  // namespace skimfill
