/**
 * @file hcomm_channel.h
 * Another spelling of hcomm/hcomm_channel.h: sources of different releases include the same header by different paths.
 * The text is in one place; this file only leads there, by a relative path, so that it works with any include
 * directory.
 */
#ifndef ROOT_HCOMM_CHANNEL_H_
#define ROOT_HCOMM_CHANNEL_H_

#include "hcomm/hcomm_channel.h"

#endif  // ROOT_HCOMM_CHANNEL_H_
