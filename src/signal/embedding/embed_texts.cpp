// A way in for tests in Python: the cosine of each text with each other, as Embedder tells it.
//
//   embed_texts MODEL <texts
//
// Texts come as lines of hexadecimal digits, so that they may have any bytes. Prints a line of cosines for
// each text as the question.
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "signal/embedding/embedder.h"

namespace {

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

int fail(const skimfill::Error& error) {
  std::fprintf(stderr, "embed_texts: %s\n", error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return fail({skimfill::Status::invalid, "give the model"});
  const auto file = skimfill::inspect_model(argv[1]);
  if (!file) return fail(file.error());
  const auto embedder = skimfill::load_embedder(*file, {.device = "CPU", .threads = 2});
  if (!embedder) return fail(embedder.error());

  std::vector<std::string> texts;
  for (std::string line; std::getline(std::cin, line);) texts.push_back(from_hex(line));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  for (const std::string_view question : views) {
    const auto similar = (*embedder)->similarities(question, views, {});
    if (!similar) return fail(similar.error());
    for (const float value : *similar) std::printf("%.6f ", static_cast<double>(value));
    std::printf("\n");
  }
  return 0;
}
