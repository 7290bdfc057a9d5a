#include "cli/files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace skimfill {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Files : public ::testing::Test {
 protected:
  Files() {
    std::string name = (fs::temp_directory_path() / "skimfill-files-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Files() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string content(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  long entries() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }

  fs::path folder_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string bytes("a\0\xff\n", 4);
  ASSERT_TRUE(write_file(path("x"), bytes));
  EXPECT_EQ(*read_document(path("x"), {}), bytes);
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, ReplacingAFileKeepsItsPermissions) {
  ASSERT_TRUE(write_file(path("x"), "old"));
  ASSERT_EQ(chmod(path("x").c_str(), 0600), 0);
  ASSERT_TRUE(write_file(path("x"), "new"));
  struct stat status {};
  ASSERT_EQ(stat(path("x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(content("x"), "new");
}

TEST_F(Files, ALinkStaysALink) {
  ASSERT_TRUE(write_file(path("real"), "old"));
  fs::create_symlink("real", folder_ / "link");
  ASSERT_TRUE(write_file(path("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content("real"), "new");
}

TEST_F(Files, ADeviceIsWrittenToAndStaysOne) {
  ASSERT_TRUE(check_writable("/dev/null"));
  ASSERT_TRUE(write_file("/dev/null", "gone"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Files, AFailedWriteLeavesNothing) {
  EXPECT_FALSE(write_file(path("missing/x"), "text"));
  fs::create_directory(folder_ / "taken");
  std::ofstream(folder_ / "taken" / "in-use") << "x";
  EXPECT_FALSE(write_file(path("taken"), "text"));
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, WhatCannotBeWrittenIsKnownBefore) {
  EXPECT_THAT(check_writable(folder_.string()).error().message, HasSubstr("is a directory"));
  EXPECT_THAT(check_writable(path("missing/x")).error().message, HasSubstr("missing"));
  EXPECT_TRUE(check_writable(path("new")));
}

TEST_F(Files, NothingToReadIsBadUse) {
  std::ofstream(folder_ / "empty").flush();
  for (const std::string& name : {path("empty"), path("missing"), folder_.string()}) {
    const auto document = read_document(name, {});
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().status, Status::invalid);
  }
}

TEST_F(Files, WaitingForInputCanBeStopped) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::fstream keep_open(pipe);  // a writer that writes nothing
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(read_document(pipe, stop.get_token()).error().status, Status::cancelled);
}

}  // namespace
}  // namespace skimfill
