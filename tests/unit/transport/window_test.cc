// What a link lets an op touch of the peer: the HcclBuffer and whatever other ranges the peer offers, and nothing else.
#include <thread>

#include "../exec/exec_fixture.h"
#include "transport/link.h"
#include "transport/region.h"

namespace softhccl::transport {
namespace {

using base::Code;
using ::testing::AllOf;
using ::testing::HasSubstr;

class WindowTest : public exec::ExecTest {
 protected:
  WindowTest() {
    Start(0);
    region_ = Region::Create(0, 4096, "the buffer of a test").value();
    EndpointOffer offer;
    offer.region_id = region_->id();
    link_ = ConnectByFirst(DescribeForAll(offer)).value();
    link_->set_peer_name("rank 3");
  }
  static Window Extra(std::vector<std::byte>& memory, const char* name) {
    Window window;
    window.data = memory.data();
    window.size = memory.size();
    window.name = name;
    return window;
  }

  std::shared_ptr<Region> region_;
  std::unique_ptr<Link> link_;
};

TEST_F(WindowTest, FirstWindow_IsCheckedToTheByte) {
  const std::byte* data = link_->window().data;
  EXPECT_TRUE(link_->CheckRemote("src", data, 4096).ok());
  EXPECT_TRUE(link_->CheckRemote("src", data + 4095, 1).ok());
  EXPECT_TRUE(link_->CheckRemote("src", data + 4096, 0).ok()) << "nothing, at the end";
  for (const auto& [address, size] : std::vector<std::pair<const std::byte*, std::uint64_t>>{
           {data + 4096, 1}, {data + 1, 4096}, {data - 1, 1}, {data, UINT64_MAX}, {nullptr, 1}}) {
    const base::Status status = link_->CheckRemote("src", address, size);
    EXPECT_EQ(status.code(), Code::kInvalidParam);
    EXPECT_THAT(status.message(), AllOf(HasSubstr("src "), HasSubstr(fmt::format("with {} bytes is outside", size)),
                                        HasSubstr("the HcclBuffer of rank 3 (4096 bytes at ")));
  }
}

TEST_F(WindowTest, AddedWindow_CountsUntilItIsRemoved) {
  std::vector<std::byte> memory(100);
  const Window added = Extra(memory, "memory \"weights\"");
  link_->AddWindow(added);
  EXPECT_EQ(link_->windows().size(), 2u);
  EXPECT_TRUE(link_->CheckRemote("dst", memory.data() + 40, 60).ok());
  EXPECT_TRUE(link_->CheckRemote("dst", link_->window().data, 4096).ok()) << "the first is still there";
  EXPECT_THAT(link_->CheckRemote("dst", memory.data() + 40, 61).message(),
              AllOf(HasSubstr("memory \"weights\" of rank 3 (100 bytes at "), HasSubstr("and 1 other range")));
  EXPECT_FALSE(link_->RemoveWindow(link_->window())) << "the first stays";
  EXPECT_FALSE(link_->RemoveWindow(Extra(memory, "a window of another kind")));
  EXPECT_TRUE(link_->RemoveWindow(added));
  EXPECT_FALSE(link_->CheckRemote("dst", memory.data(), 1).ok());
}

TEST_F(WindowTest, AddedWindow_KeepsItsOwner) {
  auto owner = std::make_shared<std::vector<std::byte>>(64);
  const std::weak_ptr<std::vector<std::byte>> alive = owner;
  Window window = Extra(*owner, "registered memory");
  window.owner = owner;
  link_->AddWindow(std::move(window));
  owner.reset();
  EXPECT_FALSE(alive.expired());
  EXPECT_TRUE(link_->RemoveWindow(Extra(*alive.lock(), "registered memory")));
  EXPECT_FALSE(alive.expired()) << "an op may be using it";
  link_.reset();
  EXPECT_TRUE(alive.expired());
}

TEST_F(WindowTest, ChecksWhileWindowsComeAndGo_AreRightForThoseThatStay) {
  std::vector<std::byte> memory(100);
  std::atomic<bool> stop{false};
  std::atomic<int> checks{0};
  std::atomic<int> wrong{0};
  std::thread checker([&] {
    while (!stop.load()) {
      if (!link_->CheckRemote("src", link_->window().data, 4096).ok()) ++wrong;
      ++checks;
    }
  });
  for (int i = 0; i < 200; ++i) {
    link_->AddWindow(Extra(memory, "registered memory"));
    EXPECT_TRUE(link_->RemoveWindow(Extra(memory, "registered memory")));
  }
  while (checks.load() < 100) std::this_thread::yield();
  stop.store(true);
  checker.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace softhccl::transport
