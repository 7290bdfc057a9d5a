#include "model/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "model/test_gguf.h"

namespace skimfill {
namespace {

using namespace test_gguf;  // NOLINT(google-build-using-namespace): the vocabulary of this whole file
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// One thing wrong with a file, and what the message must name.
struct Fault {
  std::string name;
  std::string content;
  std::string field;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

std::string one_key(const std::string& record) { return header(0, 1) + record; }

// Files that are no GGUF, or whose structure is broken.
std::vector<Fault> broken_files() {
  const std::string t32 = tensor("t", {32}, 0, 0);
  const auto tensors = [](std::uint64_t n, const std::string& records) {
    return padded(header(n, 0) + records);
  };
  const std::string arch = key("general.architecture", kString, text("llama"));
  return {
      {"empty", "", "0 bytes"},
      {"magic_only", "GGUF", "4 bytes"},
      {"other_magic", header(0, 0, 3, "GGML"), "magic"},
      {"version_99", header(0, 0, 99), "version 99"},
      {"version_0", header(0, 0, 0), "version"},
      {"version_1", header(0, 0, 1), "v1"},
      {"big_endian", header(0, 0, 0x03000000), "endian"},
      {"tensors_2_60", header(std::uint64_t{1} << 60, 0), "tensor count"},
      {"keys_2_60", header(0, std::uint64_t{1} << 60), "key count"},
      {"tensors_negative", header(~std::uint64_t{0}, 0), "tensor count"},
      {"keys_more_than_bytes", header(0, 60'000) + arch, "general.architecture"},
      {"tensors_more_than_bytes", header(90'000, 1) + arch, "general.architecture"},
      {"key_length_2_63", header(0, 1) + bytes(std::uint64_t{1} << 63), "string length"},
      {"key_empty", one_key(key("", kU32, bytes(1u))), "key 0 is empty"},
      {"key_twice", header(0, 2) + arch + arch, "general.architecture"},
      {"value_type_99", one_key(key("general.name", 99, "")), "general.name"},
      {"string_10_12", one_key(key("general.name", kString, bytes(std::uint64_t{1'000'000'000'000}))),
       "general.name"},
      {"array_2_61", one_key(key("tokenizer.ggml.tokens", kArray, bytes(8u) + bytes(std::uint64_t{1} << 61))),
       "tokenizer.ggml.tokens"},
      {"array_of_arrays", one_key(key("tokenizer.ggml.tokens", kArray, bytes(9u) + bytes(std::uint64_t{1}))),
       "tokenizer.ggml.tokens"},
      {"alignment_0", one_key(key("general.alignment", kU32, bytes(0u))), "alignment"},
      {"alignment_3", one_key(key("general.alignment", kU32, bytes(3u))), "alignment"},
      {"alignment_string", one_key(key("general.alignment", kString, text("32"))), "general.alignment"},
      {"alignment_8",
       header(2, 1) + key("general.alignment", kU32, bytes(8u)) + tensor("a", {2}, 0, 0) +
           tensor("b", {2}, 0, 8) + std::string(256, '\0'),
       "general.alignment"},
      {"dimensions_4_0", tensors(1, tensor("t", {4, 0}, 0, 0)), "tensor t"},
      {"dimensions_0", tensors(1, tensor("t", {0}, 0, 0)), "tensor t"},
      {"dimensions_negative", tensors(1, tensor("t", {~std::uint64_t{0}}, 0, 0)), "tensor 't'"},
      {"dimensions_none", tensors(1, tensor("t", {}, 0, 0)), "tensor t"},
      {"dimensions_nine", tensors(1, tensor("t", {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, 0)), "tensor 't'"},
      {"dimensions_overflow", tensors(1, tensor("t", {std::uint64_t{1} << 32, std::uint64_t{1} << 32}, 0, 0)),
       "tensor 't'"},
      {"dimensions_zero_times_huge",
       tensors(1, tensor("t", {std::uint64_t{1} << 62, 0, std::uint64_t{1} << 62}, 0, 0)), "tensor"},
      {"tensor_type_999", tensors(1, tensor("t", {32}, 999, 0)), "tensor 't'"},
      {"tensor_type_negative", tensors(1, tensor("t", {32}, ~0u, 0)), "tensor 't'"},
      {"tensor_type_retired", tensors(1, tensor("t", {32}, 4, 0)), "tensor 't'"},
      {"q8_0_of_33_columns", tensors(1, tensor("t", {33}, 8, 0)), "tensor 't'"},
      {"offset_2_40", tensors(1, tensor("t", {32}, 0, std::uint64_t{1} << 40)), "tensor 't'"},
      {"offset_7", tensors(1, tensor("t", {32}, 0, 7)), "tensor 't'"},
      {"size_wraps",
       tensors(2, tensor("a", {64}, 0, 0) + tensor("b", {4, (1u << 30) - 1, (1u << 30) + 1}, 0, 256)),
       "tensor 'b'"},
      {"tensor_twice", tensors(2, t32 + tensor("t", {32}, 0, 128)), "tensor name 't'"},
      {"tensor_name_too_long", tensors(1, tensor(std::string(200, 'n'), {32}, 0, 0)), "name"},
      {"tensor_outside_the_file", tensors(1, t32), "tensor t"},
      {"name_with_line_break", tensors(1, tensor("t\n\x1b[2J", {0}, 0, 0)), "tensor t??[2J"},
      {"no_keys", header(0, 0), "general.architecture"},
      {"plain_text", std::string(4096, 'x'), "magic"},
  };
}

// Files that are well-formed and lie.
std::vector<Fault> lying_files() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const auto with = [](const auto& change) {
    Builder file = tiny_llama();
    change(file);
    return file.build();
  };
  const std::string heads = "llama.attention.head_count";
  const std::string kv_heads = "llama.attention.head_count_kv";
  const std::string eps = "llama.attention.layer_norm_rms_epsilon";
  const std::string tokens = "tokenizer.ggml.tokens";
  const std::string scores = "tokenizer.ggml.scores";
  const std::string types = "tokenizer.ggml.token_type";
  const std::string merges = "tokenizer.ggml.merges";
  const auto u32s = [](std::vector<std::uint32_t> values) { return numbers(kU32, values); };
  using B = Builder&;
  return {
      {"architecture_missing", with([&](B f) { f.erase("general.architecture"); }), "general.architecture"},
      {"architecture_u32", with([&](B f) { f.set_u32("general.architecture", 1); }), "general.architecture"},
      {"name_u32", with([&](B f) { f.set_u32("general.name", 1); }), "general.name"},
      {"layers_missing", with([&](B f) { f.erase("llama.block_count"); }), "llama.block_count"},
      {"layers_0", with([&](B f) { f.set_u32("llama.block_count", 0); }), "llama.block_count"},
      {"layers_string", with([&](B f) { f.set_string("llama.block_count", "1"); }), "llama.block_count"},
      {"layers_u64", with([&](B f) { f.set("llama.block_count", kU64, bytes(std::uint64_t{1})); }),
       "llama.block_count"},
      {"layers_2_31", with([&](B f) { f.set_u32("llama.block_count", 1u << 31); }), "llama.block_count"},
      {"layers_more_than_tensors", with([&](B f) { f.set_u32("llama.block_count", 12); }),
       "llama.block_count"},
      {"context_missing", with([&](B f) { f.erase("llama.context_length"); }), "llama.context_length"},
      {"context_0", with([&](B f) { f.set_u32("llama.context_length", 0); }), "llama.context_length"},
      {"embedding_missing", with([&](B f) { f.erase("llama.embedding_length"); }), "llama.embedding_length"},
      {"embedding_0", with([&](B f) { f.set_u32("llama.embedding_length", 0); }), "llama.embedding_length"},
      {"embedding_64", with([&](B f) { f.set_u32("llama.embedding_length", 64); }), "llama.embedding_length"},
      {"heads_0", with([&](B f) { f.set_u32(heads, 0); }), heads},
      {"heads_missing", with([&](B f) { f.erase(heads); }), heads},
      {"heads_float", with([&](B f) { f.set_f32(heads, 4); }), heads},
      {"heads_2_31", with([&](B f) { f.set_u32(heads, 1u << 31); }), heads},
      {"heads_of_two_layers", with([&](B f) {
         f.set(heads, kArray, u32s({4, 4}));
       }),
       heads},
      {"heads_none", with([&](B f) { f.set(heads, kArray, u32s({})); }), heads},
      {"heads_strings", with([&](B f) { f.set_strings(heads, {"4"}); }), heads},
      {"heads_negative", with([&](B f) { f.set(heads, kArray, numbers<std::int32_t>(kI32, {-4})); }), heads},
      {"kv_heads_0", with([&](B f) { f.set_u32(kv_heads, 0); }), kv_heads},
      {"kv_heads_3_of_4", with([&](B f) { f.set_u32(kv_heads, 3); }), kv_heads},
      {"kv_heads_8_of_4", with([&](B f) { f.set_u32(kv_heads, 8); }), kv_heads},
      {"kv_heads_array_3_of_4", with([&](B f) { f.set(kv_heads, kArray, u32s({3})); }), kv_heads},
      {"rope_base_nan", with([&](B f) { f.set_f32("llama.rope.freq_base", nan); }), "llama.rope.freq_base"},
      {"rope_base_0", with([&](B f) { f.set_f32("llama.rope.freq_base", 0); }), "llama.rope.freq_base"},
      {"rope_base_negative", with([&](B f) { f.set_f32("llama.rope.freq_base", -1); }),
       "llama.rope.freq_base"},
      {"rope_base_u32", with([&](B f) { f.set_u32("llama.rope.freq_base", 10000); }), "llama.rope.freq_base"},
      {"rope_factor_nan", with([&](B f) { f.set_f32("llama.rope.scaling.factor", nan); }),
       "llama.rope.scaling.factor"},
      {"rope_type", with([&](B f) { f.set_string("llama.rope.scaling.type", "x"); }),
       "llama.rope.scaling.type"},
      {"rope_odd", with([&](B f) { f.set_u32("llama.rope.dimension_count", 7); }),
       "llama.rope.dimension_count"},
      {"rope_too_wide", with([&](B f) { f.set_u32("llama.rope.dimension_count", 10); }),
       "llama.rope.dimension_count"},
      {"eps_0", with([&](B f) { f.set_f32(eps, 0); }), eps},
      {"eps_negative", with([&](B f) { f.set_f32(eps, -1e-5f); }), eps},
      {"eps_infinite", with([&](B f) { f.set_f32(eps, infinity); }), eps},
      {"eps_nan", with([&](B f) { f.set_f32(eps, nan); }), eps},
      {"experts_2000", with([&](B f) { f.set_u32("llama.expert_count", 2000); }), "llama.expert_count"},
      {"experts_none_used", with([&](B f) { f.set_u32("llama.expert_count", 8); }),
       "llama.expert_used_count"},
      {"experts_used_9_of_8",
       with([&](B f) { f.set_u32("llama.expert_count", 8).set_u32("llama.expert_used_count", 9); }),
       "llama.expert_used_count"},
      {"expert_groups", with([&](B f) { f.set_u32("llama.expert_group_count", 2); }),
       "llama.expert_group_count"},
      {"nextn_layers", with([&](B f) { f.set_u32("llama.nextn_predict_layers", 2); }),
       "llama.nextn_predict_layers"},
      {"tokenizer_missing", with([&](B f) { f.erase("tokenizer.ggml.model"); }), "tokenizer.ggml.model"},
      {"tokenizer_none", with([&](B f) { f.set_string("tokenizer.ggml.model", "none"); }),
       "tokenizer.ggml.model"},
      {"tokens_missing", with([&](B f) { f.erase(tokens); }), tokens},
      {"tokens_u32", with([&](B f) {
         f.set(tokens, kArray, u32s({1, 2, 3, 4}));
       }),
       tokens},
      {"tokens_string", with([&](B f) { f.set_string(tokens, "abcd"); }), tokens},
      {"tokens_empty", with([&](B f) { f.set_strings(tokens, {}); }), tokens},
      {"tokens_twice_the_same", with([&](B f) {
         f.set_strings(tokens, {"<|end|>", "a", "a", "ab"});
       }),
       tokens},
      {"tokens_5_for_4_rows", with([&](B f) {
         f.set_strings(tokens, {"<|end|>", "a", "b", "ab", "c"}).erase(scores).erase(types);
       }),
       tokens},
      {"tokens_without_bytes", with([&](B f) { f.set_string("tokenizer.ggml.model", "llama"); }), tokens},
      {"scores_short", with([&](B f) {
         f.set(scores, kArray, numbers<float>(kF32, {0, 0}));
       }),
       scores},
      {"scores_long", with([&](B f) {
         f.set(scores, kArray, numbers<float>(kF32, {0, 0, 0, 0, 0}));
       }),
       scores},
      {"scores_strings", with([&](B f) {
         f.set_strings(scores, {"0", "0", "0", "0"});
       }),
       scores},
      {"types_short", with([&](B f) { f.set(types, kArray, numbers<std::int32_t>(kI32, {3})); }), types},
      {"types_u32", with([&](B f) {
         f.set(types, kArray, u32s({3, 1, 1, 1}));
       }),
       types},
      {"merges_missing", with([&](B f) { f.erase(merges); }), merges},
      {"merges_string", with([&](B f) { f.set_string(merges, "a b"); }), merges},
      {"merges_u32", with([&](B f) { f.set(merges, kArray, u32s({1})); }), merges},
      {"bos_past_the_end", with([&](B f) { f.set_u32("tokenizer.ggml.bos_token_id", 4); }),
       "tokenizer.ggml.bos_token_id"},
      {"eos_past_the_end", with([&](B f) { f.set_u32("tokenizer.ggml.eos_token_id", ~0u); }),
       "tokenizer.ggml.eos_token_id"},
      {"eos_string", with([&](B f) { f.set_string("tokenizer.ggml.eos_token_id", "0"); }),
       "tokenizer.ggml.eos_token_id"},
      {"pad_past_the_end", with([&](B f) { f.set_u32("tokenizer.ggml.padding_token_id", 9); }),
       "tokenizer.ggml.padding_token_id"},
      {"embedding_tensor_missing", with([&](B f) { f.erase_tensor("token_embd.weight"); }),
       "token_embd.weight"},
      {"embedding_rows_8", with([&](B f) {
         f.set_tensor("token_embd.weight", {32, 8});
       }),
       tokens},
      {"shard_count_string", with([&](B f) { f.set_string("split.count", "2"); }), "split.count"},
      {"shard_number_missing", with([&](B f) { f.set_u16("split.count", 2); }), "split.no"},
      {"shards_misnamed", with([&](B f) {
         f.set_u16("split.count", 2).set_u16("split.no", 0).set_i32("split.tensors.count", 11);
       }),
       "split.count"},
  };
}

class FaultyModelFile : public ::testing::TestWithParam<Fault> {};

TEST_P(FaultyModelFile, IsRefusedInOneLineWithFileFieldAndReason) {
  const Folder folder;
  const auto path = folder.write("model.gguf", GetParam().content);
  const Result<ModelFile> model = inspect_model(path);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().status, Status::invalid);
  EXPECT_THAT(model.error().message,
              AllOf(HasSubstr(path.string()), HasSubstr(GetParam().field), Not(HasSubstr("\n"))));
}

std::string name_of(const ::testing::TestParamInfo<Fault>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Broken, FaultyModelFile, ::testing::ValuesIn(broken_files()), name_of);
INSTANTIATE_TEST_SUITE_P(Lying, FaultyModelFile, ::testing::ValuesIn(lying_files()), name_of);

TEST(ModelFile, TakesATrueFile) {
  const Folder folder;
  const std::string content = tiny_llama().build();
  const Result<ModelFile> model = inspect_model(folder.write("model.gguf", content));
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->architecture, "llama");
  EXPECT_EQ(model->name, "tiny");
  EXPECT_EQ(model->size_bytes, static_cast<std::int64_t>(content.size()));
  EXPECT_EQ(model->n_tensor, 11);
  EXPECT_EQ(model->n_layer, 1);
  EXPECT_EQ(model->n_ctx_train, 64);
  EXPECT_EQ(model->n_embd, 32);
  EXPECT_EQ(model->n_head, 4);
  EXPECT_EQ(model->n_head_kv, 2);
  EXPECT_EQ(model->n_vocab, 4);
}

TEST(ModelFile, TakesTheRealModel) {
  const char* path = std::getenv("SKIMFILL_TEST_MODEL");
  ASSERT_NE(path, nullptr) << "SKIMFILL_TEST_MODEL must name SmolLM2-135M-Instruct.Q4_1.gguf";
  const Result<ModelFile> model = inspect_model(path);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->architecture, "llama");
  EXPECT_EQ(model->n_tensor, 272);
  EXPECT_EQ(model->n_layer, 30);
  EXPECT_EQ(model->n_ctx_train, 8192);
  EXPECT_EQ(model->n_embd, 576);
  EXPECT_EQ(model->n_head, 9);
  EXPECT_EQ(model->n_head_kv, 3);
  EXPECT_EQ(model->n_vocab, 49152);
}

TEST(ModelFile, AbsentKeysHaveTheirDefaults) {
  const Folder folder;
  const std::string content =
      tiny_llama().erase("general.name").erase("llama.attention.head_count_kv").build();
  const Result<ModelFile> model = inspect_model(folder.write("stem.gguf", content));
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->name, "stem");
  EXPECT_EQ(model->n_head_kv, 4);
}

TEST(ModelFile, HeadsPerLayerCountByTheLargest) {
  const Folder folder;
  Builder file = tiny_llama();
  file.set_u32("llama.block_count", 3);
  file.set("llama.attention.head_count", kArray, numbers<std::uint32_t>(kU32, {4, 8, 4}));
  file.set("llama.attention.head_count_kv", kArray, numbers<std::int32_t>(kI32, {0, 2, 1}));
  file.erase("llama.rope.dimension_count");
  const Result<ModelFile> model = inspect_model(folder.write("model.gguf", file.build()));
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->n_head, 8);
  EXPECT_EQ(model->n_head_kv, 2);
}

TEST(ModelFile, AModelWithoutAttentionHasNoHeads) {
  for (const bool zero_is_written : {false, true}) {
    const Folder folder;
    Builder file = tiny_llama();
    file.erase("llama.attention.head_count_kv").erase("llama.attention.head_count");
    if (zero_is_written) file.set_u32("llama.attention.head_count", 0);
    file.erase_tensor("blk.0.attn_q.weight").set_tensor("blk.0.ssm_in.weight", {32, 32});
    const Result<ModelFile> model = inspect_model(folder.write("model.gguf", file.build()));
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_EQ(model->n_head, 0);
  }
}

TEST(ModelFile, WhatIsNoFileIsRefused) {
  const Folder folder;
  const Result<ModelFile> missing = inspect_model(folder.path() / "missing.gguf");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("does not exist"));
  const Result<ModelFile> directory = inspect_model(folder.path());
  ASSERT_FALSE(directory.ok());
  EXPECT_THAT(directory.error().message, HasSubstr("not a regular file"));
}

// The first shard has the keys and the embedding, the second the layer.
class Shards : public ::testing::Test {
 protected:
  Shards() {
    for (const char* name : {"blk.0.attn_norm.weight", "blk.0.ffn_down.weight"}) first_.erase_tensor(name);
    first_.set_u16("split.count", 2).set_u16("split.no", 0).set_i32("split.tensors.count", 11);
    second_.set_u16("split.no", 1).set_u16("split.count", 2).set_i32("split.tensors.count", 11);
    second_.set_tensor("blk.0.attn_norm.weight", {32}).set_tensor("blk.0.ffn_down.weight", {64, 32});
  }

