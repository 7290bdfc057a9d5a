#include "gateway/http/access.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>

namespace skimfill {
namespace {

using boost::beast::iequals;

constexpr std::string_view kApiKeyField = "X-Api-Key";

std::string_view path_of(const RequestHead& request) {
  const std::string_view target = request.target();
  return target.substr(0, target.find_first_of("?#"));
}

// The web page's files carry no secrets, and a browser asks for them without the key that the page will ask
// its user for. llama-server knows their names; we do not, so we take only what can be no route of an API: an
// asset's ending, at the root or in the folders of its pages.
bool is_web_page(std::string_view path) {
  if (path == "/" || path == "/build.json" || path == "/version.json" || path == "/_app/version.json")
    return true;
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == '/';
  };
  if (!path.starts_with('/') || path.find("..") != std::string_view::npos) return false;
  if (!std::all_of(path.begin(), path.end(), is_plain)) return false;
  static constexpr std::array<std::string_view, 2> kFolders = {"/_app/", "/recommended-mcp/"};
  const bool in_folder = std::any_of(kFolders.begin(), kFolders.end(),
                                     [&](std::string_view folder) { return path.starts_with(folder); });
  if (!in_folder && path.rfind('/') != 0) return false;
  static constexpr std::array<std::string_view, 8> kEndings = {".js",  ".css", ".html",  ".svg",
                                                               ".png", ".ico", ".woff2", ".webmanifest"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

bool is_public(const RequestHead& request) {
  if (request.method() == http::verb::options) return true;  // browsers send no key with it
  const std::string_view path = path_of(request);
  if (path == "/health" || path == "/v1/health") return true;
  const bool reads = request.method() == http::verb::get || request.method() == http::verb::head;
  return reads && is_web_page(path);
}

std::string_view given_key(const RequestHead& request) {
  constexpr std::string_view kBearer = "Bearer ";
  std::string_view key = request[http::field::authorization];
  if (key.empty()) key = request[kApiKeyField];
  if (key.starts_with(kBearer)) key.remove_prefix(kBearer.size());
  return key;
}

bool is_local(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!origin.starts_with(scheme)) continue;
    std::string_view host = origin.substr(scheme.size());
    if (host.find_first_of("/@") != std::string_view::npos) return false;  // no origin has a path or a user
    if (host.starts_with("[::1]")) {
      host.remove_prefix(std::string_view("[::1]").size());
      return host.empty() || host.starts_with(':');
    }
    host = host.substr(0, host.find(':'));
    return host == "localhost" || host == "127.0.0.1";
  }
  return false;
}

bool is_in_list(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, comma);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (item == wanted) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

Access::Digest Access::digest(std::string_view key) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), digest.data());
  return digest;
}

Access::Access(AccessOptions options) : options_(std::move(options)) {
  for (const std::string& key : options_.api_keys) keys_.push_back(digest(key));
  options_.api_keys.clear();
}

bool Access::strip_prefix(RequestHead& request) const {
  if (options_.api_prefix.empty()) return true;
  const std::string_view target = request.target();
  if (!target.starts_with(options_.api_prefix + "/")) return false;
  request.target(std::string(target.substr(options_.api_prefix.size())));
  return true;
}

bool Access::admits(const RequestHead& request) const {
  if (keys_.empty() || is_public(request)) return true;
  const Digest given = digest(given_key(request));
  bool known = false;
  for (const Digest& key : keys_) known |= CRYPTO_memcmp(key.data(), given.data(), given.size()) == 0;
  return known;
}

void Access::hide_key(RequestHead& request) const {
  if (keys_.empty()) return;
  request.erase(http::field::authorization);
  request.erase(kApiKeyField);
}

std::string Access::allowed_origin(const RequestHead& request) const {
  const std::string_view origin = request[http::field::origin];
  const std::string& allowed = options_.cors_origins;
  if (options_.cors_credentials && allowed == "*") return std::string(origin);
  if (allowed == "localhost") return is_local(origin) ? std::string(origin) : "";
  // A reply can name one origin only.
  if (allowed.find(',') != std::string::npos) return is_in_list(allowed, origin) ? std::string(origin) : "";
  return allowed;
}

void Access::add_headers(const RequestHead& request, ReplyHead& reply) const {
  const std::string origin = allowed_origin(request);
  if (!origin.empty()) reply.set(http::field::access_control_allow_origin, origin);
}

ReplyHead Access::preflight(const RequestHead& request) const {
  ReplyHead reply;
  reply.result(http::status::ok);
  reply.set(http::field::content_type, "text/html");
  add_headers(request, reply);
  reply.set(http::field::access_control_allow_credentials, options_.cors_credentials ? "true" : "false");
  reply.set(http::field::access_control_allow_methods, options_.cors_methods);
  reply.set(http::field::access_control_allow_headers, options_.cors_headers);
  return reply;
}

void remove_cors_headers(ReplyHead& reply) {
  for (auto field = reply.begin(); field != reply.end();) {
    const std::string_view name = field->name_string();
    constexpr std::string_view kFamily = "Access-Control-";
    if (iequals(name.substr(0, kFamily.size()), kFamily)) {
      field = reply.erase(field);
    } else {
      ++field;
    }
  }
}

}  // namespace skimfill
