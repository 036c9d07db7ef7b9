/**
 * @file ccu_primitives_impl.h
 * What CCU kernels are made of.
 * A program that names these functions links; every one of them answers "not supported" and says its name.
 */
#ifndef HCOMM_CCU_CCU_PRIMITIVES_IMPL_H_
#define HCOMM_CCU_CCU_PRIMITIVES_IMPL_H_

#include "../../hccl/hccl_types.h"
#include "../hcomm_res_defs.h"
#include "ccu_types.h"

#ifdef __cplusplus
extern "C" {
#endif

CcuResult CcuVariableAlloc(CcuVariableHandle* varHandle);
CcuResult CcuAddressAlloc(CcuAddressHandle* addrHandle);
CcuResult CcuEventAlloc(CcuEventHandle* eventHandle);
CcuResult CcuBufferAlloc(CcuBufferHandle* bufHandle);
CcuResult CcuLocalAddrAlloc(CcuLocalAddrHandle* localAddrHandle, CcuAddressHandle* addrHandle,
                            CcuVariableHandle* tokenHandle);
CcuResult CcuRemoteAddrAlloc(CcuRemoteAddrHandle* remoteAddrHandle, CcuAddressHandle* addrHandle,
                             CcuVariableHandle* tokenHandle);
CcuResult CcuBlockVariableAlloc(CcuVariableHandle* varHandles, uint32_t count);
CcuResult CcuBlockEventAlloc(CcuEventHandle* eventHandles, uint32_t count);
CcuResult CcuBlockBufferAlloc(CcuBufferHandle* bufHandles, uint32_t count);
CcuResult CcuVariableCreateByChannel(ChannelHandle channel, uint32_t varIndex, CcuVariableHandle* varHandle);
CcuResult CcuVariableGetByIndex(CcuVariableHandle acqHandle, uint32_t index, CcuVariableHandle* varHandle);
CcuResult CcuEventGetByIndex(CcuEventHandle acqHandle, uint32_t index, CcuEventHandle* eventHandle);
CcuResult CcuVariableAssignImm(CcuVariableHandle resVar, uint64_t immediate);
CcuResult CcuVariableAssignVar(CcuVariableHandle dstVarHandle, CcuVariableHandle srcVarHandle);
CcuResult CcuVariableAddVarToVar(CcuVariableHandle resVar, CcuVariableHandle varA, CcuVariableHandle varB);
CcuResult CcuVariableSubVarToVar(CcuVariableHandle resVar, CcuVariableHandle varA, CcuVariableHandle varB);
CcuResult CcuVariableMulVarToVar(CcuVariableHandle resVar, CcuVariableHandle varA, CcuVariableHandle varB);
CcuResult CcuVariableAddImmToVar(CcuVariableHandle resVar, CcuVariableHandle varA, uint16_t immediate);
CcuResult CcuVariableSubImmToVar(CcuVariableHandle resVar, CcuVariableHandle varA, uint16_t immediate);
CcuResult CcuVariableMulImmToVar(CcuVariableHandle resVar, CcuVariableHandle varA, uint16_t immediate);
CcuResult CcuVariableAndVarToVar(CcuVariableHandle resVar, CcuVariableHandle varA, CcuVariableHandle varB);
CcuResult CcuVariableOrVarToVar(CcuVariableHandle resVar, CcuVariableHandle varA, CcuVariableHandle varB);
CcuResult CcuVariableXorVarToVar(CcuVariableHandle resVar, CcuVariableHandle varA, CcuVariableHandle varB);
CcuResult CcuVariableNotVar(CcuVariableHandle resVar, CcuVariableHandle varA);
CcuResult CcuVariableShlVarToVar(CcuVariableHandle resVar, CcuVariableHandle varA, CcuVariableHandle varB);
CcuResult CcuVariableShrVarToVar(CcuVariableHandle resVar, CcuVariableHandle varA, CcuVariableHandle varB);
CcuResult CcuAddressAssignImm(CcuAddressHandle addr, uint64_t immediate);
CcuResult CcuAddressAssignAddr(CcuAddressHandle dstAddrHandle, CcuAddressHandle srcAddrHandle);
CcuResult CcuAddressAssignVar(CcuAddressHandle addr, CcuVariableHandle var);
CcuResult CcuAddressAddVarToAddr(CcuAddressHandle resAddr, CcuAddressHandle lhsAddr, CcuVariableHandle rhsVar);
CcuResult CcuAddressAddAddrToAddr(CcuAddressHandle resAddr, CcuAddressHandle addrA, CcuAddressHandle addrB);
CcuResult CcuAddressAddAssignVar(CcuAddressHandle addr, CcuVariableHandle var);
CcuResult CcuAddressAddImmToAddr(CcuAddressHandle resAddr, CcuAddressHandle addrA, uint16_t imm);
CcuResult CcuLoadArg(CcuVariableHandle varHandle, uint32_t argId);
CcuResult CcuLoadVar(uint64_t addr, CcuVariableHandle varHandle, uint32_t num);
CcuResult CcuLoadVarFromVarAddr(CcuVariableHandle addrHandle, CcuVariableHandle varHandle, uint32_t num);
CcuResult CcuStoreVar(uint64_t addr, CcuVariableHandle varHandle, uint32_t num);
CcuResult CcuStoreVarToVarAddr(CcuVariableHandle addrHandle, CcuVariableHandle varHandle, uint32_t num);
CcuResult CcuEventRecord(CcuEventHandle eventHandle, uint16_t mask);
CcuResult CcuEventWait(CcuEventHandle eventHandle, uint16_t mask);
CcuResult CcuNotifyRecord(ChannelHandle channel, uint32_t remoteNotifyIdx, uint16_t mask);
CcuResult CcuNotifyWait(ChannelHandle channel, uint32_t localNotifyIdx, uint16_t mask);
CcuResult CcuWriteVariableWithNotify(ChannelHandle channel, CcuVariableHandle varHandle, uint32_t remoteVarIdx,
                                     uint32_t remoteNotifyIdx, uint16_t mask);
CcuResult CcuLocalNotifyRecord(const char* notifyTag, uint16_t mask);
CcuResult CcuLocalNotifyWait(const char* notifyTag, uint16_t mask);
CcuResult CcuLocalCopyMemToMem(CcuLocalAddrHandle dst, CcuLocalAddrHandle src, CcuVariableHandle len,
                               CcuEventHandle event, uint16_t mask);
CcuResult CcuLocalCopyMemToBuffer(CcuBufferHandle dst, CcuLocalAddrHandle src, CcuVariableHandle len,
                                  CcuEventHandle event, uint16_t mask);
CcuResult CcuLocalCopyBufferToMem(CcuLocalAddrHandle dst, CcuBufferHandle src, CcuVariableHandle len,
                                  CcuEventHandle event, uint16_t mask);
CcuResult CcuLocalMemReduce(CcuLocalAddrHandle dst, CcuLocalAddrHandle src, CcuVariableHandle len,
                            HcclDataType dataType, HcclReduceOp opType, CcuEventHandle event, uint16_t mask);
CcuResult CcuLocalBufferReduce(CcuBufferHandle* buffers, uint32_t count, HcclDataType dataType,
                               HcclDataType outputDataType, HcclReduceOp opType, CcuVariableHandle len,
                               CcuEventHandle event, uint16_t mask);
CcuResult CcuReadMemToMem(ChannelHandle channel, CcuLocalAddrHandle localHandle, CcuRemoteAddrHandle remoteHandle,
                          CcuVariableHandle len, CcuEventHandle event, uint16_t mask);
CcuResult CcuReadMemToBuffer(ChannelHandle channel, CcuBufferHandle localHandle, CcuRemoteAddrHandle remoteHandle,
                             CcuVariableHandle len, CcuEventHandle event, uint16_t mask);
CcuResult CcuReadMemToMemReduce(ChannelHandle channel, CcuLocalAddrHandle localHandle, CcuRemoteAddrHandle remoteHandle,
                                CcuVariableHandle len, HcclDataType dataType, HcclReduceOp opType, CcuEventHandle event,
                                uint16_t mask);
CcuResult CcuWriteMemToMem(ChannelHandle channel, CcuRemoteAddrHandle remoteHandle, CcuLocalAddrHandle localHandle,
                           CcuVariableHandle len, CcuEventHandle event, uint16_t mask);
CcuResult CcuWriteBufferToMem(ChannelHandle channel, CcuRemoteAddrHandle remoteHandle, CcuBufferHandle localHandle,
                              CcuVariableHandle len, CcuEventHandle event, uint16_t mask);
CcuResult CcuWriteMemToMemReduce(ChannelHandle channel, CcuRemoteAddrHandle remoteHandle,
                                 CcuLocalAddrHandle localHandle, CcuVariableHandle len, HcclDataType dataType,
                                 HcclReduceOp opType, CcuEventHandle event, uint16_t mask);
CcuResult CcuIfBegin(CcuVariableHandle var, uint64_t immediate, CcuConditionType condType, const char* label);
CcuResult CcuIfElse(const char* label);
CcuResult CcuIfEnd(const char* label);
CcuResult CcuFlushPendingIfs(void);
CcuResult CcuWhileBegin(CcuVariableHandle var, uint64_t immediate, CcuConditionType condType, const char* label);
CcuResult CcuWhileEnd(const char* label);
CcuResult CcuDoWhileBegin(const char* label);
CcuResult CcuDoWhileEnd(CcuVariableHandle var, uint64_t immediate, CcuConditionType condType, const char* label);
CcuResult CcuIfBeginVar(CcuVariableHandle lhs, CcuVariableHandle rhs, CcuConditionType condType, const char* label);
CcuResult CcuWhileBeginVar(CcuVariableHandle lhs, CcuVariableHandle rhs, CcuConditionType condType, const char* label);
CcuResult CcuDoWhileEndVar(CcuVariableHandle lhs, CcuVariableHandle rhs, CcuConditionType condType, const char* label);
CcuResult CcuFuncBlockLookup(const void* funcPtr, uint64_t* outHandle);
CcuResult CcuFuncBlockBegin(const void* funcPtr, uint64_t* outHandle);
CcuResult CcuFuncBlockEnd(uint64_t handle);
CcuResult CcuFuncDefineInArg(uint64_t handle, CcuVariableHandle formal);
CcuResult CcuFuncCall(uint64_t handle, const CcuVariableHandle* inArgs, uint32_t numIn);
void _CcuIfStackPush(const char* label);
void _CcuIfStackMarkBodyDone(void);
const char* _CcuIfStackPopForElse(void);
void _CcuDoWhileStackPush(const char* label);
const char* _CcuDoWhileStackPopForWhile(void);
CcuResult CcuLoopCreate(CcuLoop* loop);
CcuResult _CcuLoopBodyEnter(CcuLoop loop);
CcuResult _CcuLoopBodyExit(CcuLoop loop);
CcuResult CcuLoopGroupCreate(CcuLoopGroup* group, uint32_t maxLoopNum, const CcuLoopGroupConfig* config);
CcuResult CcuLoopGroupCreateFromVar(CcuLoopGroup* group, uint32_t maxLoopNum, CcuVariableHandle parallelVar,
                                    CcuVariableHandle offsetVar);
CcuResult CcuLoopGroupCreateFromVarV2(CcuLoopGroup* group, uint32_t maxLoopNum, CcuVariableHandle parallelVarV2,
                                      CcuVariableHandle offsetVarV2, CcuVariableHandle varOffsetVar);
CcuResult CcuLoopGroupAddLoop(CcuLoopGroup group, CcuLoop loop, const CcuLoopConfig* config);
CcuResult CcuLoopGroupCreateCfg(CcuLoopGroup* group, uint32_t maxLoopNum, const CcuLoopGroupCfg* cfg);
CcuResult CcuLoopGroupAddLoopCfg(CcuLoopGroup group, CcuLoop loop, const CcuLoopCfg* cfg);
CcuResult CcuLoopGroupAddLoopFromVar(CcuLoopGroup group, CcuLoop loop, CcuVariableHandle loopParamVar);
CcuResult CcuLoopGroupAddLoopFromVarV2(CcuLoopGroup group, CcuLoop loop, CcuVariableHandle iterNumVar,
                                       CcuVariableHandle addrOffsetVar, CcuVariableHandle ctxIdVar);

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_CCU_CCU_PRIMITIVES_IMPL_H_