  Result<ModelFile> inspect() {
    const auto path = folder_.write("m-00001-of-00002.gguf", first_.build());
    return inspect_model(path);
  }
  void write_second() { folder_.write("m-00002-of-00002.gguf", second_.build()); }

  Folder folder_;
  Builder first_ = tiny_llama();
  Builder second_;
};

TEST_F(Shards, AreReadTogether) {
  write_second();
  const Result<ModelFile> model = inspect();
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->n_tensor, 11);
  EXPECT_EQ(model->size_bytes, static_cast<std::int64_t>(first_.build().size() + second_.build().size()));
}

TEST_F(Shards, MustAllBeThere) {
  const Result<ModelFile> model = inspect();
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.error().message, AllOf(HasSubstr("00002-of-00002"), HasSubstr("does not exist")));
}

TEST_F(Shards, AreEachChecked) {
  std::string content = second_.build();
  content.resize(content.size() - 64);
  folder_.write("m-00002-of-00002.gguf", content);
  const Result<ModelFile> model = inspect();
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.error().message, AllOf(HasSubstr("00002-of-00002"), HasSubstr("blk.0.ffn_down.weight")));
}

TEST_F(Shards, AreGivenByTheFirst) {
  write_second();
  const Result<ModelFile> model = inspect_model(folder_.path() / "m-00002-of-00002.gguf");
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.error().message, AllOf(HasSubstr("split.no"), HasSubstr("shard 2 of 2")));
}

