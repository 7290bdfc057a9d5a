// What a vector is must be judged against another implementation, which tests/signal/test_embeddings.py does;
// here are the properties of Embedder around it.
#include "signal/embedding/embedder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "model/test_gguf.h"

namespace skimfill {
namespace {

using testing::HasSubstr;

constexpr float kTolerance = 1e-3F;  // what the batch around a text may change in its f16 attention

std::string path_in(const char* variable) {
  const char* path = std::getenv(variable);
  EXPECT_NE(path, nullptr) << variable << " must name a model";
  return path == nullptr ? "" : path;
}

Result<std::unique_ptr<Embedder>> load(const std::filesystem::path& path, EmbedderOptions options = {}) {
  options.device = "CPU";
  options.threads = 2;
  const Result<ModelFile> file = inspect_model(path);
  if (!file) return file.error();
  return load_embedder(*file, options);
}

std::unique_ptr<Embedder> minilm(const EmbedderOptions& options = {}) {
  Result<std::unique_ptr<Embedder>> embedder = load(path_in("SKIMFILL_TEST_EMBEDDER"), options);
  if (!embedder) throw std::runtime_error(embedder.error().message);
  return std::move(*embedder);
}

std::vector<float> similar(Embedder& embedder, std::string_view question,
                           const std::vector<std::string>& texts, const ReadControl& control = {}) {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const Result<std::vector<float>> result = embedder.similarities(question, views, control);
  if (!result) throw std::runtime_error(result.error().message);
  EXPECT_EQ(result->size(), texts.size());
  return *result;
}

// Batches that a call runs, as its progress shows them.
int n_batch(Embedder& embedder, std::string_view question, const std::vector<std::string>& texts) {
  int n = 0;
  similar(embedder, question, texts, {.stop = {}, .progress = [&](double) { ++n; }});
  return n;
}

// From one word to hundreds.
std::vector<std::string> texts_of_many_lengths(int n_text) {
  std::vector<std::string> texts;
  for (int i = 0; i < n_text; ++i) {
    std::string text = "Row " + std::to_string(i) + ":";
    for (int word = 0; word < i * i % 97; ++word)
      text += " gauge " + std::to_string((i + word) * 7919 % 9973);
    texts.push_back(text);
  }
  return texts;
}

TEST(EmbedderTest, FindsTheTextThatAnswers) {
  const auto embedder = minilm();
  const std::vector<float> result =
      similar(*embedder, "Who pays for repairs?",
              {"The cat sleeps on the sofa.", "The tenant bears the cost of mending whatever breaks.",
               "Photosynthesis takes place in the leaves."});
  EXPECT_EQ(std::max_element(result.begin(), result.end()) - result.begin(), 1);
  EXPECT_THAT(embedder->path(), HasSubstr("384 dimensions, mean pooling"));
  EXPECT_THAT(embedder->device(), HasSubstr("CPU"));
}

TEST(EmbedderTest, TheQuestionItselfIsNearest) {
  const auto embedder = minilm();
  const std::vector<float> result = similar(*embedder, "Where is it?", {"Where is it?", "Elsewhere."});
  EXPECT_NEAR(result[0], 1.0F, 1e-5F);
  EXPECT_LT(result[1], 0.99F);
}

TEST(EmbedderTest, TheOrderOfTextsDoesNotMatter) {
  std::vector<std::string> texts = texts_of_many_lengths(30);
  const std::vector<float> forward = similar(*minilm(), "Which gauge reads 7919?", texts);
  std::reverse(texts.begin(), texts.end());
  std::vector<float> backward = similar(*minilm(), "Which gauge reads 7919?", texts);
  std::reverse(backward.begin(), backward.end());
  for (std::size_t i = 0; i < forward.size(); ++i) EXPECT_NEAR(forward[i], backward[i], kTolerance) << i;
}

TEST(EmbedderTest, ATextAmongOthersEqualsTheTextAlone) {
  const std::vector<std::string> texts = texts_of_many_lengths(20);
  const auto together = minilm({.cache_bytes = 0});
  const std::vector<float> all = similar(*together, "Which gauge?", texts);
  for (std::size_t i = 0; i < texts.size(); i += 5) {
    EXPECT_NEAR(similar(*together, "Which gauge?", {texts[i]})[0], all[i], kTolerance) << i;
  }
}

TEST(EmbedderTest, EqualTextsAreEqualAndCostOneRun) {
  const auto embedder = minilm();
  const std::vector<std::string> texts(2000, "The same line again.");
  EXPECT_EQ(n_batch(*embedder, "Which line?", texts), 1);
  const std::vector<float> result = similar(*embedder, "Which line?", texts);
  EXPECT_EQ(std::count(result.begin(), result.end(), result[0]), 2000);
}

TEST(EmbedderTest, UnchangedTextsAreNotRunAgain) {
  const std::vector<std::string> texts = texts_of_many_lengths(30);
  const auto embedder = minilm();
  const std::vector<float> first = similar(*embedder, "Which gauge reads 7919?", texts);
  EXPECT_EQ(n_batch(*embedder, "Another question?", texts), 0);
  EXPECT_EQ(similar(*embedder, "Which gauge reads 7919?", texts), first);
  std::vector<std::string> changed = texts;
  changed[7] += " changed";
  EXPECT_EQ(n_batch(*embedder, "Which gauge reads 7919?", changed), 1);

  const auto forgetful = minilm({.cache_bytes = 0});
  similar(*forgetful, "Which gauge reads 7919?", texts);
  EXPECT_GT(n_batch(*forgetful, "Which gauge reads 7919?", texts), 1);
}

TEST(EmbedderTest, TakesAnyBytes) {
  const auto embedder = minilm();
  std::string random;
  for (unsigned i = 0; i < 4000; ++i) random.push_back(static_cast<char>(i * 2654435761U >> 13U));
  const std::vector<std::string> texts = {"",
                                          " \n\t ",
                                          std::string(3, '\0'),
                                          "\xff\xfe\x80",
                                          "\xe7\x8c",
                                          random,
                                          "[CLS] [SEP] [MASK] [PAD]",
                                          std::string(1 << 20, ' '),
                                          std::string(1 << 20, 'a')};
  for (const std::string& question : texts) {
    for (const float value : similar(*embedder, question, texts)) {
      EXPECT_GE(value, -1.0F);
      EXPECT_LE(value, 1.0F);
    }
  }
  EXPECT_TRUE(similar(*embedder, "Nothing?", {}).empty());
}

TEST(EmbedderTest, ALongTextCountsByItsFirstTokens) {
  std::string words;
  for (int i = 0; i < 600; ++i) words += "word ";
  const std::vector<float> result = similar(*minilm(), "Who bears the cost?",
                                            {words + "The tenant bears the cost.", words + "Cats sleep."});
  EXPECT_NEAR(result[0], result[1], kTolerance);
  const std::vector<float> cut =
      similar(*minilm({.max_text_tokens = 6}), "Who?", {"one two three four five", "one two three four six"});
  EXPECT_NEAR(cut[0], cut[1], kTolerance);
}

TEST(EmbedderTest, AStopTokenEndsTheRun) {
  const auto embedder = minilm();
  const std::vector<std::string> texts = texts_of_many_lengths(30);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  std::stop_source source;
  int n_done = 0;
  const ReadControl control{.stop = source.get_token(), .progress = [&](double) {
                              ++n_done;
                              source.request_stop();
                            }};
  const Result<std::vector<float>> result = embedder->similarities("Which gauge?", views, control);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().status, Status::cancelled);
  EXPECT_EQ(n_done, 1);
  similar(*embedder, "Which gauge?", texts);  // and the next job is served

