// The table of live configurations.
#include "api/stream_config.h"

#include <map>
#include <memory>
#include <mutex>

namespace softhccl::api {
namespace {

struct Table {
  std::mutex mutex;
  std::map<const aclrtStreamConfigHandle*, std::unique_ptr<aclrtStreamConfigHandle>> live;  // guarded by mutex
};

Table& TheTable() {
  static auto* table = new Table;
  return *table;
}

base::Status NotLive(const void* handle) {
  return base::Fail(base::Code::kInvalidHandle,
                    "handle {} is not a stream configuration of this process; make it with "
                    "aclrtCreateStreamConfigHandle and do not use it after its destroy",
                    fmt::ptr(handle));
}

}  // namespace

aclrtStreamConfigHandle* MakeStreamConfig() {
  Table& table = TheTable();
  const std::lock_guard lock(table.mutex);
  auto made = std::make_unique<aclrtStreamConfigHandle>();
  aclrtStreamConfigHandle* handle = made.get();
  table.live[handle] = std::move(made);
  return handle;
}

base::Status FreeStreamConfig(const aclrtStreamConfigHandle* handle) {
  Table& table = TheTable();
  const std::lock_guard lock(table.mutex);
  return table.live.erase(handle) == 1 ? base::Status() : NotLive(handle);
}

base::Result<aclrtStreamConfigHandle> ReadStreamConfig(const aclrtStreamConfigHandle* handle) {
  Table& table = TheTable();
  const std::lock_guard lock(table.mutex);
  const auto found = table.live.find(handle);
  if (found == table.live.end()) return tl::unexpected(NotLive(handle));
  return *found->second;
}

base::Status WriteStreamConfig(const aclrtStreamConfigHandle* handle, const aclrtStreamConfigHandle& value) {
  Table& table = TheTable();
  const std::lock_guard lock(table.mutex);
  const auto found = table.live.find(handle);
  if (found == table.live.end()) return NotLive(handle);
  *found->second = value;
  return {};
}

}  // namespace softhccl::api
