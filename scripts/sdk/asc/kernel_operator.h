// The interface of kernels for the AI core. There is none in this SDK; the name is here to say so.
#error \
    "kernel_operator.h is for AI-core kernels (__aicore__), which SoftHCCL cannot run: it runs AICPU kernels (__aicpu__)"
