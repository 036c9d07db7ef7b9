// Kernels of point-to-point operations, launched through a communicator: alone, or as a group whose members do not wait
// for each other. Around each kernel the user's stream waits for what the kernel has queued on its thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "comm/communicator.h"
#include "engine/invocation.h"
#include "engine/issue.h"
#include "hccl/hccl_launch.h"

namespace softhccl::api {

// One launch, checked, with everything that it needs later.
struct P2pLaunch {
  std::shared_ptr<comm::Communicator> communicator;
  std::shared_ptr<engine::KernelInfo> kernel;
  HcclP2pKernelParam parameters;  // sendRecvThread is filled in when it is queued
  double limit_seconds = 0;
  std::uint64_t thread = 0;  // handle of the caller's thread
  std::uint64_t user = 0;    // handles of streams
  std::uint64_t unfold = 0;
  std::uint32_t peer = 0;
  bool is_send = false;
  engine::OperationFacts facts;
};

// The kernel runs on `unfold`, between what the user's stream has and will get, and works with the caller's thread.
base::Status QueueLaunch(const P2pLaunch& launch);

// What a group has collected: each peer and direction has threads of its own, so that a send does not hold up a
// receive; launches with the same peer and direction keep their order. The members' user streams wait for their own
// launches. Errors: the first; the others are queued all the same.
base::Status QueueGroup(const std::vector<P2pLaunch>& launches);

}  // namespace softhccl::api
