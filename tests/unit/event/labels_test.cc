// Labels are what a person reads in every report: a missing one must still say what kind of thing it is, and names
// must be interned to one id however many threads ask at once.
#include "event/labels.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace softhccl::event {
namespace {

TEST(Labels, GetLabel_Unset_SaysKindAndNumber) {
  EXPECT_EQ(GetLabel(LabelKind::kStream, 7), "stream 7");
  EXPECT_EQ(GetLabel(LabelKind::kNotify, 3), "notify 3");
  EXPECT_EQ(GetLabel(LabelKind::kName, 999'999), "#999999");
  EXPECT_EQ(GetLabel(LabelKind::kName, 0), "#0");
}

TEST(Labels, SetLabel_Again_ReplacesUntilDropped) {
  SetLabel(LabelKind::kStream, 70, "rank 1/stream 70");
  SetLabel(LabelKind::kStream, 70, "rank 2/stream 70");
  EXPECT_EQ(GetLabel(LabelKind::kStream, 70), "rank 2/stream 70");
  EXPECT_EQ(GetLabel(LabelKind::kNotify, 70), "notify 70") << "kinds must not share ids";
  DropLabel(LabelKind::kStream, 70);
  EXPECT_EQ(GetLabel(LabelKind::kStream, 70), "stream 70");
  DropLabel(LabelKind::kStream, 70);
  EXPECT_EQ(GetLabel(LabelKind::kStream, 70), "stream 70");
}

TEST(Labels, NameId_SameText_SameIdWithTheTextAsLabel) {
  const std::uint64_t copy = NameId("copy");
  const std::uint64_t wait = NameId("wait");
  EXPECT_NE(copy, wait);
  EXPECT_EQ(NameId("copy"), copy);
  EXPECT_EQ(GetLabel(LabelKind::kName, copy), "copy");
  DropLabel(LabelKind::kName, copy);
  EXPECT_EQ(GetLabel(LabelKind::kName, copy), "copy") << "interned names are never dropped";
}

TEST(Labels, NameId_ManyThreads_OneIdPerText) {
  constexpr int kThreads = 4;
  constexpr int kTexts = 200;
  std::vector<std::vector<std::uint64_t>> ids(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&ids, thread] {
      for (int text = 0; text < kTexts; ++text) {
        ids[static_cast<std::size_t>(thread)].push_back(NameId("text " + std::to_string(text)));
        const auto shared = static_cast<std::uint64_t>(1000 + text);
        SetLabel(LabelKind::kNotify, shared, std::to_string(thread));
        EXPECT_EQ(GetLabel(LabelKind::kNotify, shared).size(), 1u) << "one of the threads' labels, whole";
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& seen : ids) EXPECT_EQ(seen, ids[0]);
  EXPECT_EQ(std::set(ids[0].begin(), ids[0].end()).size(), static_cast<std::size_t>(kTexts));
  EXPECT_EQ(GetLabel(LabelKind::kName, ids[0][17]), "text 17");
}

}  // namespace
}  // namespace softhccl::event
