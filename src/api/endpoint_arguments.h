// Reading descriptions of endpoints.
#pragma once

#include <string>

#include "api/objects.h"
#include "api/report.h"
#include "hcomm/hcomm_res_defs.h"

namespace softhccl::api {

// What identifies the endpoint: protocol and address, and its place when it has no address. Errors: kInvalidParam
// naming the member of `argument`.
inline base::Result<std::string> ReadEndpoint(const EndpointDesc& desc, const std::string& argument) {
  const auto bad = [&](const char* member, int value) {
    return base::FailResult(base::Code::kInvalidParam, "{}.{} {} is not known; call EndpointDescInit and set it",
                            argument, member, value);
  };
  const int protocol = RawValue(desc.protocol);
  if (protocol < COMM_PROTOCOL_HCCS || protocol > COMM_PROTOCOL_UB_RTP) return bad("protocol", protocol);
  const int place = RawValue(desc.loc.locType);
  if (place < ENDPOINT_LOC_TYPE_RESERVED || place > ENDPOINT_LOC_TYPE_HOST) return bad("loc.locType", place);
  const int address = RawValue(desc.commAddr.type);
  std::size_t size = 0;
  const void* bytes = desc.commAddr.raws;
  switch (address) {
    case COMM_ADDR_TYPE_IP_V4: size = sizeof desc.commAddr.addr; break;
    case COMM_ADDR_TYPE_IP_V6: size = sizeof desc.commAddr.addr6; break;
    case COMM_ADDR_TYPE_ID: size = sizeof desc.commAddr.id; break;
    case COMM_ADDR_TYPE_EID: size = sizeof desc.commAddr.eid; break;
    case COMM_ADDR_TYPE_RESERVED:
      if (place == ENDPOINT_LOC_TYPE_RESERVED) return bad("commAddr.type", address);
      size = place == ENDPOINT_LOC_TYPE_HOST ? sizeof desc.loc.host : sizeof desc.loc.device;
      bytes = desc.loc.raws;
      break;
    default: return bad("commAddr.type", address);
  }
  std::string identity = fmt::format("protocol {} address {} place {} ", protocol, address,
                                     address == COMM_ADDR_TYPE_RESERVED ? place : 0);
  identity.append(static_cast<const char*>(bytes), size);
  return identity;
}

}  // namespace softhccl::api
