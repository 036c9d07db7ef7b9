# The SDK: `cmake --install <build> --prefix <root>` makes a tree of the shape that operator projects expect of a CANN
# installation. The root should be .../Ascend/cann-<version>, because installers of operators add /cann to any other.

set(softhccl_sdk_libraries)
foreach(library softhccl acl_rt hcomm ccl_kernel hccl c_sec unified_dlog mmpa
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
install(TARGETS softhccl_command RUNTIME DESTINATION bin)
install(DIRECTORY DESTINATION opp)
install(DIRECTORY DESTINATION conf)
install(DIRECTORY DESTINATION lib64/device/lib64)
install(DIRECTORY DESTINATION devlib/device)
install(FILES LICENSE NOTICE DESTINATION share/doc/softhccl)

# The list of kernel packages is the user's to edit: an installation must not put it back.
install(CODE "
  set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  if(NOT EXISTS \"\${root}/conf/ascend_package_load.ini\")
    file(COPY \"${CMAKE_CURRENT_SOURCE_DIR}/scripts/sdk/ascend_package_load.ini\" DESTINATION \"\${root}/conf\")
  endif()")

# Names under which the same libraries are looked up: <link> <target> in the folder of the link.
set(softhccl_sdk_links)
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
