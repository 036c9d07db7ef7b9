// A trace is believed by whoever looks at it, so the tests read the document as a viewer does: it must parse, the
// slices of a row must nest, and each take must have the one arrow from the record that served it.
#include "trace/chrome_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "event/labels.h"

namespace softhccl::trace {
namespace {

using event::Event;
using event::Kind;
using nlohmann::json;
using ::testing::HasSubstr;

constexpr std::uint64_t kNotify = 300;

// Builds recordings by hand; times are microseconds.
struct Script {
  event::Recording recording;

  Script& At(std::int64_t micros, Kind kind, std::uint32_t stream, std::uint64_t object, std::uint64_t a = 0,
             std::uint64_t b = 0, std::uint16_t thread = 0) {
    Event event{};
    event.time = 5'000'000 + micros * 1000;
    event.kind = kind;
    event.thread = thread;
    event.stream = stream;
    event.object = object;
    event.a = a;
    event.b = b;
    recording.events.push_back(event);
    return *this;
  }
  json Parse() const { return json::parse(ToChromeJson(recording)); }
};

std::vector<json> Select(const json& document, const std::string& phase, const std::string& name = "") {
  std::vector<json> found;
  for (const json& item : document.at("traceEvents")) {
    if (item.at("ph") == phase && (name.empty() || item.at("name") == name)) found.push_back(item);
  }
  return found;
}

json Only(const json& document, const std::string& phase, const std::string& name = "") {
  const std::vector<json> found = Select(document, phase, name);
  EXPECT_EQ(found.size(), 1u) << phase << " " << name << " in " << document.dump(1);
  return found.empty() ? json() : found.front();
}

// Nanoseconds, so that neighbours can be compared exactly.
std::int64_t Nanos(const json& micros) { return std::llround(micros.get<double>() * 1000); }

std::pair<int, int> RowOf(const json& item) { return {item.at("pid").get<int>(), item.at("tid").get<int>()}; }

void ExpectNesting(const json& document) {
  std::map<std::pair<int, int>, std::vector<std::int64_t>> ends;  // of the open slices
  std::map<std::pair<int, int>, std::int64_t> last;
  for (const json& slice : Select(document, "X")) {
    const std::int64_t start = Nanos(slice.at("ts"));
    const std::int64_t end = start + Nanos(slice.at("dur"));
    auto& open = ends[RowOf(slice)];
    EXPECT_GE(start, last[RowOf(slice)]) << slice;
    last[RowOf(slice)] = start;
    EXPECT_GE(end, start) << slice;
    while (!open.empty() && open.back() <= start) open.pop_back();
    if (!open.empty()) {
      EXPECT_LE(end, open.back()) << slice;
    }
    open.push_back(end);
  }
}

// tail id -> head id must be one to one; returns the number of arrows.
std::size_t ExpectArrowsPaired(const json& document) {
  std::map<std::int64_t, json> tails;
  for (const json& tail : Select(document, "s")) {
    EXPECT_TRUE(tails.emplace(tail.at("id").get<std::int64_t>(), tail).second) << tail;
  }
  std::set<std::int64_t> heads;
  for (const json& head : Select(document, "f")) {
    const auto id = head.at("id").get<std::int64_t>();
    EXPECT_TRUE(heads.insert(id).second) << head;
    EXPECT_EQ(head.at("bp"), "e");
    EXPECT_EQ(tails.count(id), 1u) << head;
    if (tails.count(id) == 0) continue;
    EXPECT_EQ(tails[id].at("name"), head.at("name"));
    EXPECT_EQ(tails[id].at("cat"), head.at("cat"));
    EXPECT_LE(Nanos(tails[id].at("ts")), Nanos(head.at("ts")));
  }
  EXPECT_EQ(heads.size(), tails.size());
  return heads.size();
}

class ChromeTraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    event::SetLabel(event::LabelKind::kStream, 10, "rank 0/comm thread 0");
    event::SetLabel(event::LabelKind::kStream, 11, "rank 0/comm thread 1");
    event::SetLabel(event::LabelKind::kStream, 20, "rank 1/comm thread 0");
    event::SetLabel(event::LabelKind::kNotify, kNotify, "channel to rank 1, notify 0");
  }
  void TearDown() override {
    for (const std::uint64_t id : {10u, 11u, 20u}) event::DropLabel(event::LabelKind::kStream, id);
    event::DropLabel(event::LabelKind::kNotify, kNotify);
  }
  const std::uint64_t copy_ = event::NameId("copy");
  const std::uint64_t wait_ = event::NameId("notify wait");
  const std::uint64_t record_ = event::NameId("notify record");
};

