// The checks around every conformance test, the launch of test bodies as kernels, and ranks as threads.
#include "fixture.h"

#include <dirent.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <ostream>

#include "base/log.h"
#include "comm/communicator.h"
#include "comm/registry.h"
#include "engine/runtime.h"
#include "memory/memory.h"

namespace softhccl::conformance {
namespace {

struct Capture {
  std::mutex mutex;
  std::vector<std::string> lines;                  // warnings and errors nobody has asked for yet
  std::vector<std::vector<std::string>> expected;  // must be there at the end
  std::vector<std::vector<std::string>> allowed;
};

Capture& TheCapture() {
  static auto* capture = new Capture;
  return *capture;
}

bool HoldsAll(const std::string& line, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (line.find(part) == std::string::npos) return false;
  }
  return true;
}

std::size_t CountEntries(const char* folder) {
  std::size_t count = 0;
  DIR* directory = ::opendir(folder);
  while (::readdir(directory) != nullptr) ++count;
  ::closedir(directory);
  return count;
}

// The runtime's own threads are named shccl-...; they stay.
std::size_t CountThreads() {
  std::size_t count = 0;
  DIR* directory = ::opendir("/proc/self/task");
  while (const dirent* entry = ::readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    std::ifstream file(std::string("/proc/self/task/") + entry->d_name + "/comm");
    std::string name;
    std::getline(file, name);
    if (name.rfind("shccl-", 0) != 0) ++count;
  }
  ::closedir(directory);
  return count;
}

Alive Count() {
  engine::Runtime& runtime = engine::Runtime::Get();
  Alive alive;
  alive.descriptors = CountEntries("/proc/self/fd");
  alive.threads = CountThreads();
  alive.streams = runtime.scheduler().streams().live();
  alive.notifies = runtime.scheduler().notifies().live();
  alive.comm_threads = comm::Threads().live();
  alive.channels = comm::Channels().live();
  alive.communicators = comm::Registry::Get().Names().size();
  for (int device = 0; device < 8; ++device) {
    alive.allocations += memory::Memory::Process().UsageOf(memory::Space::kDevice, device).count;
    alive.allocations += memory::Memory::Process().UsageOf(memory::Space::kHost, device).count;
  }
  return alive;
}

// What is opened once per process and device (arenas, the kernel library) must not count against the first test.
void WarmUp() {
  static std::once_flag once;
  const auto touch_everything = [] {
    for (int32_t device = 0; device < 4; ++device) {
      void* memory = nullptr;
      aclrtNotify notify = nullptr;
      EXPECT_EQ(aclrtSetDevice(device), ACL_SUCCESS);
      EXPECT_EQ(RunKernel(nullptr, [](const Hcomm&) { return 0u; }), ACL_SUCCESS);
      EXPECT_EQ(aclrtMalloc(&memory, 1, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
      EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
      EXPECT_EQ(aclrtMallocHost(&memory, 1), ACL_SUCCESS);
      EXPECT_EQ(aclrtFreeHost(memory), ACL_SUCCESS);
      EXPECT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
      EXPECT_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
      EXPECT_EQ(aclrtResetDevice(device), ACL_SUCCESS);
    }
  };
  // On another thread: this one's device is the test's business.
  std::call_once(once, [&] { std::thread(touch_everything).join(); });
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Alive& alive) {
  return out << alive.descriptors << " descriptors, " << alive.threads << " threads, " << alive.streams << " streams, "
             << alive.notifies << " notifies, " << alive.comm_threads << " communication threads, " << alive.channels
             << " channels, " << alive.communicators << " communicators, " << alive.allocations << " allocations";
}

// --- ApiTest -----------------------------------------------------------------------------------------------------

void ApiTest::SetUp() {
  static_cast<void>(aclGetRecentErrMsg());
  Capture& capture = TheCapture();
  {
    std::lock_guard lock(capture.mutex);
    capture.lines.clear();
    capture.expected.clear();
    capture.allowed.clear();
  }
  base::SetLogSink([&capture](base::LogLevel level, std::string_view text) {
    if (level < base::LogLevel::kWarning) return;
    std::lock_guard lock(capture.mutex);
    capture.lines.emplace_back(text);
  });
  WarmUp();
  before_ = Count();
}

void ApiTest::TearDown() {
  const auto count = [this] {
    Alive alive = Count();
    // One of the runtime's own threads may not have had its name yet when the test began.
    alive.threads = std::max(alive.threads, before_.threads);
    return alive;
  };
  Alive after = count();
  // A thread that was joined stays in /proc for a moment.
  for (int i = 0; i < 200 && !(after == before_); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    after = count();
  }
  EXPECT_EQ(after, before_) << "left behind by the test";
  base::SetLogSink(nullptr);
  Capture& capture = TheCapture();
  std::lock_guard lock(capture.mutex);
  for (const auto& parts : capture.expected) {
    const std::size_t removed = std::erase_if(capture.lines, [&](const auto& line) { return HoldsAll(line, parts); });
    EXPECT_GT(removed, 0u) << "not logged: " << ::testing::PrintToString(parts);
  }
  for (const auto& parts : capture.allowed) {
    std::erase_if(capture.lines, [&](const auto& line) { return HoldsAll(line, parts); });
  }
  EXPECT_THAT(capture.lines, ::testing::IsEmpty()) << "unexpected warnings or errors";
}

void ApiTest::ExpectFailure(int expected, int actual, const std::string& function,
                            const std::vector<std::string>& parts, bool logged) {
  const char* raw = aclGetRecentErrMsg();
  const std::string text = raw == nullptr ? "" : raw;
  EXPECT_EQ(actual, expected) << function << ": " << text;
  EXPECT_THAT(text, ::testing::StartsWith(function + ": "));
  EXPECT_THAT(text, ::testing::HasSubstr(" " + std::to_string(expected) + "]"));
  EXPECT_THAT(text, ::testing::ContainsRegex("[(]SH-[A-Z][0-9][0-9][0-9][)]")) << "softhccl explain needs an id";
  for (const std::string& part : parts) EXPECT_THAT(text, ::testing::HasSubstr(part));
  EXPECT_EQ(text.find('\n'), std::string::npos) << "one failure, one line: " << text;
  Capture& capture = TheCapture();
  std::lock_guard lock(capture.mutex);
  const std::size_t removed = std::erase(capture.lines, text);
  if (logged) {
    EXPECT_EQ(removed, 1u) << "logged " << removed << " times: " << text;
  } else {
    EXPECT_EQ(removed, 0u) << "logged although it was reported before: " << text;
  }
}

void ApiTest::ExpectLog(std::vector<std::string> parts) {
  std::lock_guard lock(TheCapture().mutex);
  TheCapture().expected.push_back(std::move(parts));
}

void ApiTest::AllowLog(std::vector<std::string> parts) {
  std::lock_guard lock(TheCapture().mutex);
  TheCapture().allowed.push_back(std::move(parts));
}

void DeviceTest::SetUp() {
  ApiTest::SetUp();
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
}

void DeviceTest::TearDown() {
  EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  ApiTest::TearDown();
}

// --- Kernels -----------------------------------------------------------------------------------------------------

std::string KernelFolder() { return CONFORMANCE_KERNEL_FOLDER; }

// Asked on a thread of its own: the caller may have no device, and its argument list must stay as it is.
aclrtFuncHandle Kernel(const char* file, const char* name, int mode) {
  static std::mutex mutex;
  static auto* functions = new std::map<std::pair<std::string, std::string>, aclrtFuncHandle>;
  const std::lock_guard lock(mutex);
  const std::string path = KernelFolder() + "/" + file;
  aclrtFuncHandle& function = (*functions)[{path, name}];
  if (function != nullptr) return function;
  std::thread([&] {
    aclrtBinaryLoadOption option{};
    option.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE;
    option.value.cpuKernelMode = mode;
    aclrtBinaryLoadOptions options{&option, 1};
    aclrtBinHandle binary = nullptr;
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtBinaryLoadFromFile(path.c_str(), &options, &binary), ACL_SUCCESS);
    EXPECT_EQ(aclrtBinaryGetFunction(binary, name, &function), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  }).join();
  return function;
}

aclrtFuncHandle Kernel(const char* name) { return Kernel("libconformance_kernels.json", name, 1); }

Launch::Launch(aclrtStream stream, KernelBody body) : body_(std::move(body)) {
  CallBackArgs args;
  args.body = [](const Hcomm& hcomm, void* data) { return (*static_cast<KernelBody*>(data))(hcomm); };
  args.data = &body_;
  EXPECT_EQ(aclrtLaunchKernel(Kernel("CallBack"), 1, &args, sizeof args, stream), ACL_SUCCESS);
}

aclError RunKernel(aclrtStream stream, KernelBody body) {
  const Launch launch(stream, std::move(body));
  return aclrtSynchronizeStream(stream);
}

void WaitUntil(const std::function<bool()>& condition, const char* what) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) {
      ADD_FAILURE() << "did not happen within 10 s: " << what;
      return;
    }
    std::this_thread::yield();
  }
}

