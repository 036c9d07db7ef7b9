// Valid arguments for every parameter that is not the hostile one of a call, so that the call comes as far as the check
// of the hostile one; and real handles to be hostile with: destroyed ones and ones of another kind.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "function.h"
#include "hccl/hccl_types.h"

namespace softhccl::hostile {

// Made once in a process that has called nothing yet; never taken down, the process ends with it. One thread.
class Scene {
 public:
  // Rank 0 of a communicator of two, with a stream, notifies, a channel and so on. Ends the process when it cannot.
  Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  // An argument that the function may well accept, for the parameter at `index`. What it points to is reset.
  Word Plausible(const Function& function, std::size_t index);
  // Handles by the name of their type: alive, and destroyed. `other` if there is none of that type.
  Word Valid(const std::string& type, Word other) const;
  Word Stale(const std::string& type) const;
  // Memory of this process for the parameter at `index`, filled with `byte` and ended by a zero.
  Word Memory(std::size_t index, int byte);
  // A transfer that fails may end the communicator, after which it is refused for that reason only.
  bool CommunicatorFailed() const;
  Word freed_device_memory() const { return freed_device_memory_; }

 private:
  void MakeRuntimeObjects();
  void MakeKernelAndGraph();
  void MakeCommunicator();
  void MakeEndpoint();
  void MakeTeam(HcclComm comm);

  static constexpr std::size_t kMemoryBytes = 8192;
  static constexpr std::size_t kMostParameters = 24;

  std::map<std::string, Word> valid_;
  std::map<std::string, Word> stale_;
  Word freed_device_memory_ = 0;
  Word device_memory_ = 0;
  std::string comm_name_;
  std::vector<unsigned char> memory_;
};

}  // namespace softhccl::hostile
