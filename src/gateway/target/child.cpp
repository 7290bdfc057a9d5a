#include "gateway/target/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/clock.h"
#include "core/log.h"
#include "gateway/http/async.h"
#include "gateway/http/page.h"
#include "gateway/json/json_edit.h"

extern char** environ;

namespace skimfill {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPoll{50};
constexpr milliseconds kPageLimit{2000};
constexpr milliseconds kFirstBackOff{250};
constexpr milliseconds kLastBackOff{30'000};
constexpr double kStableMs =
    60'000;  // a run that lasted so long was no failed start: begin the back-off anew
constexpr milliseconds kTermLimit{5000};

// Where the child listens and what it speaks there is ours to say.
constexpr std::array<std::string_view, 13> kOurVariables = {"LLAMA_ARG_HOST=",
                                                            "LLAMA_ARG_PORT=",
                                                            "LLAMA_ARG_API_PREFIX=",
                                                            "LLAMA_ARG_SSL_KEY_FILE=",
                                                            "LLAMA_ARG_SSL_CERT_FILE=",
                                                            "LLAMA_API_KEY=",
                                                            "LLAMA_ARG_API_KEY_FILE=",
                                                            "LLAMA_ARG_CORS_ORIGINS=",
                                                            "LLAMA_ARG_CORS_METHODS=",
                                                            "LLAMA_ARG_CORS_HEADERS=",
                                                            "LLAMA_ARG_CORS_CREDENTIALS=",
                                                            "LLAMA_ARG_TIMEOUT=",
                                                            "LLAMA_ARG_REUSE_PORT="};

// C strings for exec, made before the fork: the child of a process with threads may not allocate.
class CStrings {
 public:
  void add(std::string text) { texts_.push_back(std::move(text)); }
  char* const* data() {
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
    return pointers_.data();
  }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// What an error line of the child says, without the time and level before it; empty for other lines.
std::string_view error_in(std::string_view line) {
  line = line.substr(0, line.find_last_not_of(" \r\n") + 1);
  for (const std::string_view start : {"error: ", " E "}) {
    const std::size_t at = line.find(start);
    if (at < 16) return line.substr(at + start.size());
  }
  return line.starts_with("error") ? line : std::string_view();
}

// Passes the child's output on to our stderr and remembers its first error line.
awaitable<void> forward_output(int pipe, std::shared_ptr<std::string> error_line) {
  asio::posix::stream_descriptor output(co_await asio::this_coro::executor, pipe);
  std::string pending;
  for (;;) {
    const auto [end, size] =
        co_await asio::async_read_until(output, asio::dynamic_buffer(pending, 64 << 10), '\n', kNothrow);
    const std::string_view line = std::string_view(pending).substr(0, end ? pending.size() : size);
    write_all(STDERR_FILENO, line);
    if (error_line->empty()) *error_line = error_in(line);
    if (end && end != asio::error::not_found) co_return;
    pending.erase(0, line.size());
  }
}

// In the forked child: only calls that are safe between fork and exec.
[[noreturn]] void become_server(const char* program, char* const* args, char* const* environment, int output,
                                pid_t parent) {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
#endif
  // A group of its own: Ctrl-C on the terminal is for us, and we end the child in order.
  ::setpgid(0, 0);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::close_range(3, ~0U, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::execvpe(program, args, environment);
  const char* reason = ::strerrordesc_np(errno);
  write_all(STDERR_FILENO, "error: ");
  write_all(STDERR_FILENO, program);
  write_all(STDERR_FILENO, " cannot be started: ");
  write_all(STDERR_FILENO, reason == nullptr ? "unknown error" : reason);
  write_all(STDERR_FILENO, "\n");
  ::_exit(127);
}

}  // namespace

Result<std::unique_ptr<Child>> Child::create(ChildOptions options) {
  std::error_code failure;
  std::string folder = (std::filesystem::temp_directory_path(failure) / "skimfill-XXXXXX").string();
  if (failure || ::mkdtemp(folder.data()) == nullptr) {  // mkdtemp makes it 0700
    return Error{Status::unavailable, "no folder for the target's socket can be made in '" + folder + "': " +
                                          std::strerror(errno) + "; set TMPDIR to one that can be written"};
  }
  std::unique_ptr<Child> child(new Child(std::move(options), folder));
  if (child->endpoint_.socket_path.size() >= sizeof(sockaddr_un::sun_path)) {
    return Error{Status::unavailable, "the path of the target's socket '" + child->endpoint_.socket_path +
                                          "' is too long; set TMPDIR to a shorter one"};
  }
  return child;
}

Child::Child(ChildOptions options, std::filesystem::path folder)
    : options_(std::move(options)), folder_(std::move(folder)), error_line_(std::make_shared<std::string>()) {
  endpoint_.socket_path = (folder_ / "llama.sock").string();
}

Child::~Child() {
  if (pid_ > 0) {
    kill();
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Result<int> Child::start() {
  std::error_code ignored;
  std::filesystem::remove(endpoint_.socket_path, ignored);  // a stale socket file blocks the start
  CStrings args;
  args.add(options_.program);
  for (const std::string& arg : options_.args) args.add(arg);
  args.add("--host");
  args.add(endpoint_.socket_path);
  CStrings environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (std::none_of(kOurVariables.begin(), kOurVariables.end(),
                     [&](std::string_view name) { return text.starts_with(name); })) {
      environment.add(std::string(text));
    }
  }
  char* const* argv = args.data();
  char* const* envp = environment.data();
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) {
    return Error{Status::unavailable,
                 std::string("no pipe for the target's output: ") + std::strerror(errno)};
  }
  error_line_ = std::make_shared<std::string>();
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) become_server(options_.program.c_str(), argv, envp, pipe[1], parent);
  ::close(pipe[1]);
  if (pid_ < 0) {
    ::close(pipe[0]);
    return Error{Status::unavailable, std::string("the target cannot be started: ") + std::strerror(errno)};
  }
  return pipe[0];
}

bool Child::has_exited() {
  if (pid_ < 0) return true;
  if (::waitpid(pid_, &exit_status_, WNOHANG) == 0) return false;
  pid_ = -1;
  return true;
}

std::string Child::exit_reason() const {
  if (WIFSIGNALED(exit_status_)) {
    return "was ended by signal " + std::to_string(WTERMSIG(exit_status_)) + " (" +
           ::strsignal(WTERMSIG(exit_status_)) + ")";
  }
  return "ended with exit code " + std::to_string(WEXITSTATUS(exit_status_));
}

awaitable<bool> Child::is_healthy() {
  const std::optional<Page> page = co_await fetch_page(endpoint_, "/health", kPageLimit);
  co_return page && page->head.result_int() == 200;
}

awaitable<std::optional<std::size_t>> Child::ask_slots() {
  const std::optional<Page> props = co_await fetch_page(endpoint_, "/props", kPageLimit);
  if (!props || !check_json(props->body)) co_return std::nullopt;
  const std::optional<JsonView> slots = JsonView::of(props->body).find("total_slots");
  const std::optional<std::int64_t> count = slots ? slots->as_integer() : std::nullopt;
  if (!count || *count < 1) co_return std::nullopt;
  co_return static_cast<std::size_t>(*count);
}

// One life of the process. The error says how it ended.
awaitable<Error> Child::run_once(bool& was_healthy) {
  const Stopwatch life;
  const Result<int> output = start();
  if (!output) co_return output.error();
  asio::co_spawn(co_await asio::this_coro::executor, forward_output(*output, error_line_), asio::detached);
  bool healthy = false;
  while (!has_exited()) {
    if (!healthy && co_await is_healthy()) {
      healthy = was_healthy = true;
      log::info("target: llama-server ready after {:.1f} s", life.elapsed_ms() / 1000);
      if (options_.on_ready) options_.on_ready(co_await ask_slots());
    }
    if (!healthy && life.elapsed_ms() > 1000.0 * static_cast<double>(options_.start_limit.count())) kill();
    co_await sleep_for(kPoll);
  }
  co_await sleep_for(kPoll);  // lets the last lines of its output arrive
  std::string message = "the target '" + options_.program + "' " + exit_reason();
  if (!error_line_->empty()) message += ": " + *error_line_;
  const bool refused = WIFEXITED(exit_status_) && !healthy;
  co_return Error{refused ? Status::invalid : Status::unavailable, std::move(message)};
}

awaitable<Error> Child::supervise() {
  bool was_healthy = false;
  milliseconds back_off = kFirstBackOff;
  for (;;) {
    const Stopwatch life;
    Error ended = co_await run_once(was_healthy);
    if (!was_healthy) co_return ended;
    if (options_.on_end) options_.on_end();
    if (life.elapsed_ms() > kStableMs) back_off = kFirstBackOff;
    log::warn("{}; it starts again in {} ms", ended.message, back_off.count());
    co_await sleep_for(back_off);
    back_off = std::min(back_off * 2, kLastBackOff);
  }
}

awaitable<void> Child::stop() {
  if (has_exited()) co_return;
  ::kill(pid_, SIGTERM);
  const Stopwatch waited;
  while (!has_exited() && waited.elapsed_ms() < static_cast<double>(kTermLimit.count()))
    co_await sleep_for(kPoll);
  if (has_exited()) co_return;
  log::warn("target: llama-server did not end within {} ms and is killed", kTermLimit.count());
  kill();
  while (!has_exited()) co_await sleep_for(kPoll);
}

void Child::kill() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);  // its group: in router mode it has children of its own
  ::kill(pid_, SIGKILL);
}

}  // namespace skimfill
