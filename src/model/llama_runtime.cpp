#include "model/llama_runtime.h"

#include <llama.h>

#include <utility>

#include "core/log.h"

namespace skimfill {
namespace {

thread_local LlamaLogCapture* current_capture = nullptr;
thread_local bool continues_error = false;

// libllama writes "function_name: what happened\n"; the name helps nobody who reads our message.
std::string without_function_name(std::string line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  const std::size_t name_end =
      line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:~");
  const std::size_t colon = line.find(": ");
  if (colon != std::string::npos && colon > 0 && name_end == colon + 1) line.erase(0, colon + 2);
  return line;
}

void on_log(ggml_log_level level, const char* text, void* /*user_data*/) {
  if (level != GGML_LOG_LEVEL_CONT) continues_error = level == GGML_LOG_LEVEL_ERROR;
  std::string line = without_function_name(text);
  if (line.empty() || line == ".") return;
  if (continues_error && current_capture != nullptr) current_capture->add(line);
  log::debug("llama: {}", line);
}

}  // namespace

void route_llama_log() {
  [[maybe_unused]] static const bool once = [] {
    llama_log_set(on_log, nullptr);
    return true;
  }();
}

void init_llama() {
  [[maybe_unused]] static const bool once = [] {
    route_llama_log();
    ggml_backend_load_all();
    llama_backend_init();
    return true;
  }();
}

LlamaLogCapture::LlamaLogCapture() : outer_(std::exchange(current_capture, this)) {}

LlamaLogCapture::~LlamaLogCapture() { current_capture = outer_; }

void LlamaLogCapture::add(std::string line) {
  out_of_memory_ = out_of_memory_ || line.find("allocat") != std::string::npos ||
                   line.find("out of memory") != std::string::npos;
  if (first_error_.empty()) first_error_ = std::move(line);
}

}  // namespace skimfill
