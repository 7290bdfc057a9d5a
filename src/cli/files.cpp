#include "cli/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/interrupt.h"

namespace skimfill {
namespace {

namespace fs = std::filesystem;

constexpr int kPollMs = 50;  // how late a stop may be noticed while input is awaited

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Error file_error(Status status, std::string_view what, const std::string& path, int code) {
  return {status,
          std::string(what) + " " + (path == "-" ? "stdin" : "'" + path + "'") + ": " + std::strerror(code)};
}

Result<void> write_all(int fd, std::string_view content, const std::string& name) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error(Status::internal, "cannot write", name, errno);
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

bool is_special(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status);
}

// Where the bytes end up: behind symbolic links, so that a rename does not replace the link.
fs::path target_of(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? fs::path(path) : target;
}

}  // namespace

Result<std::string> read_document(const std::string& path, std::stop_token stop) {
  const FileDescriptor file(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return file_error(Status::invalid, "cannot read", path, errno);
  std::string text;
  char buffer[1 << 16];
  while (true) {
    pollfd waiting{.fd = file.get(), .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waiting, 1, kPollMs);
    if (stop.stop_requested()) return Error{Status::cancelled, "cancelled"};
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error(Status::invalid, "cannot read", path, errno);
    if (n == 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  if (text.empty()) {
    return Error{Status::invalid, (path == "-" ? "stdin" : "'" + path + "'") + " is empty: nothing to skim"};
  }
  return text;
}

Result<void> check_writable(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return Error{Status::invalid, "--output '" + path + "': is a directory, give a file"};
  }
  const fs::path folder = target_of(path).parent_path();
  const std::string place = is_special(path) ? path : folder.empty() ? "." : folder.string();
  if (access(place.c_str(), W_OK) != 0) return file_error(Status::invalid, "cannot write to", place, errno);
  return {};
}

Result<void> write_file(const std::string& path, std::string_view content) {
  if (is_special(path)) {
    const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0) return file_error(Status::internal, "cannot write", path, errno);
    return write_all(file.get(), content, path);
  }
  const fs::path target = target_of(path);
  const fs::path temporary =
      target.parent_path() / ("." + target.filename().string() + "." + std::to_string(getpid()) + ".tmp");
  // Nothing may end the process while the temporary file exists.
  const SignalBlock block;
  Result<void> written = [&]() -> Result<void> {
    const FileDescriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() < 0) return file_error(Status::internal, "cannot write", path, errno);
    // A file that is replaced keeps who may read it.
    struct stat replaced {};
    if (::stat(target.c_str(), &replaced) == 0 && ::fchmod(file.get(), replaced.st_mode & 07777) != 0) {
      return file_error(Status::internal, "cannot write", path, errno);
    }
    return write_all(file.get(), content, path);
  }();
  if (written.ok() && ::rename(temporary.c_str(), target.c_str()) != 0) {
    written = file_error(Status::internal, "cannot write", path, errno);
  }
  if (!written.ok()) ::unlink(temporary.c_str());
  return written;
}

Result<void> write_stdout(std::string_view content) { return write_all(STDOUT_FILENO, content, "stdout"); }

}  // namespace skimfill
