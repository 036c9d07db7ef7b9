// Ranks as threads of this process, kept for many programs, and the execution of a program on them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_res.h"
#include "program.h"

namespace softhccl::property {

// How a program is given to the library; the result must not depend on it.
struct Submission {
  std::uint32_t seed = 0;  // order in which the threads' steps are submitted
  bool batched = false;    // all steps of a thread in one batch
};

class World {
 public:
  explicit World(int ranks);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Runs the program on memory that begins as `memory` and leaves the result there. Returns an empty text, or what
  // failed.
  std::string Run(const Program& program, const Submission& submission, Memory* memory);

 private:
  struct RankState {
    HcclComm comm = nullptr;
    std::vector<ThreadHandle> threads;
    std::vector<ChannelHandle> channels;  // by peer
    std::vector<void*> buffers;           // by rank, as this rank addresses them
  };

  void SetUp(int rank, const HcclRootInfo& info);
  int Submit(const Step& step);
  std::uint8_t* At(int rank, int of_rank, int cell);

  std::vector<RankState> states_;
};

}  // namespace softhccl::property
