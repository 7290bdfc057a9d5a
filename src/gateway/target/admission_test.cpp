#include "gateway/target/admission.h"

#include <gmock/gmock.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <vector>

namespace skimfill {
namespace {

using testing::ElementsAre;

class AdmissionTest : public testing::Test {
 protected:
  // A visitor of its own coroutine: takes a place, notes it, and keeps it until told.
  struct Visitor {
    Visitor(asio::io_context& io) : leave(io, asio::steady_timer::time_point::max()) {}
    asio::cancellation_signal cancel;
    asio::steady_timer leave;
  };

  // Nobody is left behind, wherever they stand.
  void TearDown() override {
    for (const auto& visitor : visitors_) cancel(*visitor);
    EXPECT_EQ(house_.inside(), 0U);
    EXPECT_EQ(house_.placed(), 0U);
  }

  Visitor& come(int name, bool alone = false) {
    auto visit = std::make_shared<Admission::Visit>(house_.enter().value());
    Visitor& visitor = *visitors_.emplace_back(std::make_unique<Visitor>(io_));
    const auto stay = [](AdmissionTest& test, std::shared_ptr<Admission::Visit> guest, Visitor& who,
                         int number, bool by_itself) -> awaitable<void> {
      co_await guest->take_place(by_itself);
      test.placed_.push_back(number);
      co_await who.leave.async_wait(kNothrow);
    };
    asio::co_spawn(io_, stay(*this, std::move(visit), visitor, name, alone),
                   asio::bind_cancellation_slot(visitor.cancel.slot(), [](std::exception_ptr) {}));
    run();
    return visitor;
  }

  void run() {
    io_.restart();
    io_.poll();
  }

  void leave(Visitor& visitor) {
    visitor.leave.cancel();
    run();
  }

  void cancel(Visitor& visitor) {
    visitor.cancel.emit(asio::cancellation_type::terminal);
    run();
  }

  asio::io_context io_;
  Admission house_{{.parallel = 2, .waiting = 3}};
  std::vector<int> placed_;
  std::vector<std::unique_ptr<Visitor>> visitors_;
};

TEST_F(AdmissionTest, PlacesAreTakenInOrderOfArrival) {
  Visitor& first = come(1);
  Visitor& second = come(2);
  come(3);
  come(4);
  EXPECT_THAT(placed_, ElementsAre(1, 2));
  leave(second);
  EXPECT_THAT(placed_, ElementsAre(1, 2, 3));
  leave(first);
  EXPECT_THAT(placed_, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(house_.inside(), 2U);
}

TEST_F(AdmissionTest, AFullHouseSendsAway) {
  for (int i = 0; i < 5; ++i) come(i);
  EXPECT_FALSE(house_.enter());
  leave(*visitors_[0]);
  EXPECT_TRUE(house_.enter());
}

TEST_F(AdmissionTest, OneWhoLeavesTheQueueHoldsUpNobody) {
  Visitor& first = come(1);
  come(2);
  Visitor& third = come(3);
  come(4);
  cancel(third);
  EXPECT_EQ(house_.inside(), 3U);
  leave(first);
  EXPECT_THAT(placed_, ElementsAre(1, 2, 4));
}

TEST_F(AdmissionTest, CancellingOneWithAPlaceFreesIt) {
  Visitor& first = come(1);
  come(2);
  come(3);
  cancel(first);
  EXPECT_THAT(placed_, ElementsAre(1, 2, 3));
  EXPECT_EQ(house_.placed(), 2U);
}

TEST_F(AdmissionTest, APlaceGrantedAndCancelledInOneTurnIsPassedOn) {
  Visitor& first = come(1);
  come(2);
  Visitor& third = come(3);
  come(4);
  first.leave.cancel();
  third.cancel.emit(asio::cancellation_type::terminal);
  run();
  EXPECT_EQ(house_.placed(), 2U);
  EXPECT_EQ(placed_.back(), 4);
}

TEST_F(AdmissionTest, OneWhoWantsToBeAloneWaitsForAllAndThenHoldsUpAll) {
  Visitor& first = come(1);
  Visitor& alone = come(2, true);
  come(3);
  EXPECT_THAT(placed_, ElementsAre(1));
  leave(first);
  EXPECT_THAT(placed_, ElementsAre(1, 2));
  leave(alone);
  EXPECT_THAT(placed_, ElementsAre(1, 2, 3));
}

TEST_F(AdmissionTest, MorePlacesAreGivenAtOnceToThoseWhoWait) {
  for (int i = 1; i <= 4; ++i) come(i);
  house_.set_parallel(4);
  run();
  EXPECT_THAT(placed_, ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace skimfill
