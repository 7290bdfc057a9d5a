// The target's own metrics, as they stand beside ours: read from its text, kept while it does not answer,
// never falling when it starts anew.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace skimfill {

class TargetMetrics {
 public:
  // `text` is a page in Prometheus' text format. Samples that are no number are left out.
  void update(std::string_view text);

  // The last page, with counters continued over restarts of the target.
  std::string text() const;

 private:
  struct Counter {
    double last = 0;  // as the target gave it
    double base = 0;  // what its earlier lives had counted
  };
  std::map<std::string, Counter, std::less<>> counters_;  // by name and labels
  std::string page_;
};

}  // namespace skimfill