TEST_F(Shards, HaveTheirNumbers) {
  second_.set_string("split.no", "1");
  write_second();
  Result<ModelFile> model = inspect();
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.error().message, HasSubstr("split.no"));
  second_.set_u16("split.no", 0);
  write_second();
  model = inspect();
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.error().message, HasSubstr("split.no"));
}

TEST_F(Shards, HaveEachTensorOnceAndAllOfThem) {
  second_.set_tensor("token_embd.weight", {32, 4});
  write_second();
  Result<ModelFile> model = inspect();
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.error().message, HasSubstr("token_embd.weight"));
  second_.erase_tensor("token_embd.weight").erase_tensor("blk.0.attn_norm.weight");
  write_second();
  model = inspect();
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.error().message, HasSubstr("split.tensors.count"));
}

TEST(DamagedModelFile, CutAnywhereIsRefused) {
  const Folder folder;
  const std::string content = tiny_llama().build();
  const auto path = folder.write("model.gguf", content);
  for (std::size_t size = content.size() - 1; size > 0; size -= size < 2048 ? 1 : 997) {
    std::filesystem::resize_file(path, size);
    EXPECT_FALSE(inspect_model(path).ok()) << "cut at " << size;
  }
}

TEST(DamagedModelFile, AFlippedByteGivesAnAnswer) {
  const Folder folder;
  const std::string content = tiny_llama().build();
  const auto path = folder.write("model.gguf", content);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto put = [&](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at)).put(byte).flush();
  };
  const std::size_t n_metadata = content.find("blk.0.ffn_down.weight") + 64;
  int n_refused = 0;
  for (std::size_t at = 0; at < n_metadata; ++at) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      put(at, static_cast<char>(content[at] ^ mask));
      const Result<ModelFile> model = inspect_model(path);
      if (model.ok()) {
        EXPECT_LE(model->n_layer, model->n_tensor);
        continue;
      }
      ++n_refused;
      EXPECT_THAT(model.error().message, AllOf(HasSubstr("model.gguf': "), Not(HasSubstr("\n"))));
    }
    put(at, content[at]);
  }
  EXPECT_GT(n_refused, 1000);
  EXPECT_TRUE(inspect_model(path).ok()) << "the file was not put back";
}

}  // namespace
}  // namespace skimfill
