// libllama's process-wide state: its log and its backends, set up once.
#pragma once

#include <string>

namespace skimfill {

// Sends libllama's and ggml's log to ours at debug level instead of stderr. Cheap after the first call.
void route_llama_log();

// route_llama_log(), and loads every ggml backend of this build. Cheap after the first call.
void init_llama();

// Collects what libllama complains about in this thread while it lives: its functions return null, and the
// reason is only in the log. Captures nest; the inner one gets the lines.
class LlamaLogCapture {
 public:
  LlamaLogCapture();
  ~LlamaLogCapture();
  LlamaLogCapture(const LlamaLogCapture&) = delete;
  LlamaLogCapture& operator=(const LlamaLogCapture&) = delete;

  // The first complaint is the cause; later ones tell which steps failed because of it. Empty: there was
  // none.
  const std::string& first_error() const { return first_error_; }
  bool out_of_memory() const { return out_of_memory_; }

  void add(std::string line);  // called by the log callback

 private:
  std::string first_error_;
  bool out_of_memory_ = false;
  LlamaLogCapture* outer_;
};

}  // namespace skimfill
