// Tests of libc_sec.so: each function's success, each kind of error, and what the destination looks like afterwards.
// The last is the point of these functions, so every buffer here has guard bytes behind it which must not change.
#include "securec.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace {

constexpr size_t kRoom = 8;
constexpr char kGuard = '#';

// kRoom bytes that a function may write, and guard bytes that it may not.
class CheckedFunction : public testing::Test {
 protected:
  void SetUp() override { Fill(""); }
  void TearDown() override {
    for (size_t i = kRoom; i < buffer_.size(); ++i) {
      EXPECT_EQ(buffer_[i], kGuard) << "byte " << i << " behind the destination was written";
    }
  }
  void Fill(const std::string& text) {
    buffer_.fill(kGuard);
    for (size_t i = 0; i < text.size(); ++i) {
      buffer_[i] = text[i];
    }
    if (text.size() < kRoom) {
      buffer_[text.size()] = '\0';
    }
  }
  std::string Bytes() const { return std::string(buffer_.data(), kRoom); }

  std::array<char, 2 * kRoom> buffer_;
  char* dest_ = buffer_.data();
};

using Memcpy = CheckedFunction;
using Memmove = CheckedFunction;
using Memset = CheckedFunction;
using Strcpy = CheckedFunction;
using Strncpy = CheckedFunction;
using Strcat = CheckedFunction;
using Strncat = CheckedFunction;
using Sprintf = CheckedFunction;
using Snprintf = CheckedFunction;

const std::string kZeros(kRoom, '\0');

TEST_F(Memcpy, WholeRoom_Copies) {
  EXPECT_EQ(memcpy_s(dest_, kRoom, "abcdefgh", 8), EOK);
  EXPECT_EQ(Bytes(), "abcdefgh");
}

TEST_F(Memcpy, TooLong_ClearsAndSaysRange) {
  Fill("xxxxxxxx");
  EXPECT_EQ(memcpy_s(dest_, kRoom, "abcdefghi", 9), ERANGE_AND_RESET);
  EXPECT_EQ(Bytes(), kZeros);
}

TEST_F(Memcpy, NullSource_ClearsAndSaysInvalid) {
  Fill("xxxxxxxx");
  EXPECT_EQ(memcpy_s(dest_, kRoom, nullptr, 1), EINVAL_AND_RESET);
  EXPECT_EQ(Bytes(), kZeros);
}

TEST_F(Memcpy, NoDestination_ChangesNothing) {
  Fill("xxxxxxxx");
  EXPECT_EQ(memcpy_s(nullptr, kRoom, "a", 1), EINVAL);
  EXPECT_EQ(memcpy_s(dest_, 0, "a", 1), ERANGE);
  EXPECT_EQ(memcpy_s(dest_, SECUREC_MEM_MAX_LEN + 1, "a", 1), ERANGE);
  EXPECT_EQ(memcpy_s(dest_, static_cast<size_t>(-1), "a", 1), ERANGE);
  EXPECT_EQ(Bytes(), "xxxxxxxx");
}

TEST_F(Memcpy, Overlap_ClearsInBothDirections) {
  Fill("abcdefgh");
  EXPECT_EQ(memcpy_s(dest_, 6, dest_ + 2, 3), EOVERLAP_AND_RESET);
  EXPECT_EQ(Bytes(), std::string(6, '\0') + "gh");
  Fill("abcdefgh");
  EXPECT_EQ(memcpy_s(dest_ + 2, 6, dest_, 3), EOVERLAP_AND_RESET);
  EXPECT_EQ(Bytes(), "ab" + std::string(6, '\0'));
}

TEST_F(Memcpy, TouchingRanges_AreNoOverlap) {
  Fill("abcdefgh");
  EXPECT_EQ(memcpy_s(dest_, 4, dest_ + 4, 4), EOK);
  EXPECT_EQ(Bytes(), "efghefgh");
}

