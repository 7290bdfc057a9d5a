#include "cli/skim_command.h"

#include <gmock/gmock.h>

#include <vector>

namespace skimfill {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Result<SkimCommand> parse(std::vector<std::string> arguments) { return parse_skim(arguments); }

std::string refusal(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"f.txt", "--question", "why"});
  const Result<SkimCommand> command = parse(std::move(arguments));
  if (command) return "accepted";
  EXPECT_EQ(command.error().status, Status::invalid);
  EXPECT_THAT(command.error().message, Not(HasSubstr("\n")));
  return command.error().message;
}

TEST(SkimCommandLine, EveryFlagArrives) {
  const auto command = parse({"--keep", "0.2", "f.txt", "--question=why -- not?", "--format", "json",
                              "--drafter", "D.gguf", "--device", "CPU", "--segment", "256", "--threads", "2",
                              "--mark", "", "--output", "o.json", "-v"});
  ASSERT_TRUE(command) << command.error().message;
  EXPECT_EQ(command->file, "f.txt");
  EXPECT_EQ(command->question, "why -- not?");
  EXPECT_EQ(command->format, SkimFormat::json);
  EXPECT_EQ(command->keep_ratio, 0.2);
  EXPECT_EQ(command->skimmer.drafter, "D.gguf");
  EXPECT_EQ(command->skimmer.device, "CPU");
  EXPECT_EQ(command->skimmer.segment_tokens, 256);
  EXPECT_EQ(command->skimmer.threads, 2);
  EXPECT_EQ(command->skimmer.mark, "");
  EXPECT_EQ(command->output, "o.json");
  EXPECT_TRUE(command->verbose);
}

TEST(SkimCommandLine, StdinIsAFile) { EXPECT_EQ(parse({"-", "--question", "why"})->file, "-"); }

TEST(SkimCommandLine, ABudgetAloneIsNotUndercutByTheDefaultShare) {
  EXPECT_EQ(parse({"f", "--question", "q", "--budget", "50"})->keep_ratio, 1.0);
  EXPECT_EQ(parse({"f", "--question", "q", "--budget", "50", "--keep", "0.3"})->keep_ratio, 0.3);
  EXPECT_EQ(parse({"f", "--question", "q"})->keep_ratio, std::nullopt);
}

TEST(SkimCommandLine, SharesOutOfRangeAreRefused) {
  for (const char* value : {"0", "-1", "2", "nan", "-nan", "inf", "", "x", "0.1%", "1e-400"}) {
    EXPECT_THAT(refusal({"--keep", value}), HasSubstr("--keep '" + std::string(value) + "'"));
  }
  for (const char* value : {"1", "1e-9", "0.5"}) EXPECT_EQ(refusal({"--keep", value}), "accepted");
}

TEST(SkimCommandLine, CountsOutOfRangeAreRefused) {
  for (const char* value : {"0", "-5", "1.5", "", "99999999999999999999"}) {
    EXPECT_THAT(refusal({"--budget", value}), HasSubstr("--budget '" + std::string(value) + "'"));
    EXPECT_THAT(refusal({"--segment", value}), HasSubstr("--segment"));
    EXPECT_THAT(refusal({"--threads", value}), HasSubstr("--threads"));
  }
}

TEST(SkimCommandLine, WhatIsWrongIsSaidInOneLineWithAWayOut) {
  EXPECT_THAT(refusal({"--kep", "0.1"}), HasSubstr("unknown flag '--kep'; did you mean --keep?"));
  EXPECT_THAT(refusal({"--kep=0.1"}), HasSubstr("did you mean --keep?"));
  EXPECT_THAT(refusal({"--zzzzzzzzzz"}), Not(HasSubstr("did you mean")));
  EXPECT_THAT(refusal({"--format", "xml"}), HasSubstr("text, json or html"));
  EXPECT_THAT(refusal({"second.txt"}), HasSubstr("unexpected argument 'second.txt'"));
  EXPECT_THAT(refusal({"--keep"}), HasSubstr("--keep"));
  EXPECT_THAT(parse({"f.txt"}).error().message, HasSubstr("--question"));
  EXPECT_THAT(parse({"--question", "why"}).error().message, HasSubstr("FILE"));
}

TEST(SkimCommandLine, HelpNamesEveryFlag) {
  const auto command = parse({"--help"});
  ASSERT_TRUE(command);
  for (const char* flag : {"FILE", "--question", "--keep", "--budget", "--format", "--drafter", "--device",
                           "--segment", "--threads", "--mark", "--output", "--verbose"}) {
    EXPECT_THAT(command->help, HasSubstr(flag));
  }
}

}  // namespace
}  // namespace skimfill
