#include "gateway/dialect/dialect.h"

#include <gtest/gtest.h>

#include <ostream>

namespace skimfill {
namespace {

struct Case {
  std::string_view path;
  Dialect dialect;
  Task::Kind kind;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.path; }

class Routes : public testing::TestWithParam<Case> {};

TEST_P(Routes, ToldByThePath) {
  const Task task = task_of(GetParam().path);
  EXPECT_EQ(task.dialect, GetParam().dialect);
  EXPECT_EQ(task.kind, GetParam().kind);
}

using Kind = Task::Kind;

INSTANTIATE_TEST_SUITE_P(
    Gateway, Routes,
    testing::Values(
        Case{"/chat/completions", Dialect::chat, Kind::generate},
        Case{"/v1/chat/completions", Dialect::chat, Kind::generate},
        Case{"/chat/completions?x=/completions", Dialect::chat, Kind::generate},
        Case{"/prefix/v1/chat/completions", Dialect::chat, Kind::generate},
        Case{"/v1/chat/completion%73", Dialect::chat, Kind::generate},
        Case{"/v1%2Fmessages", Dialect::messages, Kind::generate},
        Case{"/completion", Dialect::completion, Kind::generate},
        Case{"/completions", Dialect::completion, Kind::generate},
        Case{"/v1/completions", Dialect::completion, Kind::generate},
        Case{"/v1/messages", Dialect::messages, Kind::generate},
        Case{"/v1/messages?beta=true", Dialect::messages, Kind::generate},
        Case{"/v1/responses", Dialect::responses, Kind::generate},
        Case{"/responses", Dialect::responses, Kind::generate},
        Case{"/v1/chat/completions/input_tokens", Dialect::chat, Kind::count},
        Case{"/v1/messages/count_tokens", Dialect::messages, Kind::count},
        Case{"/v1/responses/input_tokens", Dialect::responses, Kind::count},
        Case{"/infill", Dialect::other, Kind::compute}, Case{"/embedding", Dialect::other, Kind::compute},
        Case{"/v1/embeddings", Dialect::other, Kind::compute},
        Case{"/v1/rerank", Dialect::other, Kind::compute}, Case{"/reranking", Dialect::other, Kind::compute},
        Case{"/v1/audio/transcriptions", Dialect::other, Kind::compute},
        Case{"/v1/chat/completions/control", Dialect::other, Kind::other},
        Case{"/apply-template", Dialect::chat, Kind::count}, Case{"/tokenize", Dialect::other, Kind::other},
        Case{"/health?to=/v1/messages", Dialect::other, Kind::other},
        Case{"/100%", Dialect::other, Kind::other}, Case{"/%zzcompletion", Dialect::other, Kind::other},
        Case{"/autocompletion", Dialect::other, Kind::other}, Case{"", Dialect::other, Kind::other}));

TEST(Dialects, HaveNamesForMetrics) {
  EXPECT_EQ(name_of(Dialect::chat), "chat");
  EXPECT_EQ(name_of(Dialect::completion), "completion");
  EXPECT_EQ(name_of(Dialect::messages), "messages");
  EXPECT_EQ(name_of(Dialect::responses), "responses");
  EXPECT_EQ(name_of(Dialect::other), "other");
}

}  // namespace
}  // namespace skimfill
