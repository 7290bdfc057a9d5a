// One GGUF file whose structure is sound: ggml's reader takes it, and every tensor has elements and lies
// inside the file. What its keys say is metadata.h's business.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "skimfill/result.h"

struct gguf_context;

namespace skimfill {

// "'file': field: reason" with Status::invalid, on one line whatever bytes the file put into its names.
Error file_fault(const std::filesystem::path& path, std::string_view field, std::string_view reason);

class GgufFile {
 public:
  static Result<GgufFile> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const gguf_context* context() const { return context_.get(); }
  std::int64_t size_bytes() const { return size_bytes_; }

  std::int64_t n_tensor() const;
  std::string tensor_name(std::int64_t index) const;
  std::span<const std::int64_t, 4> tensor_shape(
      std::int64_t index) const;  // elements per dimension, each >= 1

 private:
  struct ContextDeleter {
    void operator()(gguf_context* context) const;
  };

  GgufFile() = default;
  Result<void> check_tensors() const;

  std::filesystem::path path_;
  std::unique_ptr<gguf_context, ContextDeleter> context_;
  std::int64_t size_bytes_ = 0;
};

}  // namespace skimfill
