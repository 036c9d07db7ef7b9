/**
 * @file hcomm_channel.h
 * Another spelling of hcomm/hcomm_channel.h: sources of different releases include the same header by different paths.
 * The text is in one place; this file only leads there, by a relative path, so that it works with any include
 * directory.
 */
#ifndef HCCL_HCOMM_CHANNEL_H_
#define HCCL_HCOMM_CHANNEL_H_

#include "../hcomm/hcomm_channel.h"

#endif  // HCCL_HCOMM_CHANNEL_H_