TEST_F(Memcpy, SamePointerOrNoBytes_Succeeds) {
  Fill("abcdefgh");
  EXPECT_EQ(memcpy_s(dest_, kRoom, dest_, kRoom), EOK);
  EXPECT_EQ(memcpy_s(dest_, kRoom, "x", 0), EOK);
  EXPECT_EQ(Bytes(), "abcdefgh");
}

TEST_F(Memmove, Overlap_Copies) {
  Fill("abcdefgh");
  EXPECT_EQ(memmove_s(dest_ + 2, 6, dest_, 6), EOK);
  EXPECT_EQ(Bytes(), "ababcdef");
}

TEST_F(Memmove, Errors_AreThoseOfMemcpy) {
  Fill("xxxxxxxx");
  EXPECT_EQ(memmove_s(dest_, 0, "a", 1), ERANGE);
  EXPECT_EQ(memmove_s(nullptr, kRoom, "a", 1), EINVAL);
  EXPECT_EQ(Bytes(), "xxxxxxxx");
  EXPECT_EQ(memmove_s(dest_, kRoom, "abcdefghi", 9), ERANGE_AND_RESET);
  EXPECT_EQ(Bytes(), kZeros);
  Fill("xxxxxxxx");
  EXPECT_EQ(memmove_s(dest_, kRoom, nullptr, 1), EINVAL_AND_RESET);
  EXPECT_EQ(Bytes(), kZeros);
}

TEST_F(Memset, PartOfRoom_SetsOnlyThat) {
  Fill("xxxxxxxx");
  EXPECT_EQ(memset_s(dest_, kRoom, 'a', 3), EOK);
  EXPECT_EQ(Bytes(), "aaaxxxxx");
}

TEST_F(Memset, TooLong_SetsTheRoomAndSaysRange) {
  EXPECT_EQ(memset_s(dest_, kRoom, 'a', 9), ERANGE_AND_RESET);
  EXPECT_EQ(Bytes(), "aaaaaaaa");
}

TEST_F(Memset, NoDestination_ChangesNothing) {
  Fill("xxxxxxxx");
  EXPECT_EQ(memset_s(nullptr, kRoom, 0, 1), EINVAL);
  EXPECT_EQ(memset_s(dest_, 0, 0, 1), ERANGE);
  EXPECT_EQ(memset_s(dest_, SECUREC_MEM_MAX_LEN + 1, 0, 1), ERANGE);
  EXPECT_EQ(Bytes(), "xxxxxxxx");
}

TEST_F(Strcpy, FitsExactly_CopiesWithEnd) {
  EXPECT_EQ(strcpy_s(dest_, kRoom, "abcdefg"), EOK);
  EXPECT_STREQ(dest_, "abcdefg");
}

TEST_F(Strcpy, OneTooLong_IsEmptyAndSaysRange) {
  Fill("x");
  EXPECT_EQ(strcpy_s(dest_, kRoom, "abcdefgh"), ERANGE_AND_RESET);
  EXPECT_STREQ(dest_, "");
}

TEST_F(Strcpy, BadArguments_AreNamed) {
  Fill("x");
  EXPECT_EQ(strcpy_s(nullptr, kRoom, "a"), EINVAL);
  EXPECT_EQ(strcpy_s(dest_, 0, "a"), ERANGE);
  EXPECT_EQ(strcpy_s(dest_, SECUREC_STRING_MAX_LEN + 1, "a"), ERANGE);
  EXPECT_STREQ(dest_, "x");
  EXPECT_EQ(strcpy_s(dest_, kRoom, nullptr), EINVAL_AND_RESET);
  EXPECT_STREQ(dest_, "");
}

TEST_F(Strcpy, Overlap_IsEmptyAndSaysSo) {
  Fill("abcd");
  EXPECT_EQ(strcpy_s(dest_, kRoom, dest_ + 1), EOVERLAP_AND_RESET);
  EXPECT_STREQ(dest_, "");
}

