// Questions about the rank graph. What C programs get are copies in the interface's types, kept by the communicator.
#include "hccl/hccl_rank_graph.h"

#include <cstring>

#include "api/objects.h"
#include "api/report.h"

using namespace softhccl;
using namespace softhccl::api;
using base::Code;
using base::Status;

namespace {

static_assert(static_cast<int>(comm::TopologyKind::kClos) == COMM_TOPO_CLOS);
static_assert(static_cast<int>(comm::TopologyKind::kMesh) == COMM_TOPO_1DMESH);
static_assert(static_cast<int>(comm::TopologyKind::kA3) == COMM_TOPO_910_93);
static_assert(static_cast<int>(comm::TopologyKind::kCustom) == COMM_TOPO_CUSTOM);

// Hands `values` out under a name that says which question they answer.
Status Give(comm::Communicator& communicator, const std::string& key,
            const base::Result<std::vector<std::uint32_t>>& values, uint32_t** array, uint32_t* count) {
  if (!values) return values.error();
  *count = static_cast<uint32_t>(values->size());
  *array = communicator.kept_arrays().Keep(key, *values);
  return {};
}

EndpointDesc ToDesc(const comm::GraphEndpoint& endpoint) {
  EndpointDesc desc;
  static_cast<void>(EndpointDescInit(&desc, 1));
  desc.protocol = static_cast<CommProtocol>(endpoint.protocol);
  desc.commAddr.type = static_cast<CommAddrType>(endpoint.address_type);
  std::memcpy(desc.commAddr.raws, endpoint.address.data(), endpoint.address.size());
  desc.loc.locType = ENDPOINT_LOC_TYPE_DEVICE;
  desc.loc.device.devPhyId = endpoint.place.card;
  desc.loc.device.superDevId = endpoint.place.super_card;
  desc.loc.device.serverIdx = endpoint.place.server;
  desc.loc.device.superPodIdx = endpoint.place.super_pod;
  return desc;
}

// Protocol and address, which are what identifies an endpoint.
comm::GraphEndpoint FromDesc(const EndpointDesc& desc) {
  comm::GraphEndpoint endpoint;
  endpoint.protocol = RawValue(desc.protocol);
  endpoint.address_type = RawValue(desc.commAddr.type);
  std::memcpy(endpoint.address.data(), desc.commAddr.raws, endpoint.address.size());
  return endpoint;
}

CommLink ToLink(const comm::GraphLink& link) {
  CommLink made;
  static_cast<void>(CommLinkInit(&made, 1));
  made.srcEndpointDesc = ToDesc(link.source);
  made.dstEndpointDesc = ToDesc(link.destination);
  made.linkAttr.linkProtocol = static_cast<CommProtocol>(link.protocol);
  return made;
}

Status GetLayers(HcclComm comm, uint32_t** netLayers, uint32_t* netLayerNum) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(netLayers);
  SOFTHCCL_REQUIRE(netLayerNum);
  return Give(*found, "layers", found->rank_graph().Layers(), netLayers, netLayerNum);
}

Status GetRanks(HcclComm comm, uint32_t netLayer, uint32_t** ranks, uint32_t* rankNum) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(ranks);
  SOFTHCCL_REQUIRE(rankNum);
  return Give(*found, fmt::format("ranks/{}", netLayer), found->rank_graph().RanksOn(netLayer), ranks, rankNum);
}

Status GetRankSize(HcclComm comm, uint32_t netLayer, uint32_t* rankNum) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(rankNum);
  SOFTHCCL_ASSIGN(ranks, found->rank_graph().RanksOn(netLayer));
  *rankNum = static_cast<uint32_t>(ranks.size());
  return {};
}

Status GetTopoTypeByLayer(HcclComm comm, uint32_t netLayer, CommTopo* topoType) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(topoType);
  SOFTHCCL_ASSIGN(layer, found->rank_graph().Layer(netLayer));
  *topoType = static_cast<CommTopo>(layer.kind);
  return {};
}

Status GetInstSizeList(HcclComm comm, uint32_t netLayer, uint32_t** instSizeList, uint32_t* listSize) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(instSizeList);
  SOFTHCCL_REQUIRE(listSize);
  return Give(*found, fmt::format("sizes/{}", netLayer), found->rank_graph().InstanceSizes(netLayer), instSizeList,
              listSize);
}

Status GetLinks(HcclComm comm, uint32_t netLayer, uint32_t srcRank, uint32_t dstRank, CommLink** links,
                uint32_t* linkNum) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(links);
  SOFTHCCL_REQUIRE(linkNum);
  SOFTHCCL_ASSIGN(known, found->rank_graph().Links(netLayer, srcRank, dstRank));
  std::vector<CommLink> made;
  for (const comm::GraphLink& link : known) made.push_back(ToLink(link));
  *linkNum = static_cast<uint32_t>(made.size());
  *links = found->kept_arrays().Keep(fmt::format("links/{}/{}/{}", netLayer, srcRank, dstRank), std::move(made));
  return {};
}

