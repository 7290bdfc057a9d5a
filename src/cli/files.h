// Reading the document and writing the result, so that a cancelled or failed run leaves nothing behind.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "skimfill/result.h"

namespace skimfill {

// All bytes of a file, or of stdin for "-". Errors: Status::invalid where there is nothing to read, also for
// an empty file; Status::cancelled when `stop` fired while waiting for input.
Result<std::string> read_document(const std::string& path, std::stop_token stop);

// Tells before the long work whether `path` can be written. Status::invalid where not.
Result<void> check_writable(const std::string& path);

// Under a temporary name first, then renamed: a reader of `path` sees the old content or the new, never a
// part. What is there and is no regular file (a device, a pipe) is written to directly.
Result<void> write_file(const std::string& path, std::string_view content);

// Everything or an error: a full disk behind a redirection is told.
Result<void> write_stdout(std::string_view content);

}  // namespace skimfill
