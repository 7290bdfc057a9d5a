#include "model/llama_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llama.h>

#include <algorithm>
#include <cstdlib>

#include "model/test_gguf.h"

namespace skimfill {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ModelFile inspected(const std::filesystem::path& path) {
  const Result<ModelFile> file = inspect_model(path);
  EXPECT_TRUE(file.ok()) << file.error().message;
  return file.ok() ? *file : ModelFile{};
}

TEST(LlamaModel, TheRealModelLoadsOnTheCpuByName) {
  const char* path = std::getenv("SKIMFILL_TEST_MODEL");
  ASSERT_NE(path, nullptr) << "SKIMFILL_TEST_MODEL must name SmolLM2-135M-Instruct.Q4_1.gguf";
  const ModelFile file = inspected(path);
  std::vector<double> progress;
  const Result<LoadedModel> loaded =
      load_llama_model(file, {.device = "CPU", .progress = [&](double done) { progress.push_back(done); }});
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_THAT(loaded->device, StartsWith("CPU ("));
  EXPECT_FALSE(loaded->on_gpu);
  EXPECT_EQ(llama_model_n_layer(loaded->model.get()), file.n_layer);
  EXPECT_EQ(llama_model_n_head(loaded->model.get()), file.n_head);
  EXPECT_EQ(llama_model_n_head_kv(loaded->model.get()), file.n_head_kv);
  EXPECT_EQ(llama_vocab_n_tokens(llama_model_get_vocab(loaded->model.get())), file.n_vocab);
  ASSERT_FALSE(progress.empty());
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  EXPECT_EQ(progress.back(), 1.0);
}

class SmallModel : public ::testing::Test {
 protected:
  test_gguf::Folder folder_;
  test_gguf::Builder file_ = test_gguf::tiny_llama();

  ModelFile write() { return inspected(folder_.write("tiny.gguf", file_.build())); }
};

TEST_F(SmallModel, WithoutANameADeviceIsFound) {
  const Result<LoadedModel> loaded = load_llama_model(write(), {});
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_NE(loaded->model, nullptr);
  EXPECT_THAT(loaded->device, HasSubstr(" ("));
}

TEST_F(SmallModel, AnUnknownDeviceIsAnsweredWithThoseThatAreThere) {
  const Result<LoadedModel> loaded = load_llama_model(write(), {.device = "CUDA99"});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().status, Status::unsupported);
  EXPECT_THAT(loaded.error().message, AllOf(HasSubstr("CUDA99"), HasSubstr("CPU")));
}

TEST_F(SmallModel, AStopBeforeOrDuringTheLoadCancelsIt) {
  std::stop_source before;
  before.request_stop();
  const Result<LoadedModel> never_begun =
      load_llama_model(write(), {.device = "CPU", .stop = before.get_token()});
  ASSERT_FALSE(never_begun.ok());
  EXPECT_EQ(never_begun.error().status, Status::cancelled);

  std::stop_source during;
  int n_call = 0;
  const auto stop_at_once = [&](double) {
    ++n_call;
    during.request_stop();
  };
  const Result<LoadedModel> interrupted =
      load_llama_model(write(), {.device = "CPU", .progress = stop_at_once, .stop = during.get_token()});
  ASSERT_FALSE(interrupted.ok());
  EXPECT_EQ(interrupted.error().status, Status::cancelled);
  EXPECT_EQ(n_call, 1);
}

TEST_F(SmallModel, AnUnknownArchitectureIsRefusedWithTheReason) {
  file_.set_string("general.architecture", "warbler");
  file_.set_u32("warbler.block_count", 1)
      .set_u32("warbler.context_length", 64)
      .set_u32("warbler.embedding_length", 32);
  file_.set_u32("warbler.attention.head_count", 4);
  const Result<LoadedModel> loaded = load_llama_model(write(), {.device = "CPU"});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().status, Status::unsupported);
  EXPECT_THAT(loaded.error().message,
              AllOf(HasSubstr("tiny.gguf"), HasSubstr("warbler"), Not(HasSubstr("\n"))));
}

TEST_F(SmallModel, AMissingTensorIsRefusedByItsName) {
  file_.erase_tensor("blk.0.attn_v.weight");
  const Result<LoadedModel> loaded = load_llama_model(write(), {.device = "CPU"});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().status, Status::unsupported);
  EXPECT_THAT(loaded.error().message, HasSubstr("blk.0.attn_v.weight"));
}

TEST_F(SmallModel, ATensorOfAnotherShapeIsRefusedByItsName) {
  file_.set_tensor("blk.0.ffn_up.weight", {32, 96});
  const Result<LoadedModel> loaded = load_llama_model(write(), {.device = "CPU"});
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().message, HasSubstr("blk.0.ffn_up.weight"));
}

TEST_F(SmallModel, AFileThatWentAwayIsRefused) {
  const ModelFile file = write();
  std::filesystem::remove(file.path);
  const Result<LoadedModel> loaded = load_llama_model(file, {.device = "CPU"});
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().message, HasSubstr("tiny.gguf"));
}

}  // namespace
}  // namespace skimfill