Status GetEndpointInfo(HcclComm comm, uint32_t rankId, const EndpointDesc* endpointDesc, int endpointAttr,
                       uint32_t infoLen, void* info) {
  SOFTHCCL_ASSIGN(found, FindComm(comm));
  SOFTHCCL_REQUIRE(endpointDesc);
  SOFTHCCL_REQUIRE(info);
  SOFTHCCL_ASSIGN(layer, found->rank_graph().FindLayer(rankId, FromDesc(*endpointDesc)));
  uint32_t answer = 0;
  if (endpointAttr == ENDPOINT_ATTR_BW_COEFF) {
    SOFTHCCL_ASSIGN(description, found->rank_graph().Layer(layer));
    answer = description.bandwidth;
  } else if (endpointAttr == ENDPOINT_ATTR_LOCATION) {
    answer = ENDPOINT_LOC_TYPE_DEVICE;
  } else if (endpointAttr != ENDPOINT_ATTR_DIE_ID) {
    return base::Fail(Code::kInvalidParam, "endpointAttr {} is not known; use ENDPOINT_ATTR_BW_COEFF 0 to LOCATION 2",
                      endpointAttr);
  }
  if (infoLen != sizeof answer) {
    return base::Fail(Code::kInvalidParam, "infoLen {} is not the size of endpointAttr {}, which has {} bytes", infoLen,
                      endpointAttr, sizeof answer);
  }
  std::memcpy(info, &answer, sizeof answer);
  return {};
}

}  // namespace

extern "C" HcclResult HcclRankGraphGetLayers(HcclComm comm, uint32_t** netLayers, uint32_t* netLayerNum) {
  return CallHccl("HcclRankGraphGetLayers", [&] { return GetLayers(comm, netLayers, netLayerNum); });
}

extern "C" HcclResult HcclRankGraphGetRanksByLayer(HcclComm comm, uint32_t netLayer, uint32_t** ranks,
                                                   uint32_t* rankNum) {
  return CallHccl("HcclRankGraphGetRanksByLayer", [&] { return GetRanks(comm, netLayer, ranks, rankNum); });
}

extern "C" HcclResult HcclRankGraphGetRankSizeByLayer(HcclComm comm, uint32_t netLayer, uint32_t* rankNum) {
  return CallHccl("HcclRankGraphGetRankSizeByLayer", [&] { return GetRankSize(comm, netLayer, rankNum); });
}

extern "C" HcclResult HcclRankGraphGetTopoTypeByLayer(HcclComm comm, uint32_t netLayer, CommTopo* topoType) {
  return CallHccl("HcclRankGraphGetTopoTypeByLayer", [&] { return GetTopoTypeByLayer(comm, netLayer, topoType); });
}

extern "C" HcclResult HcclRankGraphGetInstSizeListByLayer(HcclComm comm, uint32_t netLayer, uint32_t** instSizeList,
                                                          uint32_t* listSize) {
  return CallHccl("HcclRankGraphGetInstSizeListByLayer",
                  [&] { return GetInstSizeList(comm, netLayer, instSizeList, listSize); });
}

extern "C" HcclResult HcclRankGraphGetLinks(HcclComm comm, uint32_t netLayer, uint32_t srcRank, uint32_t dstRank,
                                            CommLink** links, uint32_t* linkNum) {
  return CallHccl("HcclRankGraphGetLinks", [&] { return GetLinks(comm, netLayer, srcRank, dstRank, links, linkNum); });
}

extern "C" HcclResult HcclRankGraphGetTopoInstsByLayer(HcclComm comm, uint32_t netLayer, uint32_t** topoInsts,
                                                       uint32_t* topoInstNum) {
  return CallHccl("HcclRankGraphGetTopoInstsByLayer", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(topoInsts);
    SOFTHCCL_REQUIRE(topoInstNum);
    SOFTHCCL_ASSIGN(layer, found->rank_graph().Layer(netLayer));
    static_cast<void>(layer);
    return Give(*found, fmt::format("instances/{}", netLayer), std::vector<std::uint32_t>{0}, topoInsts, topoInstNum);
  });
}

extern "C" HcclResult HcclRankGraphGetTopoType(HcclComm comm, uint32_t netLayer, uint32_t topoInstId,
                                               CommTopo* topoType) {
  return CallHccl("HcclRankGraphGetTopoType", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(topoType);
    SOFTHCCL_ASSIGN(instance, found->rank_graph().Instance(netLayer, topoInstId));
    *topoType = static_cast<CommTopo>(instance.instance_kind);
    return {};
  });
}

