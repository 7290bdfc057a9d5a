// Any bytes as a model file: refused with an error or inspected, never a crash.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "model/model_file.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("model.gguf", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  const skimfill::Result<skimfill::ModelFile> model = skimfill::inspect_model(path);
  if (!model && model.error().message.empty()) std::abort();
  return 0;
}
