// Where argument lists are kept. Nothing of a list lies in memory of the program but its bytes, so that no address it
// passes is ever followed before it is known.
#include "api/kernel_lists.h"

#include <deque>
#include <map>
#include <mutex>

namespace softhccl::api {

using base::Code;
using engine::KernelArguments;

namespace {

constexpr std::size_t kKnownLists = 1024;

const std::shared_ptr<KernelArguments>& ThreadList() {
  static thread_local const auto list = std::make_shared<KernelArguments>();
  return list;
}

struct UserLists {
  std::mutex mutex;
  std::map<const void*, std::shared_ptr<KernelArguments>> lists;  // guarded by mutex
  std::deque<const void*> order;                                  // guarded by mutex; oldest first
};

UserLists& TheUserLists() {
  static auto* const lists = new UserLists;
  return *lists;
}

}  // namespace

void* BeginThreadList() {
  ThreadList()->Begin();
  return ThreadList().get();
}

base::Status BeginUserList(const void* handle, std::span<std::byte> storage) {
  if (handle == ThreadList().get()) {
    return base::Fail(Code::kInvalidParam, "argsHandle {} is the list of this thread; pass memory of your own",
                      fmt::ptr(handle));
  }
  UserLists& user = TheUserLists();
  const std::lock_guard lock(user.mutex);
  auto& list = user.lists[handle];
  if (list == nullptr) {
    user.order.push_back(handle);
    list = std::make_shared<KernelArguments>();
  }
  list->Begin(storage);
  if (user.order.size() > kKnownLists) {
    user.lists.erase(user.order.front());
    user.order.pop_front();
  }
  return {};
}

base::Result<std::shared_ptr<KernelArguments>> FindList(const void* handle) {
  if (handle == ThreadList().get()) return ThreadList();
  UserLists& user = TheUserLists();
  const std::lock_guard lock(user.mutex);
  const auto found = user.lists.find(handle);
  if (found != user.lists.end()) return found->second;
  return base::FailResult(Code::kInvalidParam,
                          "argsHandle {} is not the list that aclrtKernelArgsInit gave to this thread, nor one of "
                          "aclrtKernelArgsInitByUserMem",
                          fmt::ptr(handle));
}

}  // namespace softhccl::api