TEST_F(ChromeTraceTest, ToChromeJson_Empty_IsAValidDocument) {
  Script script;
  script.recording.dropped = 12;
  const json document = script.Parse();
  EXPECT_TRUE(document.at("traceEvents").empty());
  EXPECT_EQ(document.at("otherData").at("dropped"), 12);
  EXPECT_EQ(document.at("otherData").at("events"), 0);
}

TEST_F(ChromeTraceTest, ToChromeJson_OneOp_HasNameTimeAndArguments) {
  Script script;
  script.At(0, Kind::kSubmit, 10, 0, 4).At(2, Kind::kOpStart, 10, copy_, 4, 4096).At(7, Kind::kOpEnd, 10, copy_, 4, 0);
  script.recording.events.back().time += 5;
  const std::string text = ToChromeJson(script.recording);
  EXPECT_THAT(text, HasSubstr("\"ts\":2.000,\"dur\":5.005"));
  const json op = Only(json::parse(text), "X");
  EXPECT_EQ(op.at("name"), "copy");
  EXPECT_EQ(op.at("cat"), "op");
  EXPECT_EQ(op.at("args"), (json{{"submission", 4}, {"bytes", 4096}, {"outcome", "ok"}}));
}

TEST_F(ChromeTraceTest, ToChromeJson_Rows_AreGroupedByLabelPrefix) {
  Script script;
  for (const std::uint32_t stream : {20u, 10u, 11u, 77u}) {
    script.At(stream, Kind::kOpStart, stream, copy_, 1).At(stream + 1, Kind::kOpEnd, stream, copy_, 1);
  }
  script.At(200, Kind::kAlloc, event::kNoStream, 3, 0x7f0000001000, 64, 1);
  script.recording.thread_names = {"worker 0", "host \"main\"\n"};
  const json document = script.Parse();
  std::map<int, std::string> groups;
  for (const json& item : Select(document, "M", "process_name")) groups[item.at("pid")] = item.at("args").at("name");
  std::map<std::string, std::string> group_of_row;
  std::set<std::pair<int, int>> rows;
  for (const json& item : Select(document, "M", "thread_name")) {
    group_of_row[item.at("args").at("name")] = groups.at(item.at("pid"));
    rows.insert(RowOf(item));
  }
  const std::map<std::string, std::string> expected = {{"rank 0/comm thread 0", "rank 0"},
                                                       {"rank 0/comm thread 1", "rank 0"},
                                                       {"rank 1/comm thread 0", "rank 1"},
                                                       {"stream 77", "streams"},
                                                       {"host \"main\"\n", "threads"}};
  EXPECT_EQ(group_of_row, expected);
  EXPECT_EQ(rows.size(), 5u);
  EXPECT_EQ(groups.size(), 4u);
  EXPECT_EQ(Only(document, "i", "alloc").at("args"),
            (json{{"device", 3}, {"address", "0x7f0000001000"}, {"bytes", 64}}));
}

TEST_F(ChromeTraceTest, ToChromeJson_ParkedOp_HasTheWaitInsideAndOneArrow) {
  Script script;
  script.At(0, Kind::kOpStart, 10, wait_, 1)
      .At(1, Kind::kPark, 10, kNotify, 1)
      .At(3, Kind::kOpStart, 20, record_, 8)
      .At(4, Kind::kRecord, 20, kNotify, 8)
      .At(5, Kind::kOpEnd, 20, record_, 8)
      .At(6, Kind::kResume, 10, kNotify, 1, 1)
      .At(7, Kind::kTake, 10, kNotify, 1)
      .At(9, Kind::kOpEnd, 10, wait_, 1);
  const json document = script.Parse();
  ExpectNesting(document);
  const json op = Only(document, "X", "notify wait");
  const json wait = Only(document, "X", "wait");
  EXPECT_EQ(Nanos(op.at("dur")), 9000);
  EXPECT_EQ(Nanos(wait.at("ts")), 1000);
  EXPECT_EQ(Nanos(wait.at("dur")), 5000);
  EXPECT_EQ(wait.at("args"), (json{{"submission", 1}, {"notify", "channel to rank 1, notify 0"}, {"resume code", 1}}));
  EXPECT_EQ(RowOf(op), RowOf(wait));
  EXPECT_EQ(ExpectArrowsPaired(document), 1u);
  EXPECT_EQ(Nanos(Only(document, "s").at("ts")), 4000);
  EXPECT_EQ(Nanos(Only(document, "f").at("ts")), 7000);
  EXPECT_EQ(RowOf(Only(document, "f")), RowOf(op));
  EXPECT_TRUE(Select(document, "i").empty());
}

