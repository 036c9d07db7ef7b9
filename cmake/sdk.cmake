# The SDK: `cmake --install <build> --prefix <root>` makes a tree of the shape that operator projects expect of a CANN
# installation. The root should be .../Ascend/cann-<version>, because installers of operators add /cann to any other.

set(softhccl_sdk_libraries)
foreach(library softhccl softhccl_signature acl_rt hcomm ccl_kernel hccl c_sec unified_dlog mmpa
                ascendc_runtime profapi ascendalog runtime error_manager ascend_dump)
  if(TARGET ${library})
    list(APPEND softhccl_sdk_libraries ${library})
    # Found among themselves without LD_LIBRARY_PATH, also through the links in the device folders.
    set_target_properties(${library} PROPERTIES
      INSTALL_RPATH "$ORIGIN;$ORIGIN/../..;$ORIGIN/../../lib64" INSTALL_RPATH_USE_LINK_PATH OFF)
  endif()
endforeach()
if(softhccl_sdk_libraries)
  install(TARGETS ${softhccl_sdk_libraries} LIBRARY DESTINATION lib64 NAMELINK_SKIP)
endif()

install(DIRECTORY include/ DESTINATION include FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES scripts/sdk/set_env.sh DESTINATION .)
foreach(tool gcc g++ ar ld nm strip ranlib objcopy objdump)
  install(PROGRAMS scripts/sdk/hcc_tool.sh DESTINATION toolkit/toolchain/hcc/bin
          RENAME aarch64-target-linux-gnu-${tool})
endforeach()
install(TARGETS softhccl_command npu_smi bisheng RUNTIME DESTINATION bin)
install(FILES scripts/sdk/include/aicpu_launch.h DESTINATION include/softhccl)
install(FILES scripts/sdk/asc/aicpu_api.h DESTINATION asc/include/aicpu_api)
install(FILES scripts/sdk/asc/kernel_operator.h DESTINATION asc/include/no_aicore)
install(DIRECTORY DESTINATION include/ascendc)
install(DIRECTORY DESTINATION tools/ccec_compiler/bin)
install(DIRECTORY DESTINATION opp)
install(DIRECTORY DESTINATION conf)
install(DIRECTORY DESTINATION lib64/device/lib64)
install(DIRECTORY DESTINATION devlib/device)
install(FILES LICENSE NOTICE DESTINATION share/doc/softhccl)

# The CMake languages of .asc and .aicpu files: find_package(ASC), find_package(AICPU).
function(softhccl_sdk_language language ending preference)
  foreach(pair language-config:${ending}-config.cmake determine:languages/CMakeDetermine${language}Compiler.cmake
               compiler:languages/CMake${language}Compiler.cmake.in information:languages/CMake${language}Information.cmake
               test:languages/CMakeTest${language}Compiler.cmake)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 template)
    list(GET pair 1 name)
    file(READ "${CMAKE_CURRENT_SOURCE_DIR}/scripts/sdk/cmake/${template}.cmake.in" text)
    string(REPLACE "%LANG%" "${language}" text "${text}")
    string(REPLACE "%ENDING%" "${ending}" text "${text}")
    string(REPLACE "%PREFERENCE%" "${preference}" text "${text}")
    file(WRITE "${CMAKE_BINARY_DIR}/sdk/cmake/${name}" "${text}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS scripts/sdk/cmake/${template}.cmake.in)
  endforeach()
endfunction()
softhccl_sdk_language(ASC asc 40)
softhccl_sdk_language(AICPU aicpu 35)
install(DIRECTORY ${CMAKE_BINARY_DIR}/sdk/cmake/ DESTINATION lib64/cmake)
# What the command softhccl makes and packs projects from.
install(DIRECTORY tools/new/template DESTINATION share/softhccl)
install(PROGRAMS build.sh DESTINATION share/softhccl/pack)
install(FILES cmake/custom_ops.cmake DESTINATION share/softhccl/pack/cmake)
install(FILES scripts/package/install.sh.in scripts/package/run_header.sh.in scripts/package/make_run.sh
        DESTINATION share/softhccl/pack/scripts/package)
# What builds of operator repositories would download.
install(DIRECTORY scripts/sdk/third_party/ DESTINATION third_party)

# The list of kernel packages is the user's to edit: an installation must not put it back.
install(CODE "
  set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  if(NOT EXISTS \"\${root}/conf/ascend_package_load.ini\")
    file(COPY \"${CMAKE_CURRENT_SOURCE_DIR}/scripts/sdk/ascend_package_load.ini\" DESTINATION \"\${root}/conf\")
  endif()")

# Names under which the same libraries are looked up: <link> <target> in the folder of the link.
set(softhccl_sdk_links "pkg_inc|include" "tools/ccec_compiler/bin/bisheng|../../../bin/bisheng"
                       "include/ascendc/aicpu_api|../../asc/include/aicpu_api")
if(TARGET acl_rt)
  list(APPEND softhccl_sdk_links "lib64/libascendcl.so|libacl_rt.so")
endif()
if(TARGET hcomm)
  list(APPEND softhccl_sdk_links "lib64/libhccl_fwk.so|libhcomm.so")
endif()
if(TARGET ccl_kernel)
  list(APPEND softhccl_sdk_links "lib64/device/lib64/libccl_kernel.so|../../libccl_kernel.so"
                                 "devlib/device/libccl_kernel.so|../../lib64/libccl_kernel.so")
endif()
if(TARGET c_sec)
  list(APPEND softhccl_sdk_links "lib64/device/lib64/libc_sec.so|../../libc_sec.so")
endif()
foreach(link ${softhccl_sdk_links})
  string(REPLACE "|" ";" pair "${link}")
  list(GET pair 0 name)
  list(GET pair 1 target)
  install(CODE "
    set(link \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${name}\")
    message(STATUS \"Installing: \${link} -> ${target}\")
    file(REMOVE \"\${link}\")
    file(CREATE_LINK \"${target}\" \"\${link}\" SYMBOLIC)")
endforeach()
