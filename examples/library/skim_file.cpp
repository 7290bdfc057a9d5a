// Skims a file and prints the spans worth reading.
//   skim_file DRAFTER.gguf FILE QUESTION
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "skimfill/skimfill.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: skim_file DRAFTER.gguf FILE QUESTION\n";
    return 2;
  }
  std::ifstream file(argv[2], std::ios::binary);
  if (!file) {
    std::cerr << "skim_file: cannot read '" << argv[2] << "'\n";
    return 1;
  }
  const std::string text(std::istreambuf_iterator<char>(file), {});

  auto skimmer = skimfill::Skimmer::load({.drafter = argv[1]});
  if (!skimmer) {
    std::cerr << "skim_file: " << skimmer.error().message << '\n';
    return 1;
  }
  const skimfill::Passage passage{.role = skimfill::Role::user, .text = text};
  auto result = skimmer->skim({.passages = {&passage, 1}, .question = argv[3], .keep_ratio = 0.2});
  if (!result) {
    std::cerr << "skim_file: " << result.error().message << '\n';
    return 1;
  }
  std::cout << result->reason << '\n';
  for (const skimfill::Span& span : result->spans) {
    const auto begin = static_cast<std::size_t>(span.begin), end = static_cast<std::size_t>(span.end);
    std::cout << "-- bytes " << begin << " to " << end << ", score " << span.score << '\n'
              << std::string_view(text).substr(begin, end - begin) << '\n';
  }
  return 0;
}