TEST_F(ChromeTraceTest, ToChromeJson_TakeAfterTwoRecords_IsServedByTheLatest) {
  Script script;
  script.At(0, Kind::kRecord, 20, kNotify, 1)
      .At(1, Kind::kRecord, 20, kNotify, 2)
      .At(2, Kind::kTake, 10, kNotify, 3)
      .At(3, Kind::kRecord, 20, kNotify + 1, 4);
  const json document = script.Parse();
  EXPECT_EQ(ExpectArrowsPaired(document), 1u);
  EXPECT_EQ(Only(document, "s").at("args").at("submission"), 2);
  const std::vector<json> unmatched = Select(document, "i", "unmatched record");
  ASSERT_EQ(unmatched.size(), 2u);
  EXPECT_EQ(unmatched[0].at("args"), (json{{"submission", 1}, {"notify", "channel to rank 1, notify 0"}}));
  EXPECT_EQ(unmatched[1].at("args").at("notify"), "notify 301");
}

TEST_F(ChromeTraceTest, ToChromeJson_ArrowOutsideOfSlices_GetsASliceToHoldOnTo) {
  Script script;
  script.At(0, Kind::kRecord, event::kNoStream, kNotify, 0).At(2, Kind::kTake, 10, kNotify, 3);
  const json document = script.Parse();
  EXPECT_EQ(RowOf(Only(document, "X", "record")), RowOf(Only(document, "s")));
  EXPECT_EQ(RowOf(Only(document, "X", "take")), RowOf(Only(document, "f")));
}

TEST_F(ChromeTraceTest, ToChromeJson_LostRecord_IsNamedOnce) {
  Script script;
  script.At(0, Kind::kRecord, 20, kNotify, 1)
      .At(1, Kind::kRecord, 20, kNotify, 2)
      .At(1, Kind::kLostRecord, 20, kNotify, 2)
      .At(2, Kind::kTake, 10, kNotify, 3)
      .At(4, Kind::kLostRecord, 20, kNotify, 9);
  const json document = script.Parse();
  EXPECT_EQ(ExpectArrowsPaired(document), 1u);
  EXPECT_EQ(Only(document, "s").at("args").at("submission"), 1) << "the lost record served nobody";
  const std::vector<json> lost = Select(document, "i", "lost record");
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_EQ(lost[0].at("args").at("submission"), 2);
  EXPECT_EQ(lost[1].at("args").at("submission"), 9);
  EXPECT_TRUE(Select(document, "i", "unmatched record").empty());
}

TEST_F(ChromeTraceTest, ToChromeJson_TakeWithoutRecord_IsNamedAndHasNoArrow) {
  Script script;
  script.At(0, Kind::kTake, 10, kNotify, 3).At(1, Kind::kRecord, 20, kNotify, 1);
  const json document = script.Parse();
  EXPECT_EQ(ExpectArrowsPaired(document), 0u);
  Only(document, "i", "take without record");
  Only(document, "i", "unmatched record");
}

TEST_F(ChromeTraceTest, ToChromeJson_StillRunning_IsClosedAtTheEndAndMarked) {
  Script script;
  script.At(0, Kind::kOpStart, 10, wait_, 1)
      .At(1, Kind::kPark, 10, kNotify, 1)
      .At(2, Kind::kOpStart, 20, copy_, 1)
      .At(3, Kind::kOpEnd, 20, copy_, 1)
      .At(8, Kind::kSubmit, 20, 0, 2);
  const json document = script.Parse();
  ExpectNesting(document);
  for (const char* name : {"notify wait", "wait"}) {
    const json slice = Only(document, "X", name);
    EXPECT_EQ(slice.at("args").at("unfinished"), true);
    EXPECT_EQ(Nanos(slice.at("ts")) + Nanos(slice.at("dur")), 8000);
  }
  EXPECT_FALSE(Only(document, "X", "copy").at("args").contains("unfinished"));
}

TEST_F(ChromeTraceTest, ToChromeJson_EndWithoutStart_BecomesAMark) {
  Script script;
  script.At(0, Kind::kOpEnd, 10, copy_, 1)
      .At(1, Kind::kOpEnd, 10, wait_, 2, static_cast<std::uint64_t>(base::Code::kRemote))
      .At(2, Kind::kResume, 10, kNotify, 3)
      .At(3, Kind::kKernelEnd, 10, copy_, 4, static_cast<std::uint64_t>(-3));
  const json document = script.Parse();
  EXPECT_TRUE(Select(document, "X").empty());
  EXPECT_EQ(Only(document, "i", "op end without start").at("args").at("op"), "copy");
  EXPECT_EQ(Only(document, "i", "skipped op").at("args"),
            (json{{"op", "notify wait"}, {"submission", 2}, {"outcome", "remote"}}));
  Only(document, "i", "resume without wait");
  EXPECT_EQ(Only(document, "i", "kernel end without start").at("args").at("returned"), -3);
}

