# Packs in the folder that is packed, as such scripts do.
set(staging "${CPACK_BUILD}/staging")
file(REMOVE_RECURSE "${staging}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${CPACK_BUILD}" --prefix "${staging}" RESULT_VARIABLE result)
if(result EQUAL 0)
  execute_process(COMMAND bash "${CPACK_3RD_LIB_PATH}/makeself/makeself.sh"
    --header "${CPACK_3RD_LIB_PATH}/makeself/makeself-header.sh" --help-header "${CPACK_SCRIPTS}/help.info"
    --pigz --complevel 4 --nomd5 --sha256 --nooverwrite --chown --tar-format gnu --tar-extra --numeric-owner --tar-quietly
    "${staging}" shift.run "A LABEL WITH BLANKS" "${CPACK_SCRIPTS}/install.sh" --from-package "two words"
    WORKING_DIRECTORY "${staging}" RESULT_VARIABLE result)
endif()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "packing failed: ${result}")
endif()
file(RENAME "${staging}/shift.run" "${CPACK_PACKAGE_DIRECTORY}/shift.run")
