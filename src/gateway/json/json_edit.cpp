#include "gateway/json/json_edit.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <limits>

namespace skimfill {
namespace {

namespace json = boost::json;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kSpace = " \t\r\n";

std::size_t skip_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kSpace, at), text.size());
}

// `at` is at an opening quote; returns the place behind the closing one: the first quote that has an even
// number of backslashes before it. Long strings are most of a body, so the search is for a single byte.
std::size_t skip_string(std::string_view text, std::size_t at) {
  const std::size_t begin = at + 1;
  at = begin;
  for (;;) {
    at = text.find('"', at);
    if (at == std::string_view::npos) return text.size();
    std::size_t slashes = 0;
    while (at - slashes > begin && text[at - slashes - 1] == '\\') ++slashes;
    ++at;
    if (slashes % 2 == 0) return at;
  }
}

// Returns the place behind the value that begins at `at`, in a text that is known to be well-formed.
std::size_t skip_value(std::string_view text, std::size_t at) {
  if (text[at] == '"') return skip_string(text, at);
  if (text[at] != '{' && text[at] != '[') return std::min(text.find_first_of(",]} \t\r\n", at), text.size());
  std::int64_t depth = 0;
  do {
    at = text.find_first_of("\"{}[]", at);
    if (at == std::string_view::npos) return text.size();
    switch (text[at]) {
      case '"':
        at = skip_string(text, at);
        continue;
      case '{':
      case '[':
        ++depth;
        break;
      default:
        --depth;
    }
    ++at;
  } while (depth > 0);
  return at;
}

// Takes every event of the parser and keeps none: only well-formedness is asked.
struct NullHandler {
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_key_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_string_size = std::numeric_limits<std::size_t>::max();
  using Code = boost::system::error_code;
  using Text = json::string_view;

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code&) { return true; }
  bool on_object_end(std::size_t, Code&) { return true; }
  bool on_array_begin(Code&) { return true; }
  bool on_array_end(std::size_t, Code&) { return true; }
  bool on_key_part(Text, std::size_t, Code&) { return true; }
  bool on_key(Text, std::size_t, Code&) { return true; }
  bool on_string_part(Text, std::size_t, Code&) { return true; }
  bool on_string(Text, std::size_t, Code&) { return true; }
  bool on_number_part(Text, Code&) { return true; }
  bool on_int64(std::int64_t, Text, Code&) { return true; }
  bool on_uint64(std::uint64_t, Text, Code&) { return true; }
  bool on_double(double, Text, Code&) { return true; }
  bool on_bool(bool, Code&) { return true; }
  bool on_null(Code&) { return true; }
  bool on_comment_part(Text, Code&) { return true; }
  bool on_comment(Text, Code&) { return true; }
};

}  // namespace

bool looks_like_json(std::string_view text) {
  const std::size_t at = skip_space(text, skip_mark(text));
  return at < text.size() && (text[at] == '{' || text[at] == '[');
}

bool is_deeper_than(std::string_view text, int max_depth) {
  int depth = 0;
  for (std::size_t at = 0; (at = text.find_first_of("\"{}[]", at)) != std::string_view::npos;) {
    if (text[at] == '"') {
      at = skip_string(text, at);
      continue;
    }
    const bool opens = text[at] == '{' || text[at] == '[';
    depth += opens ? 1 : -1;
    if (depth > max_depth) return true;
    ++at;
  }
  return false;
}

bool has_more_values_than(std::string_view text, std::size_t most) {
  std::size_t values = 1;
  for (std::size_t at = 0; (at = text.find_first_of("\",", at)) != std::string_view::npos;) {
    if (text[at] == '"') {
      at = skip_string(text, at);
      continue;
    }
    if (++values > most) return true;
    ++at;
  }
  return false;
}

Result<void> check_json(std::string_view text, int max_depth) {
  const std::size_t start = skip_mark(text);
  json::parse_options options;
  options.max_depth = static_cast<std::size_t>(max_depth);
  json::basic_parser<NullHandler> parser(options);
  boost::system::error_code failure;
  std::size_t parsed = start + parser.write_some(false, text.data() + start, text.size() - start, failure);
  if (!failure) {
    parsed = skip_space(text, parsed);
    if (parsed == text.size()) return {};
    failure = json::error::extra_data;
  }
  return Error{Status::invalid, "the body is not well-formed JSON: " + failure.message() + " at byte " +
                                    std::to_string(parsed)};
}

JsonView JsonView::of(std::string_view text) {
  const std::size_t begin = skip_space(text, skip_mark(text));
  return {text, {begin, skip_value(text, begin)}};
}

JsonKind JsonView::kind() const {
  switch (text_[range_.begin]) {
    case '{':
      return JsonKind::object;
    case '[':
      return JsonKind::array;
    case '"':
      return JsonKind::string;
    case 't':
    case 'f':
      return JsonKind::boolean;
    case 'n':
      return JsonKind::null;
    default:
      return JsonKind::number;
  }
}