TEST_F(ChromeTraceTest, ToChromeJson_KernelOutlivesItsOp_StillNests) {
  const std::uint64_t kernel = event::NameId("SendKernel");
  Script script;
  script.At(0, Kind::kOpStart, 10, copy_, 1)
      .At(1, Kind::kKernelStart, 10, kernel, 5)
      .At(3, Kind::kOpEnd, 10, copy_, 1, static_cast<std::uint64_t>(base::Code::kKernelTimeout))
      .At(4, Kind::kOpStart, 10, copy_, 2)
      .At(6, Kind::kKernelEnd, 10, kernel, 5)
      .At(7, Kind::kOpEnd, 10, copy_, 2);
  const json document = script.Parse();
  ExpectNesting(document);
  const json slice = Only(document, "X", "SendKernel");
  EXPECT_EQ(Nanos(slice.at("dur")), 2000);
  EXPECT_EQ(slice.at("args").at("unfinished"), true);
  EXPECT_EQ(slice.at("cat"), "kernel");
  EXPECT_EQ(Select(document, "X", "copy")[0].at("args").at("outcome"), "kernel-timeout");
  Only(document, "i", "kernel end without start");
}

TEST_F(ChromeTraceTest, ToChromeJson_UnsortedEvents_AreSortedByTime) {
  Script script;
  script.At(7, Kind::kOpEnd, 10, copy_, 4).At(2, Kind::kOpStart, 10, copy_, 4);
  const json op = Only(script.Parse(), "X");
  EXPECT_EQ(Nanos(op.at("ts")), 0);
  EXPECT_EQ(Nanos(op.at("dur")), 5000);
}

TEST_F(ChromeTraceTest, ToChromeJson_OddLabels_AreQuoted) {
  event::SetLabel(event::LabelKind::kNotify, kNotify, "\"a\\b\"\t\x01\xff");
  Script script;
  script.At(0, Kind::kRecord, 10, kNotify, 1);
  const json document = script.Parse();
  EXPECT_EQ(Only(document, "i").at("args").at("notify"), "\"a\\b\"\t\x01\xEF\xBF\xBD");
}

// Any order of events, also one that no runtime would produce, must give a document whose rows nest.
TEST_F(ChromeTraceTest, ToChromeJson_RandomEvents_NestAndPair) {
  std::mt19937 random(20240611);
  const auto below = [&random](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  for (int round = 0; round < 100; ++round) {
    Script script;
    std::size_t takes = 0;
    for (std::int64_t step = 0; step < 300; ++step) {
      const auto kind = static_cast<Kind>(below(13));
      takes += kind == Kind::kTake ? 1 : 0;
      const std::uint32_t stream = below(5) == 0 ? event::kNoStream : 10 + below(2);
      script.At(step / 2, kind, stream, 1 + below(3), below(4), below(40), static_cast<std::uint16_t>(below(3)));
    }
    const json document = script.Parse();
    ExpectNesting(document);
    const std::size_t arrows = ExpectArrowsPaired(document);
    EXPECT_EQ(arrows + Select(document, "i", "take without record").size(), takes);
  }
}

class TraceFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "softhccl-trace-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::size_t FileCount() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }
  std::filesystem::path folder_;
};

TEST_F(TraceFileTest, WriteChromeTrace_Twice_ReplacesTheFileAndLeavesNothingElse) {
  const std::string path = (folder_ / "trace.json").string();
  ASSERT_TRUE(WriteChromeTrace({}, path).ok());
  Script script;
  script.At(0, Kind::kAlloc, event::kNoStream, 0, 1, 2);
  ASSERT_TRUE(WriteChromeTrace(script.recording, path).ok());
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), ToChromeJson(script.recording));
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(TraceFileTest, WriteChromeTrace_NoFolder_NamesTheFileAndTheCause) {
  const base::Status status = WriteChromeTrace({}, (folder_ / "missing" / "trace.json").string());
  EXPECT_EQ(status.code(), base::Code::kFileError);
  EXPECT_THAT(status.message(), HasSubstr("cannot create trace file " + folder_.string() + "/missing/trace.json"));
  EXPECT_THAT(status.message(), HasSubstr("No such file or directory"));
}

TEST_F(TraceFileTest, WriteChromeTrace_TargetIsAFolder_FailsAndLeavesNothing) {
  const std::filesystem::path target = folder_ / "folder";
  std::filesystem::create_directory(target);
  const base::Status status = WriteChromeTrace({}, target.string());
  EXPECT_EQ(status.code(), base::Code::kFileError);
  EXPECT_THAT(status.message(), HasSubstr("cannot put in place trace file " + target.string() + ": Is a directory"));
  EXPECT_EQ(FileCount(), 1u);
}

}  // namespace
}  // namespace softhccl::trace