TEST_F(Strcpy, EndOfSourceIsHit_IsOverlap) {
  Fill("abc");
  EXPECT_EQ(strcpy_s(dest_ + 3, kRoom - 3, dest_), EOVERLAP_AND_RESET);
  EXPECT_STREQ(dest_, "abc");
}

TEST_F(Strncpy, SamePointer_CutsInPlace) {
  Fill("abcd");
  EXPECT_EQ(strncpy_s(dest_, kRoom, dest_, 2), EOK);
  EXPECT_STREQ(dest_, "ab");
}

TEST_F(Strcpy, SamePointer_Succeeds) {
  Fill("abcd");
  EXPECT_EQ(strcpy_s(dest_, kRoom, dest_), EOK);
  EXPECT_STREQ(dest_, "abcd");
}

TEST_F(Strncpy, Count_LimitsAndEndIsWritten) {
  EXPECT_EQ(strncpy_s(dest_, kRoom, "abcdef", 3), EOK);
  EXPECT_STREQ(dest_, "abc");
  EXPECT_EQ(strncpy_s(dest_, kRoom, "ab", 7), EOK);
  EXPECT_STREQ(dest_, "ab");
  EXPECT_EQ(strncpy_s(dest_, kRoom, "ab", 0), EOK);
  EXPECT_STREQ(dest_, "");
}

TEST_F(Strncpy, SourceWithoutEnd_IsReadOnlyUpToCount) {
  const char source[3] = {'a', 'b', 'c'};
  EXPECT_EQ(strncpy_s(dest_, kRoom, source, sizeof(source)), EOK);
  EXPECT_STREQ(dest_, "abc");
}

TEST_F(Strncpy, NoRoomForEnd_IsEmptyAndSaysRange) {
  EXPECT_EQ(strncpy_s(dest_, kRoom, "abcdefgh", 8), ERANGE_AND_RESET);
  EXPECT_STREQ(dest_, "");
  EXPECT_EQ(strncpy_s(dest_, kRoom, "a", static_cast<size_t>(-1)), ERANGE_AND_RESET);
}

TEST_F(Strncpy, BadArguments_AreNamed) {
  EXPECT_EQ(strncpy_s(nullptr, kRoom, "a", 1), EINVAL);
  EXPECT_EQ(strncpy_s(dest_, 0, "a", 1), ERANGE);
  EXPECT_EQ(strncpy_s(dest_, kRoom, nullptr, 1), EINVAL_AND_RESET);
  Fill("abcd");
  EXPECT_EQ(strncpy_s(dest_, kRoom, dest_ + 1, 3), EOVERLAP_AND_RESET);
  EXPECT_STREQ(dest_, "");
}

TEST_F(Strcat, FitsExactly_Appends) {
  Fill("abcd");
  EXPECT_EQ(strcat_s(dest_, kRoom, "efg"), EOK);
  EXPECT_STREQ(dest_, "abcdefg");
}

TEST_F(Strcat, OneTooLong_IsEmptyAndSaysRange) {
  Fill("abcd");
  EXPECT_EQ(strcat_s(dest_, kRoom, "efgh"), ERANGE_AND_RESET);
  EXPECT_STREQ(dest_, "");
}

TEST_F(Strcat, DestinationWithoutEnd_IsInvalid) {
  Fill("abcdefgh");
  EXPECT_EQ(strcat_s(dest_, kRoom, "i"), EINVAL_AND_RESET);
  EXPECT_STREQ(dest_, "");
}

TEST_F(Strcat, BadArguments_AreNamed) {
  Fill("ab");
  EXPECT_EQ(strcat_s(nullptr, kRoom, "a"), EINVAL);
  EXPECT_EQ(strcat_s(dest_, 0, "a"), ERANGE);
  EXPECT_STREQ(dest_, "ab");
  EXPECT_EQ(strcat_s(dest_, kRoom, dest_), EOVERLAP_AND_RESET);
  EXPECT_STREQ(dest_, "");
  EXPECT_EQ(strcat_s(dest_, kRoom, nullptr), EINVAL_AND_RESET);
}

