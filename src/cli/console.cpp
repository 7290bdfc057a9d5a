#include "cli/console.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace skimfill {

int report_error(const Error& error) {
  // A cancelled run says the same whatever was going on.
  std::string line = error.status == Status::cancelled ? "cancelled" : error.message;
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  std::fprintf(stderr, "skimfill: %s\n", line.c_str());
  switch (error.status) {
    case Status::invalid:
      return kExitUsage;
    case Status::cancelled:
      return kExitCancelled;
    default:
      return kExitFailure;
  }
}

bool is_terminal(int file_descriptor) {
  const char* term = std::getenv("TERM");
  return isatty(file_descriptor) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

bool is_styled_terminal(int file_descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  return is_terminal(file_descriptor) && (no_color == nullptr || *no_color == '\0');
}

std::string grouped(long long number) {
  const std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

}  // namespace skimfill
