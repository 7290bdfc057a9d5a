// Vectors of texts within a bound of memory; the least recently used go first.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace skimfill {

// The key is the text itself, so another text never gets its vector. Not thread-safe.
class VectorCache {
 public:
  explicit VectorCache(std::int64_t max_bytes) : max_bytes_(max_bytes) {}

  // Empty when there is none. Valid until the next put().
  std::span<const float> find(std::string_view text) {
    const auto place = places_.find(text);
    if (place == places_.end()) return {};
    entries_.splice(entries_.begin(), entries_, place->second);
    return place->second->vector;
  }

  // Replaces the vector of a text that is there already. What is larger than the bound alone is not kept.
  void put(std::string_view text, std::span<const float> vector) {
    if (const auto place = places_.find(text); place != places_.end()) drop(place->second);
    const std::int64_t size = entry_bytes(text.size(), vector.size());
    if (size > max_bytes_) return;
    while (size_bytes_ + size > max_bytes_) drop(std::prev(entries_.end()));
    entries_.push_front({std::string(text), {vector.begin(), vector.end()}});
    places_.emplace(entries_.front().text, entries_.begin());
    size_bytes_ += size;
  }

  std::int64_t n_entry() const { return static_cast<std::int64_t>(entries_.size()); }
  std::int64_t size_bytes() const { return size_bytes_; }  // never more than the bound

  // What one entry takes of the heap: the text, the vector and the nodes that hold them.
  static std::int64_t entry_bytes(std::size_t text_bytes, std::size_t n_value) {
    constexpr std::size_t kAllocation = 16;  // the allocator's own, for each of text, vector and two nodes
    constexpr std::size_t kListNode = sizeof(Entry) + 2 * sizeof(void*);
    constexpr std::size_t kMapNode =
        sizeof(std::pair<std::string_view, std::list<Entry>::iterator>) + sizeof(void*) + sizeof(std::size_t);
    constexpr std::size_t kBuckets = 2 * sizeof(void*);  // their number may be twice that of the entries
    return static_cast<std::int64_t>(4 * kAllocation + kListNode + kMapNode + kBuckets + text_bytes + 1 +
                                     n_value * sizeof(float));
  }

 private:
  struct Entry {
    std::string text;
    std::vector<float> vector;
  };

  void drop(std::list<Entry>::iterator entry) {
    size_bytes_ -= entry_bytes(entry->text.size(), entry->vector.size());
    places_.erase(entry->text);
    entries_.erase(entry);
  }

  std::int64_t max_bytes_;
  std::int64_t size_bytes_ = 0;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> places_;
};

}  // namespace skimfill
