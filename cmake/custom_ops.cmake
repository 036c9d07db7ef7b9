# Functions for the CMakeLists.txt of a custom operator project: one for its host library, one for its AICPU kernel.
# build.sh configures such a project twice, once per part, because on a real CANN the kernel needs the compiler of the
# device; the second run uses <sdk>/toolkit/toolchain/hcc/bin, which in SoftHCCL's SDK leads to the host compiler.
#
# In:  ASCEND_CANN_PACKAGE_PATH  root of the SDK
#      CUSTOM_OPS_PART           host | kernel
#      CUSTOM_OPS_VENDOR         name of the vendor folder (default cust)
# Out: <build>/stage/<file>      what the project installs
#      <build>/custom_ops.txt    "ops <name>", then one line per staged file: "<folder below the vendor's> <file>"

set(CUSTOM_OPS_VENDOR "cust" CACHE STRING "name of the folder below opp/vendors")
set(CUSTOM_OPS_PART "host" CACHE STRING "which half to build: host or kernel")
if(NOT ASCEND_CANN_PACKAGE_PATH)
  set(ASCEND_CANN_PACKAGE_PATH "$ENV{ASCEND_HOME_PATH}")
endif()
if(NOT EXISTS "${ASCEND_CANN_PACKAGE_PATH}/include/hccl/hccl_types.h")
  message(FATAL_ERROR "no SDK at '${ASCEND_CANN_PACKAGE_PATH}': include/hccl/hccl_types.h is missing; "
                      "source set_env.sh or pass -DASCEND_CANN_PACKAGE_PATH=<root of the SDK>")
endif()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CUSTOM_OPS_STAGE "${CMAKE_BINARY_DIR}/stage")
set(CUSTOM_OPS_MANIFEST "${CMAKE_BINARY_DIR}/custom_ops.txt")

# custom_ops_project(<name>): names the operator; everything that is installed carries this name.
function(custom_ops_project name)
  set(CUSTOM_OPS_NAME "${name}" PARENT_SCOPE)
  file(WRITE "${CUSTOM_OPS_MANIFEST}" "ops ${name}\n")
endfunction()

# Lists a file of the project for the package.
function(custom_ops_install folder file)
  get_filename_component(base "${file}" NAME)
  configure_file("${file}" "${CUSTOM_OPS_STAGE}/${base}" COPYONLY)
  file(APPEND "${CUSTOM_OPS_MANIFEST}" "${folder} ${base}\n")
endfunction()

# What both libraries need: the SDK's headers, strict warnings, nothing exported by accident.
function(custom_ops_library_settings target)
  target_include_directories(${target} SYSTEM PRIVATE
    "${ASCEND_CANN_PACKAGE_PATH}/include" "${ASCEND_CANN_PACKAGE_PATH}/include/hccl"
    "${ASCEND_CANN_PACKAGE_PATH}/include/mmpa")
  target_compile_options(${target} PRIVATE -std=c++14 -Wall -Wextra -Werror -fPIC -fvisibility=hidden
                                           -fstack-protector-strong)
  target_compile_definitions(${target} PRIVATE CUSTOM_OPS_VENDOR="${CUSTOM_OPS_VENDOR}")
  target_link_options(${target} PRIVATE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CUSTOM_OPS_STAGE}" SKIP_BUILD_RPATH ON)
endfunction()

# custom_ops_host_library(SOURCES <files> INCLUDES <folders> HEADERS <public headers>): libhccl_custom_<name>.so, with
# the C++ ABI that CANN's host libraries use.
function(custom_ops_host_library)
  if(NOT CUSTOM_OPS_PART STREQUAL "host")
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;INCLUDES;HEADERS" ${ARGN})
  set(target hccl_custom_${CUSTOM_OPS_NAME})
  add_library(${target} SHARED ${ARG_SOURCES})
  custom_ops_library_settings(${target})
  target_include_directories(${target} PRIVATE ${ARG_INCLUDES})
  target_compile_definitions(${target} PRIVATE _GLIBCXX_USE_CXX11_ABI=0 HOST_COMPILE)
  target_link_directories(${target} PRIVATE "${ASCEND_CANN_PACKAGE_PATH}/lib64" "${ASCEND_CANN_PACKAGE_PATH}/devlib")
  # Programs that link only this library find the functions of libhcomm through it.
  target_link_libraries(${target} PRIVATE -Wl,--no-as-needed hcomm acl_rt -Wl,--as-needed dl)
  file(APPEND "${CUSTOM_OPS_MANIFEST}" "lib64 lib${target}.so\n")
  foreach(header ${ARG_HEADERS})
    custom_ops_install(include "${CMAKE_CURRENT_SOURCE_DIR}/${header}")
  endforeach()
endfunction()

# custom_ops_kernel_library(<target> SOURCES <files> INCLUDES <folders> DESCRIPTION <json>): lib<target>.so, which
# build.sh packs into aicpu_hccl_custom_<name>.tar.gz, and the description that names its functions.
function(custom_ops_kernel_library target)
  if(NOT CUSTOM_OPS_PART STREQUAL "kernel")
    return()
  endif()
  cmake_parse_arguments(ARG "" "DESCRIPTION" "SOURCES;INCLUDES" ${ARGN})
  add_library(${target} SHARED ${ARG_SOURCES})
  custom_ops_library_settings(${target})
  target_include_directories(${target} PRIVATE ${ARG_INCLUDES})
  target_compile_definitions(${target} PRIVATE AICPU_COMPILE)
  target_link_directories(${target} PRIVATE "${ASCEND_CANN_PACKAGE_PATH}/lib64/device/lib64"
                                            "${ASCEND_CANN_PACKAGE_PATH}/devlib/device")
  target_link_libraries(${target} PRIVATE -Wl,--no-as-needed ccl_kernel -Wl,--as-needed)
  file(APPEND "${CUSTOM_OPS_MANIFEST}" "kernel lib${target}.so\n")
  custom_ops_install(aicpu/config "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_DESCRIPTION}")
endfunction()
