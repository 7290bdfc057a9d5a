// Our probe rows against a plain llama.cpp run over the same tokens: the segment and the probe as one
// sequence, the whole graph, nothing removed. With the test model's weights widened to f32: quantised weights
// make libllama round activations to 8 bits, and rows then differ by up to 0.05 between runs that only split
// their batches apart (0.002 with an f16 cache), so the cache is f32 too.
#include "signal/llama/probe_context.h"

#include <ggml-backend.h>
#include <gtest/gtest.h>
#include <llama.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "model/llama_model.h"

namespace skimfill {
namespace {

constexpr float kTolerance = 1e-3F;

// rows[layer] = [n_head, n_probe, n_key] of one sequence, keys of the segment only
using LayerRows = std::map<std::int64_t, std::vector<float>>;

struct PlainCapture {
  std::int64_t n_probe;
  std::int64_t n_key;
  LayerRows rows;

  static bool on_eval(ggml_tensor* tensor, bool ask, void* self) {
    const std::string name = tensor->name;
    const std::string prefix = "kq_soft_max-";
    if (!name.starts_with(prefix)) return !ask;
    if (ask) return true;
    auto& capture = *static_cast<PlainCapture*>(self);
    std::vector<float> all(static_cast<std::size_t>(ggml_nelements(tensor)));
    ggml_backend_tensor_get(tensor, all.data(), 0, ggml_nbytes(tensor));
    std::vector<float>& rows = capture.rows[std::stoi(name.substr(prefix.size()))];
    for (std::int64_t head = 0; head < tensor->ne[2]; ++head) {
      for (std::int64_t q = tensor->ne[1] - capture.n_probe; q < tensor->ne[1]; ++q) {
        const float* row = all.data() + (head * tensor->ne[1] + q) * tensor->ne[0];
        rows.insert(rows.end(), row, row + capture.n_key);
      }
    }
    return true;
  }
};

class ProbeRowsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const char* path = std::getenv("SKIMFILL_TEST_MODEL");
    ASSERT_NE(path, nullptr) << "SKIMFILL_TEST_MODEL must name the test model";
    std::string folder = std::filesystem::temp_directory_path() / "skimfill-probe-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const std::string wide = folder + "/f32.gguf";
    llama_model_quantize_params params = llama_model_quantize_default_params();
    params.ftype = LLAMA_FTYPE_ALL_F32;
    params.allow_requantize = true;
    EXPECT_EQ(llama_model_quantize(path, wide.c_str(), &params), 0U);
    Result<ModelFile> file = inspect_model(wide);
    ASSERT_TRUE(file.ok()) << file.error().message;
    Result<LoadedModel> loaded = load_llama_model(*file, {.device = "CPU"});
    std::filesystem::remove_all(folder);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    loaded_ = std::make_unique<LoadedModel>(std::move(*loaded));
  }
  static void TearDownTestSuite() { loaded_.reset(); }

  llama_model* model() { return loaded_->model.get(); }

  std::vector<Token> tokens(const std::string& text) {
    return Tokenizer(llama_model_get_vocab(model())).tokenize(text).tokens;
  }
  std::vector<Token> filler(int first, std::size_t n_token) {
    std::string text;
    for (int i = first; i < first + 100; ++i) {
      text +=
          "Row " + std::to_string(i) + ": gauge reads " + std::to_string(i * 7919 % 9973) + " on the shelf. ";
    }
    std::vector<Token> all = tokens(text);
    EXPECT_GE(all.size(), n_token);
    all.resize(n_token);
    return all;
  }

  LayerRows plain_rows(std::vector<Token> segment, const std::vector<Token>& probe) {
    PlainCapture capture{.n_probe = static_cast<std::int64_t>(probe.size()),
                         .n_key = static_cast<std::int64_t>(segment.size()),
                         .rows = {}};
    segment.insert(segment.end(), probe.begin(), probe.end());
    llama_context_params params = llama_context_default_params();
    params.n_ctx = 1024;
    params.n_batch = params.n_ubatch = 1024;
    params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
    params.n_threads = params.n_threads_batch = 2;
    params.type_k = params.type_v = GGML_TYPE_F32;
    params.cb_eval = &PlainCapture::on_eval;
    params.cb_eval_user_data = &capture;
    const std::unique_ptr<llama_context, decltype(&llama_free)> context(
        llama_init_from_model(model(), params), &llama_free);
    EXPECT_EQ(
        llama_decode(context.get(), llama_batch_get_one(segment.data(), static_cast<int>(segment.size()))),
        0);
    return capture.rows;
  }

  ProbeContext probe_context(std::int64_t last_layer) {
    Result<ProbeContext> context = ProbeContext::create(model(), {.max_segment_tokens = 512,
                                                                  .max_probe_tokens = 32,
                                                                  .max_sequences = 4,
                                                                  .last_layer = last_layer,
                                                                  .threads = 2,
                                                                  .wide_cache = true});
    EXPECT_TRUE(context.ok());
    return std::move(*context);
  }

