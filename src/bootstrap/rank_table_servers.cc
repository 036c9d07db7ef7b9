// Rank tables 1.0 and 1.2: servers with their devices, and super pods made of servers.
#include <map>
#include <set>

#include "bootstrap/rank_table_formats.h"

namespace softhccl::bootstrap {
namespace {

using base::Status;

constexpr std::uint32_t kMaxDevice = 1023;

struct Reading {
  ReadRanks ranks;
  std::map<std::string, Field> servers;  // by id
  std::map<std::string, int> addresses;  // and the line they are in
  bool has_super_pods = false;
  bool needs_device_ip = false;
};

Status ReadAddresses(const Field& device, Reading* reading, RankEntry* entry) {
  if (!Has(device, "device_ip")) {
    if (!reading->needs_device_ip) return {};
    return Member(device, "device_ip").error().While("reading a table of several servers");
  }
  SOFTHCCL_RETURN_IF_ERROR(CheckOptionalAddress(device, "device_ip"));
  const Field address = *Member(device, "device_ip");
  entry->device_ip = *address.String();
  const auto [other, is_new] = reading->addresses.emplace(entry->device_ip, address.line());
  if (!is_new) {
    return BadValue(address, fmt::format("\"{}\" is in line {} already; every device has its own address",
                                         entry->device_ip, other->second));
  }
  return CheckOptionalAddress(device, "backup_device_ip");
}

Status ReadDevice(const Field& device, const std::string& server, Reading* reading) {
  RankEntry entry;
  entry.server = server;
  auto id = Number(device, "device_id", true, 0, kMaxDevice);
  if (!id) return id.error();
  entry.device = *id;
  auto rank = Number(device, "rank_id", true, 0, kMaxRanks - 1);
  if (!rank) return rank.error();
  entry.rank = *rank;
  SOFTHCCL_RETURN_IF_ERROR(ReadAddresses(device, reading, &entry));
  for (const char* port : {"device_port", "host_port", "backup_device_port"}) {
    SOFTHCCL_RETURN_IF_ERROR(CheckOptionalPort(device, port, true));
  }
  if (reading->has_super_pods) {
    auto super_device = Text(device, "super_device_id", 1, 64);
    if (!super_device) return super_device.error();
    entry.super_device = *super_device;
  }
  reading->ranks.places.push_back(*Member(device, "rank_id"));
  reading->ranks.entries.push_back(std::move(entry));
  return {};
}

// Device ids differ on a server, and its ranks follow each other.
Status CheckServer(const Field& server, const std::vector<Field>& places, const ReadRanks& ranks, std::size_t first) {
  std::map<std::uint32_t, std::size_t> devices;
  std::uint32_t lowest = kMaxRanks;
  std::uint32_t highest = 0;
  for (std::size_t i = first; i < ranks.entries.size(); ++i) {
    const RankEntry& entry = ranks.entries[i];
    const auto [other, is_new] = devices.emplace(entry.device, i);
    if (!is_new) {
      return BadValue(*Member(places[i - first], "device_id"),
                      fmt::format("{} is also the device of rank {} (line {}) on this server", entry.device,
                                  ranks.entries[other->second].rank, ranks.places[other->second].line()));
    }
    lowest = std::min(lowest, entry.rank);
    highest = std::max(highest, entry.rank);
  }
  if (highest - lowest + 1 <= devices.size()) return {};
  return BadValue(server, fmt::format("its {} ranks go from {} to {}; the ranks of a server follow each other",
                                      devices.size(), lowest, highest));
}

Status ReadServer(const Field& server, Reading* reading) {
  auto id = Text(server, "server_id", 1, 64);
  if (!id) return id.error();
  const Field id_field = *Member(server, "server_id");
  const auto [other, is_new] = reading->servers.emplace(*id, id_field);
  if (!is_new) {
    return BadValue(id_field, fmt::format("\"{}\" is the id of the server in line {} already; ids of servers differ",
                                          *id, other->second.line()));
  }
  SOFTHCCL_RETURN_IF_ERROR(CheckOptionalAddress(server, "host_ip"));
  auto devices = Objects(server, "device", 1, kMaxRanks);
  if (!devices) return devices.error();
  const std::size_t first = reading->ranks.entries.size();
  for (std::size_t i = 0; i < devices->size(); ++i) {
    SOFTHCCL_RETURN_IF_ERROR(ReadDevice((*devices)[i], *id, reading));
  }
  return CheckServer(server, *devices, reading->ranks, first);
}

Status ReadSuperPod(const Field& pod, const Reading& reading, std::map<std::string, std::string>* pod_of_server) {
  auto id = Text(pod, "super_pod_id", 1, 128);
  if (!id) return id.error();
  auto servers = Objects(pod, "server_list", 1, kMaxRanks);
  if (!servers) return servers.error();
  for (std::size_t i = 0; i < servers->size(); ++i) {
    auto server = Text((*servers)[i], "server_id", 1, 64);
    if (!server) return server.error();
    const Field place = *Member((*servers)[i], "server_id");
    if (reading.servers.count(*server) == 0) {
      return BadValue(place, fmt::format("\"{}\" is not a server of the table's server_list", *server));
    }
    const auto [other, is_new] = pod_of_server->emplace(*server, *id);
    if (!is_new) {
      return BadValue(place,
                      fmt::format("\"{}\" is in super pod \"{}\" already; a server is in one", *server, other->second));
    }
  }
  return {};
}

Status ReadSuperPods(const Field& root, Reading* reading) {
  auto pods = Objects(root, "super_pod_list", 1, kMaxRanks);
  if (!pods) return pods.error();
  std::map<std::string, std::string> pod_of_server;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < pods->size(); ++i) {
    SOFTHCCL_RETURN_IF_ERROR(ReadSuperPod((*pods)[i], *reading, &pod_of_server));
    const Field id = *Member((*pods)[i], "super_pod_id");
    if (!ids.insert(*id.String()).second) return BadValue(id, fmt::format("\"{}\" is there twice", *id.String()));
  }
  for (const auto& [server, place] : reading->servers) {
    if (pod_of_server.count(server) == 0) {
      return BadValue(place, fmt::format("\"{}\" is in no super pod; name it in super_pod_list", server));
    }
  }
  for (RankEntry& entry : reading->ranks.entries) entry.super_pod = pod_of_server[entry.server];
  return {};
}

}  // namespace

base::Result<ReadRanks> ReadServerList(const Field& root, bool has_super_pods) {
  Reading reading;
  reading.has_super_pods = has_super_pods;
  auto servers = Objects(root, "server_list", 1, kMaxRanks);
  if (!servers) return tl::unexpected(servers.error());
  auto count = Number(root, "server_count", true, 1, kMaxRanks);
  if (!count) return tl::unexpected(count.error());
  if (*count != servers->size()) {
    return tl::unexpected(BadValue(*Member(root, "server_count"),
                                   fmt::format("is {}, but server_list has {} servers", *count, servers->size())));
  }
  reading.needs_device_ip = servers->size() > 1;
  for (std::size_t i = 0; i < servers->size(); ++i) {
    SOFTHCCL_RETURN_RESULT_IF_ERROR(ReadServer((*servers)[i], &reading));
  }
  if (has_super_pods) SOFTHCCL_RETURN_RESULT_IF_ERROR(ReadSuperPods(root, &reading));
  return std::move(reading.ranks);
}

}  // namespace softhccl::bootstrap