  source = std::stop_source();
  source.request_stop();
  const Result<std::unique_ptr<Embedder>> loaded =
      load(path_in("SKIMFILL_TEST_EMBEDDER"), {.load = {.stop = source.get_token(), .progress = {}}});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().status, Status::cancelled);
}

TEST(EmbedderTest, ProgressRisesToOne) {
  std::vector<double> done;
  const auto embedder = minilm();
  similar(*embedder, "Which gauge?", texts_of_many_lengths(30),
          {.stop = {}, .progress = [&](double value) { done.push_back(value); }});
  ASSERT_GT(done.size(), 1U);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_DOUBLE_EQ(done.back(), 1.0);
}

// A causal model has vectors too, worse ones; that it names no pooling is said.
TEST(EmbedderTest, ALanguageModelEmbedsWithTheMeanOfItsTokens) {
  const Result<std::unique_ptr<Embedder>> loaded = load(path_in("SKIMFILL_TEST_MODEL"));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_THAT((*loaded)->path(), HasSubstr("mean pooling (the model names none)"));
  const std::vector<std::string> texts = {"", "The cat sleeps.", "A cat is asleep on the sofa."};
  const std::vector<float> result = similar(**loaded, "The cat sleeps.", texts);
  EXPECT_NEAR(result[1], 1.0F, 1e-5F);
  EXPECT_LT(result[2], 0.9999F);
  EXPECT_NEAR(similar(**loaded, "The cat sleeps.", {texts[2]})[0], result[2], kTolerance);
}

