#include "skim/rewrite.h"

namespace skimfill {

void append_mark(std::string& out, std::string_view mark, std::string_view left_out) {
  out += mark;
  out += left_out.find('\n') != std::string_view::npos ? '\n' : ' ';
}

}  // namespace skimfill
