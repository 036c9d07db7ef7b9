/**
 * @file hccl_rank_graph.h
 * How the ranks of a communicator are connected: layers of the network (0 is the server), the instances of a layer (one
 * server, one pod), links between ranks, and the endpoints of those links. Operators choose their algorithm by it and
 * copy endpoints into channel descriptions. Arrays that are handed out belong to the communicator and stay valid,
 * unchanged, until it is destroyed. "Behaviour: rank graph" below means: resources, rank graph.
 */
#ifndef HCCL_HCCL_RANK_GRAPH_H_
#define HCCL_HCCL_RANK_GRAPH_H_

#include "../hcomm/hcomm_res_defs.h"
#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

static const uint32_t COMM_LINK_MAGIC_WORD = 0x0f0e0f0f;
static const uint32_t COMM_LINK_VERSION = 1;

// clang-format off: tables
/** How ranks are connected. */
typedef enum CommTopo {
  COMM_TOPO_RESERVED = -1, COMM_TOPO_CLOS = 0, COMM_TOPO_1DMESH = 1, COMM_TOPO_910_93 = 2, COMM_TOPO_310P = 3,
  COMM_TOPO_A2AXSERVER = 4, COMM_TOPO_CUSTOM = 5
} CommTopo;

/** Whether the ranks run on products of several generations. */
typedef enum HcclHeterogMode {
  HCCL_HETEROG_MODE_INVALID = -1, HCCL_HETEROG_MODE_HOMOGENEOUS = 0, HCCL_HETEROG_MODE_MIX_A2_A3 = 1
} HcclHeterogMode;

/** What can be asked about an endpoint; the type of the answer has the same name. */
typedef enum EndpointAttr {
  ENDPOINT_ATTR_INVALID = -1, ENDPOINT_ATTR_BW_COEFF = 0, ENDPOINT_ATTR_DIE_ID = 1, ENDPOINT_ATTR_LOCATION = 2
} EndpointAttr;
// clang-format on

/** Bandwidth relative to other endpoints; never 0. */
typedef uint32_t EndpointAttrBwCoeff;
typedef uint32_t EndpointAttrDieId;
/** A number of EndpointLocType. */
typedef uint32_t EndpointAttrLocation;

/** A connection between two ranks. __extension__: see EndpointLoc. */
__extension__ typedef struct CommLink {
  CommAbiHeader header;
  EndpointDesc srcEndpointDesc;
  EndpointDesc dstEndpointDesc;
  union {
    uint8_t raws[128];
    struct {
      CommProtocol linkProtocol;
      uint8_t hop;
    };
  } linkAttr;
} CommLink;

/**
 * Sets linkNum links to "nothing chosen": valid header, endpoints not set, no protocol, one hop, all other bytes 0xFF.
 * @return HCCL_E_PTR for NULL.
 */
static inline HcclResult CommLinkInit(CommLink* commLink, uint32_t linkNum) {
  if (commLink == NULL) {
    return HCCL_E_PTR;
  }
  memset(commLink, 0xFF, sizeof(CommLink) * linkNum);
  for (uint32_t i = 0; i < linkNum; ++i) {
    CommLink* link = &commLink[i];
    link->header.version = COMM_LINK_VERSION;
    link->header.magicWord = COMM_LINK_MAGIC_WORD;
    link->header.size = (uint32_t)sizeof(CommLink);
    link->header.reserved = 0;
    EndpointDescInit(&link->srcEndpointDesc, 1);
    EndpointDescInit(&link->dstEndpointDesc, 1);
    link->linkAttr.linkProtocol = COMM_PROTOCOL_RESERVED;
    link->linkAttr.hop = 1;
  }
  return HCCL_SUCCESS;
}

/**
 * Numbers of the layers that this rank is on, ascending. All functions of this header: HCCL_E_PTR for NULL,
 * HCCL_E_PARA for a layer, instance or rank that does not exist. Behaviour: rank graph.
 */
HcclResult HcclRankGraphGetLayers(HcclComm comm, uint32_t** netLayers, uint32_t* netLayerNum);

/** Ranks of the instance of netLayer that this rank is in, itself included, ascending. Behaviour: rank graph. */
HcclResult HcclRankGraphGetRanksByLayer(HcclComm comm, uint32_t netLayer, uint32_t** ranks, uint32_t* rankNum);

/** How many ranks HcclRankGraphGetRanksByLayer gives. Behaviour: rank graph. */
HcclResult HcclRankGraphGetRankSizeByLayer(HcclComm comm, uint32_t netLayer, uint32_t* rankNum);

