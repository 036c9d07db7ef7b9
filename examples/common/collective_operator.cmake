# What the CMakeLists.txt of the collective operators have in common: the build functions, the host library and the kernel
# library of one operator in the folder that includes this. The sources and headers are named after the operator.
set(CUSTOM_OPS_CMAKE "${CMAKE_CURRENT_LIST_DIR}/../../cmake/custom_ops.cmake" CACHE FILEPATH "the build functions")
include("${CUSTOM_OPS_CMAKE}")

set(common ../common)
macro(collective_operator name)
  custom_ops_project(${name})
  custom_ops_host_library(
    SOURCES op_host/${name}.cc ${common}/op_host/collective_checks.cc ${common}/op_host/collective_host.cc
            ${common}/op_host/kernel_loader.cc
    INCLUDES inc ${common}/inc ${common}/op_host
    HEADERS inc/hccl_custom_${name}.h)
  custom_ops_kernel_library(${name}_aicpu_kernel
    SOURCES op_kernel_aicpu/${name}_kernel.cc ${common}/op_kernel_aicpu/collective_kernel.cc
    INCLUDES inc ${common}/inc ${common}/op_kernel_aicpu
    DESCRIPTION op_kernel_aicpu/lib${name}_aicpu_kernel.json)
endmacro()
