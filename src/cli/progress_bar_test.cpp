#include "cli/progress_bar.h"

#include <gmock/gmock.h>

namespace skimfill {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Progress kHalf{Progress::Stage::score, 0.5};

TEST(ProgressLine, TellsShareTimeAndWhatIsLeft) {
  const std::string line = progress_line(kHalf, 10'000, 80);
  EXPECT_THAT(line, HasSubstr("scoring"));
  EXPECT_THAT(line, HasSubstr("50 %"));
  EXPECT_THAT(line, HasSubstr("0:10, about 0:10 left"));
  EXPECT_THAT(line, HasSubstr("####"));
}

TEST(ProgressLine, ForetellsNothingBeforeEnoughIsDone) {
  EXPECT_THAT(progress_line({Progress::Stage::load, 0}, 1000, 80), Not(HasSubstr("left")));
  EXPECT_THAT(progress_line({Progress::Stage::score, 0.01}, 1000, 80), Not(HasSubstr("left")));
}

TEST(ProgressLine, FitsAnyTerminal) {
  for (int columns = 1; columns < 200; ++columns) {
    EXPECT_LT(progress_line(kHalf, 5000, columns).size(), static_cast<std::size_t>(columns));
  }
}

TEST(ProgressBar, IsSilentWhereItIsNotEnabled) {
  ::testing::internal::CaptureStderr();
  {
    ProgressBar bar(false);
    bar.update(kHalf);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(ProgressBar, TakesItsLineAwayAtTheEnd) {
  ::testing::internal::CaptureStderr();
  {
    ProgressBar bar(true);
    bar.update(kHalf);
  }
  const std::string written = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(written, HasSubstr("50 %"));
  EXPECT_TRUE(written.ends_with("\r\033[K"));
}

}  // namespace
}  // namespace skimfill
