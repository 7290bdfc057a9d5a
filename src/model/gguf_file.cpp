#include "model/gguf_file.h"

#include <gguf.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "model/llama_runtime.h"

namespace skimfill {
namespace {

// ggml's reader sizes its arrays by the file's own counts, bounded only by the bytes that are left. A file of
// many gigabytes could so ask for more; no real model comes near these limits.
constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxTensors = 100'000;
constexpr std::uint64_t kMaxKeys = 65'536;

// libllama maps files and gives the mapped addresses to the CPU backend, which aborts on any other alignment.
constexpr std::uint64_t kTensorAlignment = 32;

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// What ggml's reader pulls its bytes through. It reports faults without saying where: we remember how far it
// came, and the last text it read, which is the key or tensor at fault or the one before it.
struct Source {
  std::unique_ptr<std::FILE, FileCloser> file;
  std::uint64_t position = 0;
  std::string last_text;

  static std::size_t read(void* self, void* output, std::uint64_t offset, std::size_t size) {
    Source& source = *static_cast<Source*>(self);
    if (source.position != offset && fseeko(source.file.get(), static_cast<off_t>(offset), SEEK_SET) != 0)
      return 0;
    const std::size_t n_read = std::fread(output, 1, size, source.file.get());
    source.position = offset + n_read;
    // Every key is longer than a number; lengths, types and numbers come in reads of at most 8 bytes.
    if (n_read > 8 && n_read < 256) source.last_text.assign(static_cast<const char*>(output), n_read);
    return n_read;
  }
};

// The fixed head of the file: magic, version, number of tensors, number of keys.
struct Header {
  char magic[4];
  std::uint32_t version;
  std::uint64_t n_tensor;
  std::uint64_t n_key;
};
static_assert(sizeof(Header) == 24);

}  // namespace

Error file_fault(const std::filesystem::path& path, std::string_view field, std::string_view reason) {
  std::string message = fmt::format("'{}': {}: {}", path.string(), field, reason);
  std::replace_if(
      message.begin(), message.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return {Status::invalid, std::move(message)};
}

void GgufFile::ContextDeleter::operator()(gguf_context* context) const { gguf_free(context); }

Result<GgufFile> GgufFile::open(const std::filesystem::path& path) {
  route_llama_log();

  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) return file_fault(path, "file", "does not exist");
  if (!std::filesystem::is_regular_file(status)) return file_fault(path, "file", "is not a regular file");
  const std::uint64_t size = std::filesystem::file_size(path, code);
  if (code) return file_fault(path, "file", code.message());

  Source source;
  source.file.reset(std::fopen(path.c_str(), "rb"));
  if (source.file == nullptr) return file_fault(path, "file", std::strerror(errno));

  Header header{};
  if (std::fread(&header, 1, sizeof header, source.file.get()) != sizeof header) {
    return file_fault(path, "header", fmt::format("a file of {} bytes is too short for a GGUF", size));
  }
  if (std::memcmp(header.magic, GGUF_MAGIC, sizeof header.magic) == 0 && header.version == GGUF_VERSION) {
    if (header.n_tensor > kMaxTensors) {
      return file_fault(path, "tensor count",
                        fmt::format("{} is more than {}", header.n_tensor, kMaxTensors));
    }
    if (header.n_key > kMaxKeys) {
      return file_fault(path, "key count", fmt::format("{} is more than {}", header.n_key, kMaxKeys));
    }
  }
  source.position = sizeof header;

  const LlamaLogCapture log;
  const gguf_init_params params{.no_alloc = true, .ctx = nullptr};
  GgufFile file;
  file.path_ = path;
  file.size_bytes_ = static_cast<std::int64_t>(size);
  file.context_.reset(
      gguf_init_from_callback(Source::read, &source, 0, std::min(size, kMaxMetadataBytes), params));
  if (file.context_ == nullptr) {
    const std::string field =
        source.last_text.empty() ? "header" : fmt::format("after '{}'", source.last_text);
    return file_fault(path, field,
                      fmt::format("{} (at byte {} of {})", log.first_error(), source.position, size));
  }
  if (Result<void> checked = file.check_tensors(); !checked) return checked.error();
  return file;
}

Result<void> GgufFile::check_tensors() const {
  const std::uint64_t size = static_cast<std::uint64_t>(size_bytes_);
  const std::uint64_t data_begin = gguf_get_data_offset(context());
  for (std::int64_t i = 0; i < n_tensor(); ++i) {
    const std::string field = fmt::format("tensor {}", tensor_name(i));
    const std::span<const std::int64_t, 4> shape = tensor_shape(i);
    if (std::any_of(shape.begin(), shape.end(), [](std::int64_t n) { return n < 1; })) {
      return file_fault(path_, field,
                        fmt::format("has the shape [{}], without elements", fmt::join(shape, ", ")));
    }
    // ggml's reader has bounded the sums: offsets follow each other and sizes add up without overflow.
    const std::uint64_t begin = data_begin + gguf_get_tensor_offset(context(), i);
    const std::uint64_t end = begin + gguf_get_tensor_size(context(), i);
    if (begin < data_begin || end < begin || end > size) {
      return file_fault(
          path_, field,
          fmt::format("ends at byte {} of a {}-byte file: the download is cut short", end, size));
    }
    if (begin % kTensorAlignment != 0) {
      return file_fault(path_, field,
                        fmt::format("begins at byte {}, not a multiple of {}: general.alignment is {}", begin,
                                    kTensorAlignment, gguf_get_alignment(context())));
    }
  }
  return {};
}

std::int64_t GgufFile::n_tensor() const { return gguf_get_n_tensors(context()); }

std::string GgufFile::tensor_name(std::int64_t index) const { return gguf_get_tensor_name(context(), index); }

std::span<const std::int64_t, 4> GgufFile::tensor_shape(std::int64_t index) const {
  static_assert(GGML_MAX_DIMS == 4);
  return std::span<const std::int64_t, 4>(gguf_get_tensor_ne(context(), index), 4);
}

}  // namespace skimfill
