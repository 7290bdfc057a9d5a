#include "model/align.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skimfill {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(AlignPieces, PiecesThatSpellTheTextAreExact) {
  EXPECT_THAT(align_pieces("Hello, world\r\n", {"Hello", ",", " world", "\r", "\n"}),
              ElementsAre(0, 5, 6, 12, 13));
  EXPECT_THAT(align_pieces("", {}), IsEmpty());
  EXPECT_THAT(align_pieces("dropped", {}), IsEmpty());
}

TEST(AlignPieces, ACharacterInSeveralPiecesIsExact) {
  EXPECT_THAT(align_pieces("a\xf0\x9f\x98\x80z", {"a", "\xf0\x9f", "\x98", "\x80z"}),
              ElementsAre(0, 1, 3, 4));
}

TEST(AlignPieces, TheSpaceThatSentencepiecePutsFirstHasNoWidth) {
  EXPECT_THAT(align_pieces("Hello world", {" Hello", " world"}), ElementsAre(0, 5));
  EXPECT_THAT(align_pieces("\nHello", {" ", "\n", "Hello"}), ElementsAre(0, 0, 1));
  EXPECT_THAT(align_pieces("  Hello", {"   ", "Hello"}), ElementsAre(0, 2));
}

TEST(AlignPieces, TheFirstSpaceHasNoWidthAlsoBesideUnknownWords) {
  EXPECT_THAT(align_pieces("Hello ☃ world", {" Hello", " ", "", " world"}), ElementsAre(0, 5, 6, 9));
  EXPECT_THAT(align_pieces("\n☃!", {" ", "\n", "", "!"}), ElementsAre(0, 0, 1, 4));
}

TEST(AlignPieces, WordPiecesMatchWithoutCaseAndAccents) {
  EXPECT_THAT(align_pieces("Ça va, ÉLODIE?", {" ca", " va", " ,", " el", "odie", " ?"}),
              ElementsAre(0, 3, 6, 7, 11, 15));
}

TEST(AlignPieces, WordPiecesMatchAcrossAnyWhiteSpace) {
  EXPECT_THAT(align_pieces("The\n\n\tgauge   reads", {" the", " gauge", " reads"}), ElementsAre(0, 3, 11));
}

TEST(AlignPieces, CombiningMarksBelongToTheirLetter) {
  EXPECT_THAT(align_pieces("e\xcc\x81te\xcc\x81 x", {" ete", " x"}), ElementsAre(0, 7));
}

TEST(AlignPieces, AnUnknownWordCoversWhatLiesBetweenItsNeighbours) {
  EXPECT_THAT(align_pieces("one 漢字漢字 two", {" one", "", " two"}), ElementsAre(0, 3, 16));
}

TEST(AlignPieces, DroppedCharactersBelongToThePieceBefore) {
  EXPECT_THAT(align_pieces("ab\x01\x02gh ij", {" ab", "gh", " ij"}), ElementsAre(0, 4, 6));
  EXPECT_THAT(align_pieces("\x01\x02gh ij", {"gh", " ij"}), ElementsAre(0, 4));
}

TEST(AlignPieces, APieceThatIsNowhereHasNoWidthAndLosesNothing) {
  EXPECT_THAT(align_pieces("alpha beta gamma", {" alpha", " zzz", " beta", " gamma"}),
              ElementsAre(0, 5, 5, 10));
}

TEST(AlignPieces, OneLetterIsNotTakenFromALaterWord) {
  // "q" occurs in "quay", but what follows there is not the next piece.
  EXPECT_THAT(align_pieces("one two quay", {" one", " q", " two", " quay"}), ElementsAre(0, 3, 3, 7));
}

TEST(AlignPieces, PiecesPastTheEndStayAtTheEnd) {
  EXPECT_THAT(align_pieces("ab", {"ab", "cd", "ef"}), ElementsAre(0, 2, 2));
}

}  // namespace
}  // namespace skimfill
