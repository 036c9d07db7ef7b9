// The roster is one value of the store: rank, length and text of everybody who has signed.
#include "comm/meeting.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include <fmt/ranges.h>

#include "engine/runtime.h"
#include "exec/host_wait.h"

namespace softhccl::comm {
namespace {

using base::Code;
using base::Status;
using engine::Runtime;

using Roster = std::map<std::uint32_t, std::string>;

std::string Encode(const Roster& roster) {
  std::string text;
  for (const auto& [rank, part] : roster) text += fmt::format("{} {} {}", rank, part.size(), part);
  return text;
}

// A number and the blank behind it. Our own text: nothing can be wrong with it.
std::size_t TakeNumber(std::string_view* text) {
  std::size_t number = 0;
  const char* end = std::from_chars(text->data(), text->data() + text->size(), number).ptr;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()) + 1);
  return number;
}

Roster Decode(std::string_view text) {
  Roster roster;
  while (!text.empty()) {
    const auto rank = static_cast<std::uint32_t>(TakeNumber(&text));
    const std::size_t size = TakeNumber(&text);
    roster[rank] = text.substr(0, size);
    text.remove_prefix(size);
  }
  return roster;
}

Status Missed(const MeetingParty& party, const MeetingCall& call, const std::vector<std::uint32_t>& missing) {
  return base::Fail(Code::kTimeout, "rank {} waited {:.1f} s for rank {} {}; all ranks must call {}", party.rank,
                    static_cast<double>(party.limit) / 1e9, fmt::join(missing, ", "), call.detail, call.call);
}

// One rank at one meeting.
class Visit {
 public:
  Visit(const MeetingParty& party, const MeetingCall& call)
      : party_(party), call_(call), store_(party.group->store()) {}

  base::Result<Roster> Run(const std::string& text) {
    exec::Scheduler& scheduler = Runtime::Get().scheduler();
    exec::ScopedHostWait wait(scheduler, exec::Party{party_.group->domain(), party_.rank}, call_.call, call_.detail);
    const base::Nanos deadline = scheduler.Now() + party_.limit;
    static_cast<void>(Change([&](Roster* roster) { (*roster)[party_.rank] = text; }));
    for (;;) {
      Roster roster = Read();
      if (IsComplete(roster)) {
        store_.Set(DoneKey(), "");  // wakes the others; the roster has decided
        return roster;
      }
      const base::Nanos now = scheduler.Now();
      const Status ended = Judge(MissingIn(roster), now >= deadline, wait);
      if (ended.ok()) {
        static_cast<void>(store_.Get(DoneKey(), std::min(deadline, now + exec::kHostWaitLook)));
      } else if (Change([&](Roster* signed_by) { signed_by->erase(party_.rank); })) {
        return tl::unexpected(ended);
      }
    }
  }

 private:
  std::string DoneKey() const { return call_.key + "/done"; }

  Roster Read() const {
    const auto text = store_.Get(call_.key, 0);
    return text ? Decode(*text) : Roster();
  }

  // False when the roster is complete: then nobody changes it any more.
  template <typename How>
  bool Change(How how) {
    for (;;) {
      const auto found = store_.Get(call_.key, 0);
      const std::optional<std::string> before = found ? std::optional(*found) : std::nullopt;
      Roster roster = before ? Decode(*before) : Roster();
      if (IsComplete(roster)) return false;
      how(&roster);
      if (store_.CompareAndSet(call_.key, before, Encode(roster))) return true;
    }
  }

  bool IsComplete(const Roster& roster) const { return MissingIn(roster).empty(); }

  std::vector<std::uint32_t> MissingIn(const Roster& roster) const {
    std::vector<std::uint32_t> missing;
    for (const std::uint32_t member : party_.members) {
      if (roster.count(member) == 0) missing.push_back(member);
    }
    return missing;
  }

  // Ok, or why it is not worth while to wait for them.
  Status Judge(const std::vector<std::uint32_t>& missing, bool is_late, exec::ScopedHostWait& wait) const {
    SOFTHCCL_RETURN_IF_ERROR(party_.check_usable());
    for (const std::uint32_t rank : missing) {
      if (!party_.group->HasLeft(rank)) continue;
      return base::Fail(Code::kRemote, "rank {} has destroyed its communicator; it will not come to {}", rank,
                        call_.call);
    }
    SOFTHCCL_RETURN_IF_ERROR(wait.Look(missing));
    return is_late ? Missed(party_, call_, missing) : Status();
  }

  const MeetingParty& party_;
  const MeetingCall& call_;
  bootstrap::Store& store_;
};

}  // namespace

base::Result<std::map<std::uint32_t, std::string>> Meet(const MeetingParty& party, const MeetingCall& call,
                                                        const std::string& text) {
  return Visit(party, call).Run(text);
}

namespace {

std::string ClosedKey(const std::string& key, std::uint32_t rank) { return fmt::format("{}/closed by {}", key, rank); }

}  // namespace

void CloseAlone(const MeetingParty& party, const std::string& key) {
  party.group->store().Set(ClosedKey(key, party.rank), "");
}

Status CloseTogether(const MeetingParty& party, const MeetingCall& call) {
  CloseAlone(party, call.key);
  if (party.group->domain()->aborted()) return {};  // nobody uses it any more, and peers may not come
  exec::Scheduler& scheduler = Runtime::Get().scheduler();
  exec::ScopedHostWait wait(scheduler, exec::Party{party.group->domain(), party.rank}, call.call, call.detail);
  const base::Nanos deadline = scheduler.Now() + party.limit;
  bootstrap::Store& store = party.group->store();
  for (;;) {
    std::vector<std::uint32_t> missing;
    for (const std::uint32_t rank : party.members) {
      if (!store.Get(ClosedKey(call.key, rank), 0) && !party.group->HasLeft(rank)) missing.push_back(rank);
    }
    if (missing.empty()) return {};
    SOFTHCCL_RETURN_IF_ERROR(party.check_usable());
    SOFTHCCL_RETURN_IF_ERROR(wait.Look(missing));
    const base::Nanos now = scheduler.Now();
    if (now >= deadline) return Missed(party, call, missing);
    static_cast<void>(store.Get(ClosedKey(call.key, missing.front()), std::min(deadline, now + exec::kHostWaitLook)));
  }
}

std::vector<std::uint32_t> AllRanks(std::uint32_t size) {
  std::vector<std::uint32_t> ranks(size);
  std::iota(ranks.begin(), ranks.end(), 0u);
  return ranks;
}

}  // namespace softhccl::comm