TEST_F(Strncat, Count_LimitsAndEndIsWritten) {
  Fill("ab");
  EXPECT_EQ(strncat_s(dest_, kRoom, "cdef", 2), EOK);
  EXPECT_STREQ(dest_, "abcd");
  EXPECT_EQ(strncat_s(dest_, kRoom, "efg", 100), EOK);
  EXPECT_STREQ(dest_, "abcdefg");
}

TEST_F(Strncat, Errors_MakeItEmpty) {
  Fill("abcd");
  EXPECT_EQ(strncat_s(dest_, kRoom, "efgh", 4), ERANGE_AND_RESET);
  EXPECT_STREQ(dest_, "");
  Fill("ab");
  EXPECT_EQ(strncat_s(dest_, kRoom, "c", static_cast<size_t>(-1)), ERANGE_AND_RESET);
  EXPECT_STREQ(dest_, "");
  EXPECT_EQ(strncat_s(nullptr, kRoom, "c", 1), EINVAL);
}

TEST_F(Sprintf, FitsExactly_ReturnsLength) {
  EXPECT_EQ(sprintf_s(dest_, kRoom, "%s-%d", "abcd", 12), 7);
  EXPECT_STREQ(dest_, "abcd-12");
}

TEST_F(Sprintf, OneTooLong_IsEmptyAndMinusOne) {
  EXPECT_EQ(sprintf_s(dest_, kRoom, "%s-%d", "abcd", 123), -1);
  EXPECT_STREQ(dest_, "");
}

TEST_F(Sprintf, BadArguments_AreMinusOne) {
  const char* no_format = nullptr;
  Fill("x");
  EXPECT_EQ(sprintf_s(nullptr, kRoom, "a"), -1);
  EXPECT_EQ(sprintf_s(dest_, 0, "a"), -1);
  EXPECT_EQ(sprintf_s(dest_, SECUREC_STRING_MAX_LEN + 1, "a"), -1);
  EXPECT_STREQ(dest_, "x");
  EXPECT_EQ(sprintf_s(dest_, kRoom, no_format), -1);
  EXPECT_STREQ(dest_, "");
}

TEST_F(Snprintf, ShorterThanCount_ReturnsLength) {
  EXPECT_EQ(snprintf_s(dest_, kRoom, kRoom - 1, "%d", 1234567), 7);
  EXPECT_STREQ(dest_, "1234567");
  EXPECT_EQ(snprintf_s(dest_, kRoom, 3, "%d", 123), 3);
  EXPECT_STREQ(dest_, "123");
}

TEST_F(Snprintf, LongerThanCount_KeepsCountCharactersAndIsMinusOne) {
  EXPECT_EQ(snprintf_s(dest_, kRoom, 3, "%d", 1234), -1);
  EXPECT_STREQ(dest_, "123");
}

TEST_F(Snprintf, LongerThanRoom_IsEmptyAndMinusOne) {
  EXPECT_EQ(snprintf_s(dest_, kRoom, kRoom, "%s", "abcdefgh"), -1);
  EXPECT_STREQ(dest_, "");
}

TEST_F(Snprintf, BadArguments_AreMinusOne) {
  const char* no_format = nullptr;
  Fill("x");
  EXPECT_EQ(snprintf_s(nullptr, kRoom, 1, "a"), -1);
  EXPECT_EQ(snprintf_s(dest_, 0, 0, "a"), -1);
  EXPECT_STREQ(dest_, "x");
  EXPECT_EQ(snprintf_s(dest_, kRoom, 1, no_format), -1);
  EXPECT_STREQ(dest_, "");
}

}  // namespace