// --- Ranks -------------------------------------------------------------------------------------------------------

class Ranks {
 public:
  Ranks(uint32_t count, RanksOptions options) : count_(count), options_(options) {}

  void Meet() {
    std::unique_lock lock(mutex_);
    const std::uint32_t round = round_;
    if (++waiting_ == count_) {
      waiting_ = 0;
      ++round_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return round_ != round; });
  }

  void Run(const HcclRootInfo& root, uint32_t id, const std::function<void(Rank&)>& body) {
    Rank rank;
    rank.id = id;
    rank.size = count_;
    rank.all_ = this;
    EXPECT_EQ(aclrtSetDevice(static_cast<int32_t>(id)), ACL_SUCCESS);
    EXPECT_EQ(HcclCommInitRootInfo(count_, &root, id, &rank.comm), HCCL_SUCCESS);
    char name[128] = {};
    EXPECT_EQ(HcclGetCommName(rank.comm, name), HCCL_SUCCESS);
    rank.name = name;
    EXPECT_EQ(aclrtCreateStream(&rank.stream), ACL_SUCCESS);
    EXPECT_EQ(HcclThreadAcquire(rank.comm, COMM_ENGINE_AICPU, 1, 2, &rank.thread), HCCL_SUCCESS);
    Meet();
    body(rank);
    Meet();
    EXPECT_EQ(aclrtDestroyStream(rank.stream), ACL_SUCCESS);
    if (rank.comm != nullptr) {
      EXPECT_EQ(HcclCommDestroy(rank.comm), options_.destroyed);
    }
    EXPECT_EQ(aclrtResetDevice(static_cast<int32_t>(id)), ACL_SUCCESS);
  }

 private:
  const uint32_t count_;
  const RanksOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint32_t waiting_ = 0;
  std::uint32_t round_ = 0;
};

