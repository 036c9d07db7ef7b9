# The functions of the vendor's project "cann-cmake" that a custom operator's build calls. A build finds this folder through
# CANN_3RD_LIB_PATH, which set_env.sh sets, and downloads nothing.
include_guard(GLOBAL)

# There is nothing to prepare here: no modules of other components, no options for all targets, no checks of versions.
macro(init_cann_project)
endmacro()
macro(add_cann_target_options)
endmacro()
macro(set_cann_package)
endmacro()
macro(set_cann_build_dependencies)
endmacro()
macro(set_cann_run_dependencies)
endmacro()

# add_cann_third_party(makeself-fetch): the packer lies beside this project.
function(add_cann_third_party name)
  if(NOT name STREQUAL "makeself-fetch")
    message(FATAL_ERROR "add_cann_third_party(${name}): this SDK has makeself-fetch only; it builds custom operators, not "
                        "the vendor's own libraries")
  endif()
  if(NOT EXISTS "${CANN_3RD_LIB_PATH}/makeself/makeself.sh")
    message(FATAL_ERROR "no ${CANN_3RD_LIB_PATH}/makeself/makeself.sh: pass --cann_3rd_lib_path=<sdk>/third_party")
  endif()
endfunction()

# cann_pack_targets_and_files(OUTPUT_TARGET <target> OUTPUT <file.tar.gz> [TARGETS <targets>] [FILES <files>]
#                             [MANIFEST <name>] [TAR_ROOT_DIR <folder>])
# A target that packs what the targets build, and the files, into one folder of a tar.gz. The manifest has a line
# "<file>=<sha256>" for each.
function(cann_pack_targets_and_files)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "OUTPUT_TARGET;OUTPUT;MANIFEST;TAR_ROOT_DIR" "TARGETS;FILES")
  if(NOT ARG_OUTPUT_TARGET OR NOT ARG_OUTPUT OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cann_pack_targets_and_files: OUTPUT_TARGET and OUTPUT are needed; not understood: "
                        "'${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT ARG_TAR_ROOT_DIR)
    set(ARG_TAR_ROOT_DIR ".")
  endif()
  get_filename_component(output "${ARG_OUTPUT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  set(files ${ARG_FILES})
  foreach(target ${ARG_TARGETS})
    list(APPEND files "$<TARGET_FILE:${target}>")
  endforeach()
  add_custom_target(${ARG_OUTPUT_TARGET}
    COMMAND ${CMAKE_COMMAND} "-DFILES=$<JOIN:${files},|>" "-DOUTPUT=${output}" "-DMANIFEST=${ARG_MANIFEST}"
            "-DROOT=${ARG_TAR_ROOT_DIR}" "-DWORK=${output}.content" -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/pack.cmake"
    DEPENDS ${ARG_FILES} BYPRODUCTS "${output}" VERBATIM)
  if(ARG_TARGETS)
    add_dependencies(${ARG_OUTPUT_TARGET} ${ARG_TARGETS})
  endif()
endfunction()

# add_cann_sign_file(INPUT <file.tar.gz> CONFIG <xml> RESULT_VAR <variable> [DEPENDS <targets>])
# A target sign_<stem> that puts the file where the operator installs it from. Packages are not signed here: the vendor's
# keys cannot be had, and a build that asks for a signature must not get a package without one.
function(add_cann_sign_file)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "INPUT;CONFIG;RESULT_VAR;OUTPUT_TARGET" "DEPENDS")
  if(ENABLE_SIGN)
    message(FATAL_ERROR "ENABLE_SIGN=${ENABLE_SIGN}: this SDK does not sign while it builds; build without --enable-sign")
  endif()
  get_filename_component(input "${ARG_INPUT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  get_filename_component(name "${ARG_INPUT}" NAME)
  string(REGEX REPLACE "\\..*$" "" stem "${name}")
  if(NOT ARG_OUTPUT_TARGET)
    set(ARG_OUTPUT_TARGET "sign_${stem}")
  endif()
  if(BUILD_DEVICE_DIR)
    set(folder "${BUILD_DEVICE_DIR}/signatures")
  else()
    set(folder "${CMAKE_BINARY_DIR}/signatures")
  endif()
  add_custom_target(${ARG_OUTPUT_TARGET}
    COMMAND ${CMAKE_COMMAND} -E make_directory "${folder}"
    COMMAND ${CMAKE_COMMAND} -E copy "${input}" "${folder}/${name}"
    BYPRODUCTS "${folder}/${name}" VERBATIM)
  if(ARG_DEPENDS)
    add_dependencies(${ARG_OUTPUT_TARGET} ${ARG_DEPENDS})
  endif()
  if(ARG_RESULT_VAR)
    set(${ARG_RESULT_VAR} "${folder}/${name}" PARENT_SCOPE)
  endif()
endfunction()
