// One thread per rank, because creation waits for all ranks.
#include "comm/create_all.h"

#include <set>
#include <system_error>
#include <thread>

#include "base/log.h"
#include "comm/registry.h"
#include "engine/runtime.h"

namespace softhccl::comm {
namespace {

using base::Code;
using base::Status;
using engine::Runtime;

Status CheckDevices(const std::vector<int>& devices) {
  if (devices.empty()) return base::Fail(Code::kInvalidParam, "ndev 0; name at least one device");
  std::set<int> seen;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    auto device = Runtime::Get().devices().Get(devices[i]);
    if (!device) return Status(device.error()).While(fmt::format("looking for devices[{}]", i));
    if (!seen.insert(devices[i]).second) {
      return base::Fail(Code::kInvalidParam, "devices[{}] {} is there twice; one rank per device", i, devices[i]);
    }
  }
  return {};
}

// On a thread of the rank's own: the device is set once more, for the communicator.
base::Result<std::uint64_t> CreateRank(const std::string& root, std::uint32_t rank, std::uint32_t size, int device,
                                       Communicator::Options options) {
  options.releases_device = true;
  SOFTHCCL_RETURN_RESULT_IF_ERROR(Runtime::Get().devices().Select(device));
  auto made = Registry::Get().Create(root, rank, size, device, std::move(options));
  if (made) return made;
  const Status reset = Runtime::Get().devices().Reset(device);
  if (!reset.ok()) base::Log(base::LogLevel::kError, reset.message());
  return made;
}

}  // namespace

base::Result<std::vector<std::uint64_t>> CreateAll(const std::vector<int>& devices,
                                                   const Communicator::Options& options) {
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckDevices(devices));
  const auto size = static_cast<std::uint32_t>(devices.size());
  const std::string root = Registry::Get().OpenRoot(devices[0]);
  std::vector<base::Result<std::uint64_t>> made(size, std::uint64_t{0});
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    try {
      threads.emplace_back([&, rank] { made[rank] = CreateRank(root, rank, size, devices[rank], options); });
    } catch (const std::system_error& error) {
      made[rank] = base::FailResult(Code::kUnavailable, "no thread could be made for it: {}", error.what());
    }
  }
  for (std::thread& thread : threads) thread.join();
  Status failure;
  std::vector<std::uint64_t> handles;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    if (made[rank]) {
      handles.push_back(*made[rank]);
    } else if (failure.ok()) {
      failure =
          base::Fail(Code::kInternal, "rank {} on device {}: {}", rank, devices[rank], made[rank].error().message());
    }
  }
  if (failure.ok()) {
    engine::DeviceTable::Adopt(*Runtime::Get().devices().Get(devices[0]));
    return handles;
  }
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    if (!made[rank]) continue;
    const Status destroyed = Registry::Get().Destroy(*made[rank], devices[rank]);
    if (!destroyed.ok()) base::Log(base::LogLevel::kError, destroyed.message());
  }
  return tl::unexpected(failure);
}

}  // namespace softhccl::comm