  // The rows of every sequence, keys of its segment only.
  static std::vector<LayerRows> our_rows(ProbeContext& context, const std::vector<Token>& probe,
                                         const std::vector<std::vector<Token>>& segments) {
    std::vector<LayerRows> all(segments.size());
    const RowVisitor visitor = [&](const ProbeRows& rows) {
      EXPECT_EQ(rows.n_seq, static_cast<std::int64_t>(segments.size()));
      EXPECT_EQ(rows.n_probe, static_cast<std::int64_t>(probe.size()));
      for (std::size_t s = 0; s < segments.size(); ++s) {
        std::vector<float>& out = all[s][rows.layer];
        for (std::int64_t head = 0; head < rows.n_head; ++head) {
          for (std::int64_t q = 0; q < rows.n_probe; ++q) {
            const auto row = rows.row(static_cast<std::int64_t>(s), head, q).first(segments[s].size());
            out.insert(out.end(), row.begin(), row.end());
          }
        }
      }
    };
    EXPECT_TRUE(context.read_probe(probe, {}, visitor).ok());
    return all;
  }

  static void expect_same(const LayerRows& ours, const LayerRows& plain, std::int64_t last_layer) {
    ASSERT_EQ(ours.size(),
              static_cast<std::size_t>(std::distance(plain.begin(), plain.upper_bound(last_layer))));
    ASSERT_FALSE(ours.empty());
    for (const auto& [layer, rows] : ours) {
      const std::vector<float>& expected = plain.at(layer);
      ASSERT_EQ(rows.size(), expected.size());
      float worst = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) worst = std::max(worst, std::abs(rows[i] - expected[i]));
      EXPECT_LE(worst, kTolerance) << "layer " << layer;
    }
  }

 private:
  static std::unique_ptr<LoadedModel> loaded_;
};

std::unique_ptr<LoadedModel> ProbeRowsTest::loaded_;

TEST_F(ProbeRowsTest, OfOneSegmentEqualAPlainRun) {
  const std::vector<std::vector<Token>> segments{filler(0, 300)};
  const std::vector<Token> probe = tokens("\n\nWhich gauge reads 7919?");
  ProbeContext context = probe_context(29);
  ASSERT_TRUE(context.read_segments(segments, {}).ok());
  expect_same(our_rows(context, probe, segments)[0], plain_rows(segments[0], probe), 29);
}

TEST_F(ProbeRowsTest, OfParallelSegmentsEqualAPlainRunOfEach) {
  const std::vector<std::vector<Token>> segments{filler(0, 150), filler(100, 129), filler(200, 128),
                                                 filler(300, 31)};
  const std::vector<Token> probe = tokens("\n\nWhich gauge reads 7919?");
  ProbeContext context = probe_context(29);
  ASSERT_TRUE(context.read_segments(segments, {}).ok());
  const std::vector<LayerRows> ours = our_rows(context, probe, segments);
  for (std::size_t s = 0; s < segments.size(); ++s) expect_same(ours[s], plain_rows(segments[s], probe), 29);
}

TEST_F(ProbeRowsTest, AfterAnEarlyExitAndRemovedProbesEqualAPlainRun) {
  const std::vector<std::vector<Token>> segments{filler(0, 120), filler(100, 90)};
  const std::vector<Token> question = tokens("\n\nWhich gauge reads 7919?");
  const std::vector<Token> neutral = tokens("\n\nPlease summarise the text above in one sentence.");
  ProbeContext context = probe_context(9);
  ASSERT_TRUE(context.read_segments(segments, {}).ok());
  our_rows(context, neutral, segments);  // leaves nothing behind
  for (const std::vector<Token>& probe : {question, neutral}) {
    const std::vector<LayerRows> ours = our_rows(context, probe, segments);
    for (std::size_t s = 0; s < segments.size(); ++s) expect_same(ours[s], plain_rows(segments[s], probe), 9);
  }
  // The next body finds a clean memory.
  const std::vector<std::vector<Token>> next{filler(500, 120)};
  ASSERT_TRUE(context.read_segments(next, {}).ok());
  expect_same(our_rows(context, question, next)[0], plain_rows(next[0], question), 9);
}

TEST_F(ProbeRowsTest, AStopTokenEndsTheReading) {
  std::stop_source source;
  ProbeContext context = probe_context(19);
  const std::vector<std::vector<Token>> segments(4, filler(0, 500));
  std::int64_t n_done = 0;
  const Result<void> read = context.read_segments(segments, source.get_token(), [&](std::int64_t n_token) {
    n_done += n_token;
    source.request_stop();
  });
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().status, Status::cancelled);
  EXPECT_LE(n_done, 512);
  // And the context serves the next job.
  ASSERT_TRUE(context.read_segments({segments.data(), 1}, {}).ok());
}

}  // namespace
}  // namespace skimfill