std::vector<JsonMember> JsonView::members() const {
  std::vector<JsonMember> members;
  if (!is(JsonKind::object)) return members;
  std::size_t at = skip_space(text_, range_.begin + 1);
  while (text_[at] == '"') {
    const std::size_t name_end = skip_string(text_, at);
    const std::size_t colon = skip_space(text_, name_end);
    const std::size_t value = skip_space(text_, colon + 1);
    const JsonView name(text_, {at, name_end});
    members.push_back({name.as_string(), at, JsonView(text_, {value, skip_value(text_, value)})});
    at = skip_space(text_, members.back().value.range().end);
    if (text_[at] == ',') at = skip_space(text_, at + 1);
  }
  return members;
}

std::vector<JsonView> JsonView::elements() const {
  std::vector<JsonView> elements;
  if (!is(JsonKind::array)) return elements;
  std::size_t at = skip_space(text_, range_.begin + 1);
  while (text_[at] != ']') {
    elements.push_back(JsonView(text_, {at, skip_value(text_, at)}));
    at = skip_space(text_, elements.back().range().end);
    if (text_[at] == ',') at = skip_space(text_, at + 1);
  }
  return elements;
}

std::optional<JsonView> JsonView::find(std::string_view name) const { return find_member(members(), name); }

std::string JsonView::as_string() const {
  const std::string_view literal = bytes();
  if (literal.find('\\') == std::string_view::npos) return std::string(literal.substr(1, literal.size() - 2));
  const json::value value = json::parse(json::string_view(literal.data(), literal.size()));
  return std::string(value.get_string().data(), value.get_string().size());
}

double JsonView::as_number() const {
  const std::string_view literal = bytes();
  return json::parse(json::string_view(literal.data(), literal.size())).to_number<double>();
}

std::optional<std::int64_t> JsonView::as_integer() const {
  if (!is(JsonKind::number)) return std::nullopt;
  const std::string_view literal = bytes();
  const json::value value = json::parse(json::string_view(literal.data(), literal.size()));
  boost::system::error_code inexact;
  const auto integer = value.to_number<std::int64_t>(inexact);
  if (inexact) return std::nullopt;
  return integer;
}

std::optional<JsonView> find_member(const std::vector<JsonMember>& members, std::string_view name) {
  const auto last =
      std::find_if(members.rbegin(), members.rend(), [&](const auto& m) { return m.name == name; });
  if (last == members.rend()) return std::nullopt;
  return last->value;
}

std::string quote_json(std::string_view text) {
  return json::serialize(json::string_view(text.data(), text.size()));
}

void JsonEdits::replace(ByteRange range, std::string json) { edits_.push_back({range, std::move(json)}); }

void JsonEdits::set_members(const JsonView& object,
                            const std::vector<std::pair<std::string, std::string>>& members) {
  const std::vector<JsonMember> present = object.members();
  const std::size_t end = present.empty() ? object.range().begin + 1 : present.back().value.range().end;
  std::string added;
  for (const auto& [name, json] : members) {
    if (const auto old = find_member(present, name)) {
      replace(old->range(), json);
      continue;
    }
    if (!present.empty() || !added.empty()) added += ',';
    added += quote_json(name) + ':' + json;
  }
  if (!added.empty()) replace({end, end}, std::move(added));
}

void JsonEdits::remove_members(const std::vector<JsonMember>& members,
                               const std::function<bool(const JsonMember&)>& unwanted) {
  bool kept_before = false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!unwanted(members[i])) {
      kept_before = true;
      continue;
    }
    // The comma before it, or the one behind it where nothing that stays comes first.
    const std::size_t end = members[i].value.range().end;
    if (kept_before) {
      replace({members[i - 1].value.range().end, end}, "");
    } else {
      replace({members[i].begin, i + 1 < members.size() ? members[i + 1].begin : end}, "");
    }
  }
}

std::string JsonEdits::apply() const {
  std::vector<const Edit*> order;
  std::size_t size = text_.size();
  for (const Edit& edit : edits_) {
    order.push_back(&edit);
    size += edit.json.size();
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Edit* a, const Edit* b) { return a->range.begin < b->range.begin; });
  std::string result;
  result.reserve(size);
  std::size_t at = 0;
  for (const Edit* edit : order) {
    result.append(text_, at, edit->range.begin - at);
    result += edit->json;
    at = edit->range.end;
  }
  return result.append(text_, at);
}

std::string without_member(std::string text, std::string_view name) {
  JsonEdits edits(text);
  edits.remove_members(JsonView::of(text).members(),
                       [&](const JsonMember& member) { return member.name == name; });
  return edits.empty() ? std::move(text) : edits.apply();
}

}  // namespace skimfill
