// Reading JSON at its place in a text, and editing that text by splicing bytes.
//
// A client's body is never written anew: key order, the spelling of numbers and fields that we do not know
// reach the target as they came. So values are found as byte ranges, and an edit replaces just those bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skimfill/result.h"

namespace skimfill {

struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const ByteRange&) const = default;
};

// True for a text that begins like a JSON object or array, after a byte order mark and white space.
bool looks_like_json(std::string_view text);

// True when brackets outside strings nest deeper than `max_depth`. For any text, JSON or not; needs no
// memory.
bool is_deeper_than(std::string_view text, int max_depth);

// True when there are more members and elements than `most` in all objects and lists together (or so: those
// that are alone in theirs do not count). Views of them take tens of bytes each, where the text takes two.
bool has_more_values_than(std::string_view text, std::size_t most);

// Error: Status::invalid with the place, when `text` is not one well-formed JSON value in UTF-8, or nests too
// deep: each level takes stack here. A leading byte order mark is allowed.
Result<void> check_json(std::string_view text, int max_depth = 256);

enum class JsonKind { null, boolean, number, string, array, object };

struct JsonMember;

// One value inside a text that check_json() accepted. A view: the text must outlive it. Each call scans the
// value anew, so ask once and keep the answer.
class JsonView {
 public:
  // The whole text's value.
  static JsonView of(std::string_view text);

  JsonKind kind() const;
  bool is(JsonKind expected) const { return kind() == expected; }
  ByteRange range() const { return range_; }  // in the whole text
  std::string_view bytes() const { return text_.substr(range_.begin, range_.end - range_.begin); }

  std::vector<JsonMember> members() const;  // of an object, in order, duplicates included; else empty
  std::vector<JsonView> elements() const;   // of an array; else empty

  // The member of an object by its name. Of duplicates the last one wins, as in the target's own reader.
  std::optional<JsonView> find(std::string_view name) const;

  std::string as_string() const;                   // decoded; only for a string
  double as_number() const;                        // only for a number
  std::optional<std::int64_t> as_integer() const;  // nothing when it is not a whole number within 64 bits
  bool as_bool() const { return bytes() == "true"; }

 private:
  JsonView(std::string_view text, ByteRange range) : text_(text), range_(range) {}

  std::string_view text_;
  ByteRange range_;
};

struct JsonMember {
  std::string name;       // decoded
  std::size_t begin = 0;  // where the name's opening quote stands
  JsonView value;
};

// The last member of that name.
std::optional<JsonView> find_member(const std::vector<JsonMember>& members, std::string_view name);

// A JSON string literal for `text`, which must be UTF-8.
std::string quote_json(std::string_view text);

// Replacements in one text, applied together. They must not overlap.
class JsonEdits {
 public:
  explicit JsonEdits(std::string_view text) : text_(text) {}

  void replace(ByteRange range, std::string json);

  // Sets members of an object: a value that is there is replaced, else the member is added at the end, in
  // order. Call it once for an object.
  void set_members(const JsonView& object, const std::vector<std::pair<std::string, std::string>>& members);

  // Takes those of an object's members out that are `unwanted`, each with one comma. Call it once for an
  // object, and not beside set_members().
  void remove_members(const std::vector<JsonMember>& members,
                      const std::function<bool(const JsonMember&)>& unwanted);

  bool empty() const { return edits_.empty(); }
  std::string apply() const;

 private:
  struct Edit {
    ByteRange range;
    std::string json;
  };
  std::string_view text_;
  std::vector<Edit> edits_;
};

// `text` without any member `name` of its outermost object; all other bytes stay.
std::string without_member(std::string text, std::string_view name);

}  // namespace skimfill
