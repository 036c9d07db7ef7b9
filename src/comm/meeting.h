// Host calls that several ranks of a communicator make together, each with a text for the others: they take place on
// all of them or on none. The ranks sign one roster in the group's store by compare-and-set; whoever signs last makes
// it happen, and who gives up takes its signature back only while somebody is missing. So a rank whose patience ends in
// the moment the last one comes learns that it happened, and nobody believes otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "bootstrap/group.h"

namespace softhccl::comm {

// What does not change between the meetings of a rank.
struct MeetingParty {
  std::shared_ptr<bootstrap::Group> group;
  std::uint32_t rank = 0;
  std::vector<std::uint32_t> members;          // ranks of the group that meet, this one among them
  base::Nanos limit = 0;                       // until a rank gives up
  std::function<base::Status()> check_usable;  // ok, or why waiting makes no sense any more
};

// One meeting. All members use the same key; a key that was used up is never used again.
struct MeetingCall {
  std::string key;
  std::string call;    // for messages: "HcclCommSymWinRegister"
  std::string detail;  // what is missing: "to register its part of the window"
};

// Waits until every member has come; the texts of all, by rank. A rank that fails may come again under the same key
// and meets those who still wait. Errors: kTimeout naming the missing ranks; kRemote when one has left; those of
// check_usable and of the deadlock watch.
base::Result<std::map<std::uint32_t, std::string>> Meet(const MeetingParty& party, const MeetingCall& call,
                                                        const std::string& text);

// What a meeting made is given up. Together: waits until every member has given it up, too, or has left; a communicator
// that was aborted is not waited for. Errors: kTimeout naming the missing ranks; those of check_usable.
base::Status CloseTogether(const MeetingParty& party, const MeetingCall& call);
// The same without waiting.
void CloseAlone(const MeetingParty& party, const std::string& key);

// {0, 1, ..., size - 1}
std::vector<std::uint32_t> AllRanks(std::uint32_t size);

}  // namespace softhccl::comm