extern "C" HcclResult HcclRankGraphGetRanksByTopoInst(HcclComm comm, uint32_t netLayer, uint32_t topoInstId,
                                                      uint32_t** ranks, uint32_t* rankNum) {
  return CallHccl("HcclRankGraphGetRanksByTopoInst", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(ranks);
    SOFTHCCL_REQUIRE(rankNum);
    SOFTHCCL_ASSIGN(instance, found->rank_graph().Instance(netLayer, topoInstId));
    static_cast<void>(instance);
    return GetRanks(comm, netLayer, ranks, rankNum);
  });
}

extern "C" HcclResult HcclGetHeterogMode(HcclComm comm, HcclHeterogMode* mode) {
  return CallHccl("HcclGetHeterogMode", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    static_cast<void>(found);
    SOFTHCCL_REQUIRE(mode);
    *mode = HCCL_HETEROG_MODE_HOMOGENEOUS;
    return {};
  });
}

extern "C" HcclResult HcclRankGraphGetEndpointNum(HcclComm comm, uint32_t layer, uint32_t topoInstId, uint32_t* num) {
  return CallHccl("HcclRankGraphGetEndpointNum", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(num);
    SOFTHCCL_ASSIGN(instance, found->rank_graph().Instance(layer, topoInstId));
    static_cast<void>(instance);
    SOFTHCCL_ASSIGN(endpoints, found->rank_graph().Endpoints(found->rank(), layer));
    *num = static_cast<uint32_t>(endpoints.size());
    return {};
  });
}

extern "C" HcclResult HcclRankGraphGetEndpointDesc(HcclComm comm, uint32_t layer, uint32_t topoInstId,
                                                   uint32_t* descNum, EndpointDesc* endpointDesc) {
  return CallHccl("HcclRankGraphGetEndpointDesc", [&]() -> Status {
    SOFTHCCL_ASSIGN(found, FindComm(comm));
    SOFTHCCL_REQUIRE(descNum);
    SOFTHCCL_REQUIRE(endpointDesc);
    SOFTHCCL_ASSIGN(instance, found->rank_graph().Instance(layer, topoInstId));
    static_cast<void>(instance);
    SOFTHCCL_ASSIGN(endpoints, found->rank_graph().Endpoints(found->rank(), layer));
    if (*descNum < endpoints.size()) {
      return base::Fail(Code::kInvalidParam, "descNum {} is too small, there {} {} endpoint{}", *descNum,
                        endpoints.size() == 1 ? "is" : "are", endpoints.size(), endpoints.size() == 1 ? "" : "s");
    }
    for (std::size_t i = 0; i < endpoints.size(); ++i) endpointDesc[i] = ToDesc(endpoints[i]);
    *descNum = static_cast<uint32_t>(endpoints.size());
    return {};
  });
}

extern "C" HcclResult HcclRankGraphGetEndpointInfo(HcclComm comm, uint32_t rankId, const EndpointDesc* endpointDesc,
                                                   EndpointAttr endpointAttr, uint32_t infoLen, void* info) {
  return CallHccl("HcclRankGraphGetEndpointInfo",
                  [&] { return GetEndpointInfo(comm, rankId, endpointDesc, RawValue(endpointAttr), infoLen, info); });
}

// --- Names of an early release -----------------------------------------------------------------------------------

extern "C" HcclResult HcclGetNetLayers(HcclComm comm, uint32_t** netLayers, uint32_t* netLayerNum) {
  return CallHccl("HcclGetNetLayers", [&] { return GetLayers(comm, netLayers, netLayerNum); });
}

extern "C" HcclResult HcclGetInstRanksByNetLayer(HcclComm comm, uint32_t netLayer, uint32_t** ranks,
                                                 uint32_t* rankNum) {
  return CallHccl("HcclGetInstRanksByNetLayer", [&] { return GetRanks(comm, netLayer, ranks, rankNum); });
}

extern "C" HcclResult HcclGetInstSizeByNetLayer(HcclComm comm, uint32_t netLayer, uint32_t* rankNum) {
  return CallHccl("HcclGetInstSizeByNetLayer", [&] { return GetRankSize(comm, netLayer, rankNum); });
}

extern "C" HcclResult HcclGetInstTopoTypeByNetLayer(HcclComm comm, uint32_t netLayer, CommTopo* topoType) {
  return CallHccl("HcclGetInstTopoTypeByNetLayer", [&] { return GetTopoTypeByLayer(comm, netLayer, topoType); });
}

extern "C" HcclResult HcclGetInstSizeListByNetLayer(HcclComm comm, uint32_t netLayer, uint32_t** instSizeList,
                                                    uint32_t* listSize) {
  return CallHccl("HcclGetInstSizeListByNetLayer",
                  [&] { return GetInstSizeList(comm, netLayer, instSizeList, listSize); });
}

extern "C" HcclResult HcclGetLinks(HcclComm comm, uint32_t netLayer, uint32_t srcRank, uint32_t dstRank,
                                   CommLink** links, uint32_t* linkNum) {
  return CallHccl("HcclGetLinks", [&] { return GetLinks(comm, netLayer, srcRank, dstRank, links, linkNum); });
}
