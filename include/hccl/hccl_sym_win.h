/**
 * @file hccl_sym_win.h
 * Symmetric windows as kernels use them: from a window and an offset to the address of a peer's memory. Windows are
 * made with HcclCommSymWinRegister of hccl_comm.h.
 */
#ifndef HCCL_HCCL_SYM_WIN_H_
#define HCCL_HCCL_SYM_WIN_H_

#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Where byte offset of the window is in the memory of peerRank, which may be the own rank. The address can be read and
 * written in place.
 * @param winHandle this rank's handle of the window.
 * @return HCCL_E_PTR for NULL; HCCL_E_PARA for a handle that is not a window, a rank or an offset (in bytes) out of
 * range, or memory that the peer has freed. Behaviour: symmetric memory.
 */
HcclResult HcclSymWinGetPeerPointer(HcclCommSymWindow winHandle, size_t offset, uint32_t peerRank, void** ptr);

/** Older name of HcclSymWinGetPeerPointer. */
HcclResult HcommSymWinGetPeerPointer(HcclCommSymWindow winHandle, size_t offset, uint32_t peerRank, void** ptr);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_SYM_WIN_H_