// A BERT of one layer whose vocabulary has none of the tokens that libllama takes for granted, not even
// [UNK].
test_gguf::Builder tiny_bert(std::uint32_t n_ctx) {
  test_gguf::Builder file;
  file.set_string("general.architecture", "bert").set_string("general.name", "tiny");
  file.set_u32("bert.block_count", 1)
      .set_u32("bert.context_length", n_ctx)
      .set_u32("bert.embedding_length", 32);
  file.set_u32("bert.feed_forward_length", 64).set_u32("bert.attention.head_count", 4);
  file.set_f32("bert.attention.layer_norm_epsilon", 1e-12F).set_u32("bert.pooling_type", 1);
  file.set("bert.attention.causal", test_gguf::kBool, std::string(1, '\0'));
  file.set_u32("tokenizer.ggml.token_type_count", 2);
  file.set_string("tokenizer.ggml.model", "bert");
  file.set_strings("tokenizer.ggml.tokens", {"\u2581a", "\u2581few", "\u2581words"});
  file.set_tensor("token_embd.weight", {32, 3}).set_tensor("position_embd.weight", {32, n_ctx});
  file.set_tensor("token_types.weight", {32, 2});
  for (const char* norm : {"token_embd_norm", "blk.0.attn_output_norm", "blk.0.layer_output_norm"}) {
    for (const char* part : {".weight", ".bias"}) file.set_tensor(std::string(norm) + part, {32});
  }
  for (const char* matrix : {"attn_q", "attn_k", "attn_v", "attn_output"}) {
    file.set_tensor(std::string("blk.0.") + matrix + ".weight", {32, 32});
    file.set_tensor(std::string("blk.0.") + matrix + ".bias", {32});
  }
  file.set_tensor("blk.0.ffn_up.weight", {32, 64}).set_tensor("blk.0.ffn_up.bias", {64});
  file.set_tensor("blk.0.ffn_down.weight", {64, 32}).set_tensor("blk.0.ffn_down.bias", {32});
  return file;
}

TEST(EmbedderTest, AVocabularyWithoutControlTokensEndsNothing) {
  const test_gguf::Folder folder;
  const Result<std::unique_ptr<Embedder>> zeros = load(folder.write("bert.gguf", tiny_bert(64).build()));
  ASSERT_FALSE(zeros.ok());
  EXPECT_THAT(zeros.error().message, HasSubstr("no finite vector"));
  test_gguf::Builder unknown = tiny_bert(64);
  unknown.set_strings("tokenizer.ggml.tokens", {"\u2581x", "\u2581y", "\u2581z"});
  EXPECT_FALSE(load(folder.write("unknown.gguf", unknown.build())).ok());

  test_gguf::Builder short_context = tiny_bert(2);
  short_context.set_u32("tokenizer.ggml.bos_token_id", 0).set_u32("tokenizer.ggml.seperator_token_id", 1);
  const Result<std::unique_ptr<Embedder>> no_room = load(folder.write("short.gguf", short_context.build()));
  ASSERT_FALSE(no_room.ok());
  EXPECT_EQ(no_room.error().status, Status::unsupported);
  EXPECT_THAT(no_room.error().message, HasSubstr("leave no room"));
}

TEST(EmbedderTest, RefusesWhatGivesNoVectors) {
  const test_gguf::Folder folder;
  const Result<std::unique_ptr<Embedder>> zeros =
      load(folder.write("zeros.gguf", test_gguf::tiny_llama().build()));
  ASSERT_FALSE(zeros.ok());
  EXPECT_EQ(zeros.error().status, Status::unsupported);
  EXPECT_THAT(zeros.error().message, HasSubstr("no finite vector"));

  const Result<std::unique_ptr<Embedder>> reranker =
      load(folder.write("reranker.gguf", test_gguf::tiny_llama().set_u32("llama.pooling_type", 4).build()));
  ASSERT_FALSE(reranker.ok());
  EXPECT_EQ(reranker.error().status, Status::unsupported);
  EXPECT_THAT(reranker.error().message, HasSubstr("reranker"));

  const Result<std::unique_ptr<Embedder>> unknown =
      load(folder.write("unknown.gguf", test_gguf::tiny_llama().set_u32("llama.pooling_type", 77).build()));
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().status, Status::unsupported);
}

}  // namespace
}  // namespace skimfill
