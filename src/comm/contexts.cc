// Engine contexts and named device memory.
#include "comm/contexts.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "engine/engines.h"
#include "memory/memory.h"
#include "memory/system_memory.h"

namespace softhccl::comm {

using base::Code;
using base::Status;
using memory::Memory;
using memory::Space;

namespace {

void Free(Space space, std::byte* data) {
  const Status freed = Memory::Process().Free(space, data);
  if (!freed.ok()) base::Log(base::LogLevel::kError, freed.message());
}

// A context is zeroed and so committed at once: one that is larger than the machine would end the process.
Status CheckFits(std::uint64_t size) {
  const auto system = memory::ReadSystemMemory();
  if (!system || size <= system->free) return {};
  return base::Fail(Code::kOutOfMemory, "size {}: the bytes do not fit into the {} that are free; ask for less", size,
                    system->free);
}

}  // namespace

EngineContexts::EngineContexts(int device, std::string name) : device_(device), name_(std::move(name)) {}

base::Result<std::byte*> EngineContexts::Create(const std::string& tag, int engine, std::uint64_t size) {
  auto info = engine::FindEngine(engine);
  if (!info) return tl::unexpected(info.error());
  if (size == 0) return base::FailResult(Code::kInvalidParam, "size 0: a context holds at least one byte");
  const std::lock_guard lock(mutex_);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(closed_);
  const auto existing = contexts_.find({tag, engine});
  if (existing != contexts_.end()) {
    return base::FailResult(Code::kInvalidParam,
                            "ctxTag \"{}\": a context of engine {} with this tag exists already ({} bytes); "
                            "get it with HcclEngineCtxGet",
                            tag, (*info)->name, existing->second.size);
  }
  SOFTHCCL_RETURN_RESULT_IF_ERROR(CheckFits(size));
  auto memory = Memory::Process().Allocate((*info)->context_space, device_, size, "an engine context");
  if (!memory) return memory;
  std::fill_n(*memory, size, std::byte{0});
  contexts_[{tag, engine}] = Context{*memory, size};
  return memory;
}

base::Result<EngineContexts::Context> EngineContexts::FindLocked(const std::string& tag, int engine) const {
  auto info = engine::FindEngine(engine);
  if (!info) return tl::unexpected(info.error());
  const auto found = contexts_.find({tag, engine});
  if (found != contexts_.end()) return found->second;
  return base::FailResult(Code::kNotFound,
                          "ctxTag \"{}\": communicator {} has no context of engine {} with this tag; create it "
                          "with HcclEngineCtxCreate",
                          tag, name_, (*info)->name);
}

base::Result<EngineContexts::Context> EngineContexts::Find(const std::string& tag, int engine) const {
  const std::lock_guard lock(mutex_);
  return FindLocked(tag, engine);
}

Status EngineContexts::CopyInto(const std::string& tag, int engine, const void* from, std::uint64_t size,
                                std::uint64_t offset) {
  if (size == 0) return base::Fail(Code::kInvalidParam, "size 0: copy at least one byte");
  const std::lock_guard lock(mutex_);  // the context must not be destroyed meanwhile
  auto found = FindLocked(tag, engine);
  if (!found) return found.error();
  if (offset > found->size || size > found->size - offset) {
    return base::Fail(Code::kInvalidParam,
                      "size {} at dstCtxOffset {} does not fit the {} bytes of the context with ctxTag \"{}\"", size,
                      offset, found->size, tag);
  }
  SOFTHCCL_RETURN_IF_ERROR(Memory::Process().CheckRange(from, size, "srcCtx"));
  std::memmove(found->data + offset, from, size);
  return {};
}

Status EngineContexts::Destroy(const std::string& tag, int engine) {
  auto info = engine::FindEngine(engine);
  if (!info) return info.error();
  const std::lock_guard lock(mutex_);
  const auto found = contexts_.find({tag, engine});
  if (found == contexts_.end()) {
    return base::Fail(Code::kInvalidParam, "ctxTag \"{}\": communicator {} has no context of engine {} with this tag",
                      tag, name_, (*info)->name);
  }
  Free((*info)->context_space, found->second.data);
  contexts_.erase(found);
  return {};
}

base::Result<EngineContexts::Named> EngineContexts::AcquireNamed(const std::string& tag, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  SOFTHCCL_RETURN_RESULT_IF_ERROR(closed_);
  const auto existing = named_.find(tag);
  if (existing != named_.end()) {
    if (size <= existing->second.size) return Named{existing->second, false};
    return base::FailResult(Code::kInvalidParam,
                            "memTag \"{}\": communicator {} has {} bytes of memory with this tag, {} were asked for; "
                            "ask for the largest size first",
                            tag, name_, existing->second.size, size);
  }
  if (size == 0) return base::FailResult(Code::kInvalidParam, "size 0: memory has at least one byte");
  auto memory = Memory::Process().Allocate(Space::kDevice, device_, size, "HcclDevMemAcquire");
  if (!memory) return tl::unexpected(memory.error());
  named_[tag] = Context{*memory, size};
  return Named{named_[tag], true};
}

void EngineContexts::Close(const Status& reason) {
  const std::lock_guard lock(mutex_);
  closed_ = reason;
  for (const auto& [key, context] : contexts_) {
    const auto info = engine::FindEngine(key.second);
    if (info) Free((*info)->context_space, context.data);
  }
  for (const auto& [tag, context] : named_) Free(Space::kDevice, context.data);
  contexts_.clear();
  named_.clear();
}

}  // namespace softhccl::comm