void Rank::Meet() { all_->Meet(); }

ChannelHandle Rank::Channel(uint32_t to) {
  HcclChannelDesc desc;
  EXPECT_EQ(HcclChannelDescInit(&desc, 1), HCCL_SUCCESS);
  desc.remoteRank = to;
  desc.channelProtocol = COMM_PROTOCOL_HCCS;
  desc.notifyNum = 2;
  ChannelHandle channel = 0;
  EXPECT_EQ(HcclChannelAcquire(comm, COMM_ENGINE_AICPU, &desc, 1, &channel), HCCL_SUCCESS);
  return channel;
}

HcclBuffers BuffersOf(const Rank& rank, ChannelHandle channel) {
  HcclBuffers buffers;
  uint64_t size = 0;
  EXPECT_EQ(HcclGetHcclBuffer(rank.comm, &buffers.own, &size), HCCL_SUCCESS);
  EXPECT_EQ(HcclChannelGetHcclBuffer(rank.comm, channel, &buffers.window, &size), HCCL_SUCCESS);
  return buffers;
}

void RunRanks(uint32_t count, const std::function<void(Rank&)>& body, RanksOptions options) {
  HcclRootInfo root;
  std::thread([&root] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(HcclGetRootInfo(&root), HCCL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  }).join();
  Ranks ranks(count, options);
  std::vector<std::thread> threads;
  for (uint32_t id = 0; id < count; ++id) {
    threads.emplace_back([&ranks, &root, &body, id] { ranks.Run(root, id, body); });
  }
  for (std::thread& thread : threads) thread.join();
}

aclError RunOnThread(const Rank& rank, const KernelBody& body) {
  aclrtNotify done = nullptr;
  uint32_t id = 0;
  EXPECT_EQ(aclrtCreateNotify(&done, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetNotifyId(done, &id), ACL_SUCCESS);
  const Launch launch(rank.stream, [&](const Hcomm& hcomm) {
    const uint32_t result = body(hcomm);
    EXPECT_EQ(hcomm.AclrtNotifyRecordOnThread(rank.thread, id), 0);
    return result;
  });
  EXPECT_EQ(aclrtWaitAndResetNotify(done, rank.stream, 0), ACL_SUCCESS);
  const aclError result = aclrtSynchronizeStream(rank.stream);
  EXPECT_EQ(aclrtDestroyNotify(done), ACL_SUCCESS);
  return result;
}

DeviceInts::DeviceInts(const std::vector<int>& values) : count_(values.size()) {
  void* memory = nullptr;
  EXPECT_EQ(aclrtMalloc(&memory, bytes(), ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  data_ = static_cast<int*>(memory);
  EXPECT_EQ(aclrtMemcpy(data_, bytes(), values.data(), bytes(), ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
}

DeviceInts::~DeviceInts() { EXPECT_EQ(aclrtFree(data_), ACL_SUCCESS); }

std::vector<int> DeviceInts::Read() const {
  std::vector<int> values(count_);
  EXPECT_EQ(aclrtMemcpy(values.data(), bytes(), data_, bytes(), ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  return values;
}

}  // namespace softhccl::conformance
