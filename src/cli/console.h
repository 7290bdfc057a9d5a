// What the program says on stderr, and the codes that it ends with.
#pragma once

#include <string>
#include <string_view>

#include "skimfill/result.h"

namespace skimfill {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitCancelled = 130;  // what a shell reports for a program that Ctrl-C ended

// Prints one line, "skimfill: …", and returns the exit code that goes with the error's status.
int report_error(const Error& error);

// A terminal that moves its cursor when told to.
bool is_terminal(int file_descriptor);

// Colour and dimming are wanted there: a terminal, and NO_COLOR (no-color.org) unset.
bool is_styled_terminal(int file_descriptor);

// 12345 as "12,345".
std::string grouped(long long number);

}  // namespace skimfill
