#include "cli/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include "cli/console.h"

namespace skimfill {
namespace {

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

SignalBlock::SignalBlock() {
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, &previous_);
}

SignalBlock::~SignalBlock() {
  if (!kept_) pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

Interrupt::Interrupt() : waiter_([this](std::stop_token done) { wait(done); }) {}

Interrupt::~Interrupt() {
  waiter_.request_stop();
  // Wakes sigwait; only the waiting thread gets it.
  pthread_kill(waiter_.native_handle(), SIGTERM);
  waiter_.join();
  if (stop_.stop_requested()) block_.keep();
}

void Interrupt::wait(std::stop_token done) {
  const sigset_t signals = ending_signals();
  while (true) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (done.stop_requested()) return;
    if (stop_.stop_requested()) {
      constexpr char kLine[] = "\nskimfill: cancelled\n";
      [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kLine, sizeof kLine - 1);
      _exit(kExitCancelled);
    }
    stop_.request_stop();
  }
}

}  // namespace skimfill
