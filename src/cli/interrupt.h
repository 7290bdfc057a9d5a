// Ctrl-C as a stop token.
#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace skimfill {

// Holds back SIGINT and SIGTERM in this thread, and in threads that it starts, as long as it lives.
class SignalBlock {
 public:
  SignalBlock();
  ~SignalBlock();
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

  // Holds them back for good.
  void keep() { kept_ = true; }

 private:
  sigset_t previous_;
  bool kept_ = false;
};

// While it lives, the first SIGINT or SIGTERM requests a stop and the second ends the process at once with
// 130. A thread waits for the signals, so that nothing has to be done inside a signal handler. Construct it
// before other threads start: they inherit the mask that keeps the signals for the waiting thread.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  void wait(std::stop_token done);

  SignalBlock block_;
  std::stop_source stop_;
  std::jthread waiter_;
};

}  // namespace skimfill
