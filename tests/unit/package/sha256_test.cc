// The digest against published values, and independent of how the message is cut into pieces.
#include "package/sha256.h"

#include <gtest/gtest.h>

namespace softhccl::package {
namespace {

TEST(Sha256, PublishedValues_AreMet) {
  EXPECT_EQ(Hex(Sha256Of("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Hex(Sha256Of("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Hex(Sha256Of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Hex(Sha256Of(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, Pieces_AreOneMessage) {
  const std::string message(300, 'm');
  for (std::size_t size = 0; size <= message.size(); ++size) {
    for (const std::size_t cut : {std::size_t{0}, std::size_t{1}, std::size_t{55}, std::size_t{64}, std::size_t{65}}) {
      if (cut > size) continue;
      Sha256 sum;
      sum.Add(std::string_view(message).substr(0, cut));
      sum.Add(std::string_view(message).substr(cut, size - cut));
      EXPECT_EQ(sum.Finish(), Sha256Of(std::string_view(message).substr(0, size))) << cut << " of " << size;
    }
  }
}

}  // namespace
}  // namespace softhccl::package
