/* The libraries here are compiled with hidden visibility, so that their helpers do not leak into programs which load
 * them; this mark is what makes a function part of the interface. */
#ifndef SOFTHCCL_CSEC_EXPORT_H_
#define SOFTHCCL_CSEC_EXPORT_H_

#define CSEC_EXPORT __attribute__((visibility("default")))

#endif /* SOFTHCCL_CSEC_EXPORT_H_ */
