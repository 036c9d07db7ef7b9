# Helpers of the build: warnings, sanitizers, one function per kind of target.
add_library(softhccl_flags INTERFACE)
target_compile_options(softhccl_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -fno-omit-frame-pointer)
target_include_directories(softhccl_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_include_directories(softhccl_flags SYSTEM INTERFACE)
if(SOFTHCCL_SANITIZE)
  target_compile_options(softhccl_flags INTERFACE -fsanitize=${SOFTHCCL_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(softhccl_flags INTERFACE -fsanitize=${SOFTHCCL_SANITIZE})
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(LibArchive REQUIRED)
find_package(nlohmann_json REQUIRED)

# softhccl_module(<name> SOURCES <files> [MODULES <lower modules>] [LIBRARIES <external>]): an object-like static
# library softhccl_<name>; everything of the core is linked into libsofthccl.so.
function(softhccl_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;MODULES;LIBRARIES" ${ARGN})
  add_library(softhccl_${name} OBJECT ${ARG_SOURCES})
  target_link_libraries(softhccl_${name} PRIVATE softhccl_flags PUBLIC fmt::fmt Threads::Threads)
  foreach(module ${ARG_MODULES})
    target_link_libraries(softhccl_${name} PUBLIC softhccl_${module})
  endforeach()
  target_link_libraries(softhccl_${name} PRIVATE ${ARG_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY SOFTHCCL_CORE_MODULES softhccl_${name})
  set_property(GLOBAL APPEND PROPERTY SOFTHCCL_CORE_LIBRARIES ${ARG_LIBRARIES})
endfunction()

# softhccl_test(<name> SOURCES <files> [LIBRARIES <targets>] [LABEL fast|slow]): a gtest program run by ctest, and run
# again in the sanitizer builds.
function(softhccl_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL fast)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE softhccl_flags ${ARG_LIBRARIES} softhccl GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABEL};sanitize" TIMEOUT 600)
endfunction()
