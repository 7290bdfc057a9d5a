// The help texts that are not made by CLI11.
#pragma once

#include <string>

namespace skimfill {

extern const char kProgramHelp[];
extern const char kServeHelp[];

// "skimfill 0.1.0\n"
std::string version_line();

}  // namespace skimfill
