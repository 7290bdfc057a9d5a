#include "gateway/target/target_metrics.h"

#include <gmock/gmock.h>

namespace skimfill {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kPage =
    "# HELP llamacpp:prompt_tokens_total Number of prompt tokens.\n"
    "# TYPE llamacpp:prompt_tokens_total counter\n"
    "llamacpp:prompt_tokens_total 120\n"
    "# TYPE llamacpp:n_tokens_max counter\n"
    "llamacpp:n_tokens_max 900\n"
    "# TYPE llamacpp:requests_processing gauge\n"
    "llamacpp:requests_processing 3\n";

TEST(TargetMetrics, APageComesThroughAsItWas) {
  TargetMetrics metrics;
  EXPECT_EQ(metrics.text(), "");
  metrics.update(kPage);
  EXPECT_EQ(metrics.text(), kPage);
}

TEST(TargetMetrics, TotalsGoOnWhenTheTargetStartsAnew) {
  TargetMetrics metrics;
  metrics.update("# TYPE a_total counter\na_total 120\n");
  metrics.update("# TYPE a_total counter\na_total 7\n");
  EXPECT_THAT(metrics.text(), HasSubstr("a_total 127\n"));
  metrics.update("# TYPE a_total counter\na_total 9\n");
  EXPECT_THAT(metrics.text(), HasSubstr("a_total 129\n"));
  metrics.update("# TYPE a_total counter\na_total 0\n");
  EXPECT_THAT(metrics.text(), HasSubstr("a_total 129\n"));
}

TEST(TargetMetrics, AMaximumIsNotAddedUp) {
  TargetMetrics metrics;
  metrics.update("# TYPE m counter\nm 900\n");
  metrics.update("# TYPE m counter\nm 10\n");
  EXPECT_THAT(metrics.text(), HasSubstr("m 900\n"));
}

TEST(TargetMetrics, GaugesMayFall) {
  TargetMetrics metrics;
  metrics.update("# TYPE g gauge\ng 5\n");
  metrics.update("# TYPE g gauge\ng 2\n");
  EXPECT_THAT(metrics.text(), HasSubstr("g 2\n"));
}

TEST(TargetMetrics, SamplesThatAreNoNumberAreLeftOut) {
  TargetMetrics metrics;
  metrics.update("# TYPE g gauge\ng -nan\nh NaN\ni +Inf\nj\nk 1.5e3\n\n");
  EXPECT_EQ(metrics.text(), "# TYPE g gauge\nk 1.5e3\n");
}

TEST(TargetMetrics, SeriesWithLabelsCountApart) {
  TargetMetrics metrics;
  metrics.update("# TYPE a_total counter\na_total{model=\"x y\"} 5\na_total{model=\"z\"} 7\n");
  metrics.update("# TYPE a_total counter\na_total{model=\"x y\"} 1\na_total{model=\"z\"} 8\n");
  EXPECT_THAT(metrics.text(), HasSubstr("a_total{model=\"x y\"} 6\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("a_total{model=\"z\"} 8\n"));
}

TEST(TargetMetrics, TextThatIsNoPageDoesNoHarm) {
  TargetMetrics metrics;
  metrics.update("{\"error\": \"none\"}\n\xff\xfe\n}{ 3\n# TYPE");
  EXPECT_THAT(metrics.text(), Not(HasSubstr("error\": \"none")));
}

}  // namespace
}  // namespace skimfill