/** How the network of netLayer is built. Behaviour: rank graph. */
HcclResult HcclRankGraphGetTopoTypeByLayer(HcclComm comm, uint32_t netLayer, CommTopo* topoType);

/** How many ranks each instance of netLayer has, own and others, ordered by lowest rank. Behaviour: rank graph. */
HcclResult HcclRankGraphGetInstSizeListByLayer(HcclComm comm, uint32_t netLayer, uint32_t** instSizeList,
                                               uint32_t* listSize);

/**
 * Links from srcRank to dstRank on netLayer; neither need be this rank. No link on that layer is a success with 0
 * links.
 * @return HCCL_E_PARA also when both are the same rank (not with the products before Ascend950: no links).
 * Behaviour: rank graph.
 */
HcclResult HcclRankGraphGetLinks(HcclComm comm, uint32_t netLayer, uint32_t srcRank, uint32_t dstRank, CommLink** links,
                                 uint32_t* linkNum);

/** Instances of netLayer that this rank is in. Behaviour: rank graph. */
HcclResult HcclRankGraphGetTopoInstsByLayer(HcclComm comm, uint32_t netLayer, uint32_t** topoInsts,
                                            uint32_t* topoInstNum);

/** How an instance that this rank is in is built. Behaviour: rank graph. */
HcclResult HcclRankGraphGetTopoType(HcclComm comm, uint32_t netLayer, uint32_t topoInstId, CommTopo* topoType);

/** Ranks of an instance that this rank is in, ascending. Behaviour: rank graph. */
HcclResult HcclRankGraphGetRanksByTopoInst(HcclComm comm, uint32_t netLayer, uint32_t topoInstId, uint32_t** ranks,
                                           uint32_t* rankNum);

/** Whether the ranks run on products of several generations. Behaviour: rank graph. */
HcclResult HcclGetHeterogMode(HcclComm comm, HcclHeterogMode* mode);

/** How many endpoints this rank has in an instance. Behaviour: rank graph. */
HcclResult HcclRankGraphGetEndpointNum(HcclComm comm, uint32_t layer, uint32_t topoInstId, uint32_t* num);

/**
 * This rank's endpoints in an instance.
 * @param descNum in: room in endpointDesc, at least what HcclRankGraphGetEndpointNum says; out: how many there are.
 * @param endpointDesc the caller's array.
 * Behaviour: rank graph.
 */
HcclResult HcclRankGraphGetEndpointDesc(HcclComm comm, uint32_t layer, uint32_t topoInstId, uint32_t* descNum,
                                        EndpointDesc* endpointDesc);

/**
 * One attribute of an endpoint of rankId, which HcclRankGraphGetEndpointDesc or a link has given.
 * @param infoLen bytes of info; exactly those of the attribute's type.
 * Behaviour: rank graph.
 */
HcclResult HcclRankGraphGetEndpointInfo(HcclComm comm, uint32_t rankId, const EndpointDesc* endpointDesc,
                                        EndpointAttr endpointAttr, uint32_t infoLen, void* info);

/* Names of an early release for the same six questions. */
/** See HcclRankGraphGetLayers. */
HcclResult HcclGetNetLayers(HcclComm comm, uint32_t** netLayers, uint32_t* netLayerNum);
/** See HcclRankGraphGetRanksByLayer. */
HcclResult HcclGetInstRanksByNetLayer(HcclComm comm, uint32_t netLayer, uint32_t** ranks, uint32_t* rankNum);
/** See HcclRankGraphGetRankSizeByLayer. */
HcclResult HcclGetInstSizeByNetLayer(HcclComm comm, uint32_t netLayer, uint32_t* rankNum);
/** See HcclRankGraphGetTopoTypeByLayer. */
HcclResult HcclGetInstTopoTypeByNetLayer(HcclComm comm, uint32_t netLayer, CommTopo* topoType);
/** See HcclRankGraphGetInstSizeListByLayer. */
HcclResult HcclGetInstSizeListByNetLayer(HcclComm comm, uint32_t netLayer, uint32_t** instSizeList, uint32_t* listSize);
/** See HcclRankGraphGetLinks. */
HcclResult HcclGetLinks(HcclComm comm, uint32_t netLayer, uint32_t srcRank, uint32_t dstRank, CommLink** links,
                        uint32_t* linkNum);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_RANK_GRAPH_H_
